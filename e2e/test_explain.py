"""The Explain view: pictures of how a word is split, by one tokenizer or two."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from e2e.app import App
from e2e.looks import open_view
from pyodide_tok import Tokenizer
from tests.reference import SAMPLES

LONE = re.compile("[\ud800-\udfff]")


def explain(app: App, word: str, *, space: bool = False, rival: str = "") -> Locator:
    """Open the view and ask for a word; returns the first tokenizer's side."""
    if not app.page.locator("#view-explain").is_visible():
        open_view(app, "explain")
    app.page.locator(".lesson .says").first.wait_for()
    app.page.locator("#rival").select_option(rival)
    app.page.locator("#word-space").set_checked(space)
    app.page.locator("#word").fill(word)
    return app.page.locator(".lesson").first


def ids(side: Locator) -> list[int]:
    return [int(text) for text in side.locator(".result small").all_inner_texts()]


def seen(side: Locator) -> list[str]:
    """The texts that a picture shows at its present step."""
    return side.locator("svg > text:not(.away)").all_text_contents()


def test_spm_beside_bpe_at_first(ready: App) -> None:
    open_view(ready, "explain")
    gpt, mistral = (ready.page.locator(".lesson").nth(i) for i in range(2))
    expect(mistral.locator(".result li")).to_have_count(4)
    assert ids(gpt) == [24479] and ids(mistral) == [521, 7244, 16198, 522]
    assert gpt.locator("output").inner_text() == "1"
    assert "12 merges" in gpt.locator(".n").inner_text()
    says = ready.page.locator("#difference-says").inner_text()
    assert says.startswith(
        "Both build “·un” and “bel”. GPT-2 joins them into “·unbel” (merge #17,235);"
    )
    ready.page.keyboard.press("Home")  # nothing is told before its time
    expect(gpt.locator(".result")).to_be_hidden()
    expect(ready.page.locator("#difference-says")).to_be_hidden()


def test_one_bar_steps_both(ready: App) -> None:
    open_view(ready, "explain")
    place = ready.page.locator("#step-place")
    expect(place).to_have_text("Step 12 of 12")
    says = ready.page.locator(".lesson .says")
    keys = ready.page.keyboard
    keys.press("Home")
    expect(place).to_have_text("Step 0 of 12")
    expect(says.nth(0)).to_have_text(
        "The word starts as 13 symbols. 12 pairs of neighbors can merge."
    )
    keys.press("ArrowRight")
    assert "rank #37 is the lowest of 12" in says.nth(0).inner_text()
    assert "score −32 is the highest of 12" in says.nth(1).inner_text()
    keys.press("End")
    keys.press("ArrowLeft")
    expect(place).to_have_text("Step 11 of 12")
    ready.page.locator("#step-back").click()
    expect(place).to_have_text("Step 10 of 12")
    ready.page.locator("#step-on").click()
    ready.page.locator("#step").focus()
    keys.press("ArrowLeft")  # the slider's own key: one step, not two
    expect(place).to_have_text("Step 10 of 12")
    ready.page.locator("#word").focus()
    keys.press("Home")
    keys.press("ArrowRight")  # these move the cursor
    expect(place).to_have_text("Step 10 of 12")


def test_it_plays_to_the_end(ready: App) -> None:
    side = explain(ready, "Hi")
    expect(ready.page.locator("#step-place")).to_have_text("Step 1 of 1")
    ready.page.locator("h2#explain-title").evaluate("() => document.activeElement.blur()")
    ready.page.keyboard.press(" ")
    expect(ready.page.locator("#play")).to_have_attribute("aria-label", "Pause")
    expect(ready.page.locator("#step-place")).to_have_text("Step 0 of 1")
    expect(ready.page.locator("#play")).to_have_attribute("aria-label", "Play")
    expect(side.locator(".result")).to_be_visible()


def test_the_step_is_kept_while_another_view_is_open(ready: App) -> None:
    open_view(ready, "explain")
    place = ready.page.locator("#step-place")
    expect(place).to_have_text("Step 12 of 12")
    ready.page.keyboard.press("Home")
    open_view(ready, "see")
    open_view(ready, "explain")
    ready.page.wait_for_timeout(300)
    expect(place).to_have_text("Step 0 of 12")


def test_a_step_of_the_list(ready: App) -> None:
    side = explain(ready, "Hello")
    steps = side.locator(".step-list button")
    expect(steps).to_have_count(5)
    assert steps.nth(1).inner_text().split() == ["1.", "l", "+", "l", "#41"]
    steps.nth(1).click()
    expect(ready.page.locator("#step-place")).to_have_text("Step 1 of 4")
    expect(steps.nth(1)).to_have_attribute("aria-current", "step")
    assert "ll" in seen(side) and "Hello" not in seen(side)
    assert side.locator("rect.pill.lit").count() == 1


