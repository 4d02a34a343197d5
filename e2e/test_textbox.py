"""A long text, pasted: shown to be read, edited when asked, and nothing of it or before it lost."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest

from e2e.app import App

LONG = "".join(f"Line {i}: naïve 🙂 text\n" for i in range(6000))  # 150,000 characters
SHOWN = "reader => [...reader.children].map(block => block.textContent).join('\\n')"


@pytest.fixture
def context_options() -> dict[str, Any]:
    return {"permissions": ["clipboard-read", "clipboard-write"]}


def paste(app: App, text: str, keys: tuple[str, ...] = ("Control+A", "Control+V")) -> None:
    app.page.evaluate("text => navigator.clipboard.writeText(text)", text)
    for key in keys:
        app.page.keyboard.press(key)


def settled(app: App, lengths: str) -> None:
    app.page.locator("#lengths", has_text=lengths).wait_for()
    app.wait("ready")


@pytest.fixture
def pasted(ready: App) -> App:
    ready.type("Hello world")
    ready.page.locator("#text").focus()
    paste(ready, LONG)
    settled(ready, f"{len(LONG):,} characters")
    return ready


def test_a_long_paste_is_shown_to_be_read(pasted: App) -> None:
    assert not pasted.page.locator("#text").is_visible()
    shown = pasted.page.locator("#reader").evaluate(SHOWN)
    assert shown == LONG
    assert pasted.page.locator("#reader").evaluate("e => e === document.activeElement")


def test_nothing_but_a_paste_changes_it(pasted: App) -> None:
    shown = pasted.page.locator("#reader")
    for key in ("x", "Enter", "Backspace", "Control+A", "Delete"):
        pasted.page.keyboard.press(key)
    assert shown.evaluate(SHOWN) == LONG


def test_it_is_put_where_the_caret_was(ready: App) -> None:
    ready.type("Hello world")
    ready.page.locator("#text").evaluate("box => { box.focus(); box.setSelectionRange(1, 3) }")
    paste(ready, LONG, ("Control+V",))
    settled(ready, f"{len(LONG) + 9:,} characters")
    shown = ready.page.locator("#reader").evaluate(SHOWN)
    assert shown.startswith("HLine 0") and shown.endswith("\nlo world")


def test_it_can_be_edited(pasted: App) -> None:
    pasted.page.locator("#edit-text").click()
    box = pasted.page.locator("#text")
    assert box.input_value() == LONG
    assert box.evaluate("e => e === document.activeElement")
    box.press("Control+End")
    box.press("!")
    settled(pasted, f"{len(LONG) + 1:,} characters")
    assert not pasted.page.locator("#reading").is_visible()


def test_the_paste_can_be_undone(pasted: App) -> None:
    pasted.page.locator("#undo-text").click()
    settled(pasted, "11 characters")
    assert pasted.page.locator("#text").input_value() == "Hello world"
    assert pasted.ids() == [15496, 995]


def test_a_short_paste_over_it_takes_its_place_and_can_be_undone(pasted: App) -> None:
    paste(pasted, "Hi", ("Control+V",))
    settled(pasted, "2 characters")
    assert pasted.page.locator("#text").input_value() == "Hi"
    pasted.page.locator("#undo-text").click()
    settled(pasted, f"{len(LONG):,} characters")
    assert pasted.page.locator("#reader").is_visible()


def test_line_ends_are_those_of_a_text_box(ready: App) -> None:
    text = "a line\r\n" * 20_000
    ready.page.goto(f"{ready.site}?1#see?" + urlencode({"text": text}))
    settled(ready, "140,000 characters")
    ready.page.locator("#edit-text").click()
    assert ready.page.locator("#text").input_value() == text.replace("\r\n", "\n")


def test_a_character_is_never_cut(ready: App) -> None:
    text = "a" + "🙂" * 60_000
    ready.page.locator("#text").focus()
    paste(ready, text)
    settled(ready, f"{len(text):,} characters")
    blocks = ready.page.locator("#reader div").all_text_contents()
    assert "".join(blocks) == text and len(blocks) > 1
