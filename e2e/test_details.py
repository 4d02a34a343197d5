"""One token looked at closely: by pointer, tap and keys."""

from __future__ import annotations

import pytest

from e2e.app import App
from e2e.browsers import chromium_only


def detail(app: App) -> str:
    app.page.locator("#detail .tok").wait_for()
    return app.page.locator("#detail").inner_text()


def outline(app: App, nth: int) -> str:
    token = app.page.locator("#tokens [data-id]").nth(nth)
    return str(token.evaluate("t => getComputedStyle(t).outlineStyle"))


def test_pointing_at_a_token_tells_of_it(ready: App) -> None:
    ready.type("🙂 Hello world")
    assert "Hover over a token" in ready.page.locator("#detail").inner_text()
    ready.page.locator("#tokens [data-id='995']").hover()
    said = detail(ready)
    for part in ("·world", "id\n995", "20 77 6F 72 6C 64", "normal", "merge rank\n739"):
        assert part in said
    assert "7–13" in said and "10–16" in said  # characters, and bytes: the smile has four
    ready.page.locator("#text").hover()
    ready.page.locator("#detail", has_text="Hover over a token").wait_for()


def test_a_click_keeps_it_and_lights_up_its_like(ready: App) -> None:
    ready.type("one two one one")
    ready.page.locator("#tokens [data-id]").nth(2).click()
    assert "of this id" in detail(ready)
    assert [outline(ready, i) for i in range(4)] == ["none", "none", "solid", "solid"]
    ready.page.locator("#text").hover()
    assert "·one" in detail(ready)


def test_scores_are_told_of_sentencepiece(ready: App) -> None:
    ready.use("mistral-v1")
    ready.wait("ready")
    ready.type("Hi")
    ready.page.locator("#tokens [data-id]").first.click()
    assert "control, BOS" in detail(ready)
    ready.page.locator("#tokens [data-id]").last.click()
    ready.page.locator("#detail", has_text="score").wait_for()


def test_arrow_keys_walk_over_the_tokens(ready: App) -> None:
    ready.type("alpha beta\ngamma delta")
    tokens = ready.tokens()
    box = ready.page.locator("#tokens")

    def press(key: str) -> str:
        box.press(key)
        ready.page.wait_for_timeout(150)
        return ready.page.locator("#spoken").inner_text()

    total = len(tokens)
    box.focus()  # chooses the first token
    assert f"token 2 of {total}" in press("ArrowRight")
    assert f"token 1 of {total}" in press("ArrowLeft")
    below = press("ArrowDown")
    assert f"id {next(t.id for t in tokens if t.start >= 11)}," in below
    assert f"token 1 of {total}" in press("ArrowUp")
    assert f"token {total} of {total}" in press("End")
    assert f"id {tokens[0].id}," in press("Home")
    press("Escape")
    ready.page.locator("#detail", has_text="Hover over a token").wait_for()


def test_end_goes_to_a_token_that_was_not_drawn(ready: App) -> None:
    ready.type("The quick brown fox, 1234 times.\n" * 3000)
    ready.page.locator("#tokens").press("End")
    assert f"{ready.count():,} of {ready.count():,}" in detail(ready)
    assert ready.page.locator("#tokens").evaluate("box => box.scrollTop") > 1000


class TestTouch:
    @pytest.fixture
    def context_options(self) -> dict[str, object]:
        return {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}

    @chromium_only("Playwright sends no touch by WebDriver BiDi")
    def test_a_tap_tells_of_a_token(self, ready: App) -> None:
        ready.type("Hello world")
        ready.page.locator("#tokens [data-id='995']").tap()
        assert "995" in detail(ready)
