"""The Compare and Explain views."""

from __future__ import annotations

import pytest

from e2e.app import App
from e2e.looks import open_view
from pyodide_tok import Tokenizer
from tests.reference import SAMPLES

READ = "tokens => tokens.map(t => +t.dataset.id)"


def ids(app: App, nth: int) -> list[int]:
    column = app.page.locator("#compare .column").nth(nth)
    return list(column.locator(".tokens [data-id]").evaluate_all(READ))


def test_two_models_side_by_side(ready: App) -> None:
    ready.type("Hello 1234 world")
    open_view(ready, "compare")
    counts = ready.page.locator("#compare output")
    counts.nth(1).filter(has_text="8").wait_for()
    assert counts.nth(0).inner_text() == str(ready.count()) == str(len(ids(ready, 0)))
    assert ids(ready, 0) == [15496, 1105, 2682, 995]
    assert ids(ready, 1)[:2] == [1, 22557]
    digits = ready.page.locator("#compare .column").nth(1).locator(".differs")
    assert digits.all_inner_texts() == ["1", "2", "4"]  # "3" begins a token in both
    ready.page.locator("#text").fill("Hello")
    counts.nth(1).filter(has_text="2").wait_for()
    assert ids(ready, 0) == [15496] and ids(ready, 1) == [1, 22557]


def test_columns_come_and_go_and_change(ready: App) -> None:
    ready.type("Hello world")
    open_view(ready, "compare")
    columns = ready.page.locator("#compare .column")
    columns.nth(1).locator(".tokens [data-id]").first.wait_for()
    add = ready.page.locator("#add-column")
    add.click()
    add.click()
    columns.nth(3).locator(".tokens [data-id]").first.wait_for()
    assert add.is_disabled()
    columns.nth(3).get_by_role("button", name="Remove").click()
    assert columns.count() == 3 and not add.is_disabled()
    columns.nth(2).locator("select").select_option("mistral-v1")
    columns.nth(2).locator("[data-id='1']").wait_for()
    assert ids(ready, 2) == ids(ready, 1)


def test_columns_scroll_together(ready: App) -> None:
    ready.type("The quick brown fox, 1234 times.\n" * 400)
    open_view(ready, "compare")
    boxes = ready.page.locator("#compare .tokens")
    boxes.nth(1).locator("[data-id]").first.wait_for()
    boxes.nth(0).evaluate("box => box.scrollTo(0, box.scrollHeight / 2)")
    for _ in range(50):
        if boxes.nth(1).evaluate("box => box.scrollTop") > 1000:
            return
        ready.page.wait_for_timeout(100)
    raise AssertionError("the other column did not follow")


def test_a_word_step_by_step(ready: App) -> None:
    ready.type("Hello unbelievable")
    ready.page.goto(f"{ready.site}#explain")
    words = ready.page.locator("#words button")
    words.first.click()
    symbols = ready.page.locator("#stage .symbol")
    assert symbols.all_inner_texts() == ["H", "e", "l", "l", "o"]
    says = ready.page.locator("#step-says")
    ready.page.locator("#step-on").click()
    assert symbols.all_inner_texts() == ["H", "e", "ll", "o"]
    assert "rank 41" in says.inner_text()
    ready.page.locator("#step-last").click()
    assert symbols.all_inner_texts() == ["Hello"] and "15496" in says.inner_text()
    ready.page.locator("#step-back").click()
    assert symbols.all_inner_texts() == ["H", "ello"]
    ready.page.locator("#play").click()
    ready.page.locator("#play", has_text="Play").wait_for()  # it has reached the end
    assert symbols.all_inner_texts() == ["Hello"]


def test_sentencepiece_and_bytes_are_explained(ready: App) -> None:
    ready.use("mistral-v1")
    ready.wait("ready")
    ready.type("a👩")
    ready.page.goto(f"{ready.site}#explain")
    ready.page.locator("#words button").last.click()
    ready.page.locator("#step-last").click()
    assert "<F0><9F><91><A9>" in ready.page.locator("#step-says").inner_text()


STEPS = {  # vocabulary: text, its symbols at first and at the end, a part of what is said then
    "bert-bge": ("Unbelievable", ["▁unbelievable"], ["▁unbelievable"], "is token 23653"),
    "rwkv": ("Hello!", ["Hello!"], ["Hello", "!"], "is token 34"),
    "t5": ("unbelievable", ["▁unbelievable"], ["▁un", "believable"], "next best cut: -20.476"),
}


def symbols(app: App) -> list[str]:
    """The texts of the symbols, without their scores."""
    texts = app.page.locator("#stage .symbol").all_inner_texts()
    return [text.splitlines()[0] for text in texts]


@pytest.mark.parametrize("name", STEPS)
def test_every_family_is_explained(ready: App, name: str) -> None:
    text, first, last, said = STEPS[name]
    ready.use(name)
    ready.wait("ready")
    ready.type(text)
    open_view(ready, "explain")
    ready.page.locator("#stage .symbol", has_text=first[0]).wait_for()
    assert symbols(ready) == first
    ready.page.locator("#step-last").click()
    ready.page.locator("#step-says", has_text=said).wait_for()
    assert symbols(ready) == last
    tok = Tokenizer.from_gguf(SAMPLES / f"{name}.gguf")
    ids = tok.encode(text, add_special=False)
    assert ready.page.locator("#word-ids").inner_text() == f"Tokens: {', '.join(map(str, ids))}"


def test_examples_become_the_text(ready: App) -> None:
    open_view(ready, "explain")
    ready.page.get_by_role("button", name="Chinese").click()
    ready.page.locator("#words button", has_text="你好").first.wait_for()
    assert ready.page.locator("#text").input_value() == "你好，世界"


def test_a_text_that_was_taken_from_elsewhere_can_be_undone(ready: App) -> None:
    ready.type("my own words")
    open_view(ready, "explain")
    ready.page.get_by_role("button", name="Chinese").click()
    ready.page.locator("#undo-text").click()
    assert ready.page.locator("#text").input_value() == "my own words"
    assert ready.page.locator("#undo-text").is_disabled()