def test_the_picture_is_told_to_screen_readers(ready: App) -> None:
    side = explain(ready, "Hello")
    picture = side.get_by_role("img")
    expect(picture).to_have_accessible_name("GPT-2 · byte-pair encoding: how the text is split")
    expect(picture).to_have_accessible_description(side.locator(".says").inner_text())


TEXTS = {  # vocabulary: a text, a part of what is said at the end
    "bert-bge": ("Tokenization", "“ization” is in the vocabulary: token 3989."),
    "rwkv": ("Hello!", "The longest token on this walk is “!” (34)."),
    "t5": ("tokenization", "The best path is ·token + ization: total score −22.05. The runner-up,"),
    "mistral-v1": ("a𓀀", "has no token for “𓀀”, so it becomes its UTF-8 bytes: F0 93 80 80."),
}


@pytest.mark.parametrize("name", TEXTS)
def test_every_family_ends_in_its_tokens(ready: App, name: str) -> None:
    text, said = TEXTS[name]
    ready.use(name)
    ready.wait("ready")
    side = explain(ready, text)
    side.locator(".says", has_text=said).wait_for()
    tok = Tokenizer.from_gguf(SAMPLES / f"{name}.gguf")
    assert ids(side) == tok.encode(text, add_special=False)


def test_an_unknown_word_is_drawn(ready: App) -> None:
    ready.use("bert-bge")
    ready.wait("ready")
    side = explain(ready, "你")
    side.locator(".says", has_text="becomes the unknown token (100)").wait_for()
    assert "你" in seen(side)
    assert side.locator(".result li").inner_text().startswith("[UNK]")


def test_the_bytes_of_an_emoji(ready: App) -> None:
    ready.use("rwkv")
    ready.wait("ready")
    side = explain(ready, "🙂")
    side.locator("svg text", has_text="🙂").first.wait_for()
    text = side.inner_text()
    assert not LONE.search(text) and "U+DC" not in text
    assert "99 82" in text and "F0" in seen(side)


def test_special_tokens_have_names(ready: App) -> None:
    ready.switch("parse-special", on=True)
    side = explain(ready, "Hi<|endoftext|>")
    special = side.locator(".result .special")
    expect(special).to_contain_text("<|endoftext|>")
    assert ids(side) == [17250, 50256]
    assert "<|endoftext|>" in seen(side)


def test_the_word_is_kept_and_the_model_may_change(ready: App) -> None:
    side = explain(ready, "unusually")
    expect(side.locator("h3")).to_have_text("GPT-2 · byte-pair encoding")
    ready.use("mistral-v1")
    expect(side.locator("h3")).to_have_text("Mistral v1 · SentencePiece")
    ready.page.reload()
    ready.wait("ready")
    expect(ready.page.locator(".lesson h3")).to_have_text(["Mistral v1 · SentencePiece"])
    assert ready.page.locator("#word").input_value() == "unusually"
    assert ready.page.locator("#text").input_value().startswith("Tokens are")  # it is not the text


def test_a_long_word_has_its_limits(ready: App) -> None:
    side = explain(ready, "x" * 150)
    side.get_by_text("too long to draw").wait_for()
    assert (
        sum(len(text.split("\n")[0]) for text in side.locator(".result li").all_inner_texts())
        == 150
    )
    assert side.locator("svg").count() == 0
    side = explain(ready, "")
    expect(side.locator("output")).to_have_text("0")
    expect(ready.page.locator("#transport")).to_be_hidden()


def test_a_hostile_word_is_text(ready: App) -> None:
    side = explain(ready, "<img src=x onerror=alert(1)>", rival="mistral-v1")
    side.locator(".result li", has_text="alert").first.wait_for()
    assert ready.page.locator("#view-explain img").count() == 0


def test_a_rival_that_cannot_be_loaded_leaves_one_side(ready: App) -> None:
    ready.page.route("**/mistral-v1.gguf", lambda route: route.abort())
    open_view(ready, "explain")
    expect(ready.page.locator(".lesson h3")).to_have_text(["GPT-2 · byte-pair encoding"])
    expect(ready.page.locator("#alert")).to_be_visible()


class TestPhone:
    @pytest.fixture
    def context_options(self) -> dict[str, object]:
        return {"viewport": {"width": 390, "height": 844}, "reduced_motion": "reduce"}

    def test_the_picture_scrolls_in_its_card(self, ready: App) -> None:
        side = explain(ready, "antidisestablishment", rival="mistral-v1")
        expect(ready.page.locator(".lesson")).to_have_count(2)
        stage = side.locator(".picture")
        assert stage.evaluate("s => s.scrollWidth > s.clientWidth")
        expect(stage).to_have_attribute("tabindex", "0")
        assert ready.page.evaluate("document.documentElement.scrollWidth") <= 390
        ready.page.keyboard.press("Escape")
        assert (
            side.locator("svg rect").first.evaluate("r => getComputedStyle(r).transitionDuration")
            == "0s"
        )
