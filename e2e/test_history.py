"""Nothing is lost: undo and redo, reload, Back and Forward, links that tell the truth."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlencode

import pytest

from e2e.app import App
from e2e.looks import open_view
from e2e.test_models import DROP
from tests.reference import SAMPLES


def text(app: App) -> str:
    return app.page.locator("#text").input_value()


def example(app: App, name: str) -> None:
    app.page.locator("#samples").get_by_role("button", name=name).click()
    app.wait("ready")


def test_ctrl_z_after_an_example_gives_the_own_text_back(ready: App) -> None:
    box = ready.page.locator("#text")
    box.fill("my own words")
    example(ready, "Code")
    example(ready, "Emoji")
    code = "def fib"
    box.press("Control+z")
    assert text(ready).startswith(code)
    box.press("Control+z")
    assert text(ready) == "my own words"
    ready.wait("ready")
    assert ready.tokens()[-1].end == len("my own words")
    box.press("Control+Shift+z")
    assert text(ready).startswith(code)
    box.press("Control+y")
    assert text(ready).startswith("🙂")
    assert ready.page.locator("#redo-text").is_disabled()
    for _ in range(2):
        ready.page.locator("#undo-text").click()
    assert text(ready) == "my own words"
    ready.page.locator("#redo-text").click()
    assert text(ready).startswith(code)


def test_typing_is_undone_word_by_word(ready: App) -> None:
    box = ready.page.locator("#text")
    box.fill("")
    box.press_sequentially("one two")
    box.press("Control+z")
    assert text(ready) == "one "
    box.press("Control+z")
    assert text(ready) == ""


def test_a_megabyte_is_undone_at_once(ready: App) -> None:
    ready.page.locator("#text").fill("before")
    ready.type("a line of text\n" * 70_000)
    milliseconds = ready.page.evaluate(
        """async () => {
            const began = performance.now();
            document.querySelector("#undo-text").click();
            return performance.now() - began;
        }"""
    )
    assert text(ready) == "before" and milliseconds < 500


def test_a_reload_keeps_what_was_there(ready: App) -> None:
    ready.use("mistral-v1")
    ready.page.locator("#chip", has_text="SPM").wait_for()
    ready.type("my own words")
    ready.page.locator("#context").fill("123")
    open_view(ready, "compare")
    ready.page.locator("#compare .column").nth(1).locator(".tokens [data-id]").first.wait_for()
    ready.page.locator("#add-column").click()
    third = ready.page.locator("#compare .column").nth(2)
    third.locator(".tokens [data-id]").first.wait_for()
    third.locator(".which").select_option("rwkv")
    third.locator(".tokens [data-id]").first.wait_for()
    open_view(ready, "chat")
    ready.page.locator("#messages textarea").first.fill("Hello there")
    ready.page.locator("#messages select").first.select_option("system")
    ready.page.reload()
    ready.wait("ready")
    assert ready.page.locator("#view-chat").is_visible()
    assert ready.page.locator("#messages textarea").first.input_value() == "Hello there"
    assert ready.page.locator("#messages select").first.input_value() == "system"
    assert ready.model() == "Mistral v1"
    open_view(ready, "see")
    assert text(ready) == "my own words"
    assert ready.page.locator("#context").input_value() == "123"
    open_view(ready, "compare")
    columns = ready.page.locator("#compare .which")
    columns.nth(2).wait_for()
    assert columns.nth(2).input_value() == "rwkv"


def test_a_megabyte_survives_a_reload(ready: App) -> None:
    long = "a line of text\n" * 70_000
    ready.type(long)
    ready.page.reload()
    ready.wait("ready")
    ready.page.locator("#lengths", has_text=f"{len(long):,} characters").wait_for()


def test_back_and_forward_go_through_views_and_models(ready: App) -> None:
    open_view(ready, "model")
    ready.use("mistral-v1")
    ready.page.locator("#chip", has_text="SPM").wait_for()
    open_view(ready, "vocab")
    ready.page.go_back()
    ready.page.locator("#view-model").wait_for()
    assert ready.model() == "Mistral v1"
    ready.page.go_back()
    ready.page.locator("#chip", has_text="BPE").wait_for()
    assert ready.page.locator("#view-model").is_visible()
    ready.page.go_back()
    ready.page.locator("#view-see").wait_for()
    ready.page.go_forward()
    ready.page.go_forward()
    ready.page.locator("#chip", has_text="SPM").wait_for()
    assert ready.page.locator("#view-model").is_visible()


def test_the_address_never_says_what_the_page_does_not_show(ready: App) -> None:
    ready.page.goto(f"{ready.site}?1#see?" + urlencode({"text": "from a link", "model": "t5"}))
    ready.page.locator("#chip", has_text="UGM").wait_for()
    ready.wait("ready")
    assert text(ready) == "from a link" and "text=" in ready.page.url
    ready.page.locator("#text").press("End")
    ready.page.locator("#text").press("!")
    ready.wait("ready")
    assert ready.page.url.endswith("#see")


def test_a_link_that_is_followed_in_the_page_can_be_undone(ready: App) -> None:
    ready.page.locator("#text").fill("my own words")
    ready.wait("ready")
    ready.page.goto(f"{ready.site}#see?" + urlencode({"text": "from a link"}))
    ready.page.locator("#lengths", has_text="11 characters").wait_for()
    ready.page.locator("#undo-text").click()
    assert text(ready) == "my own words"


class TestLinks:
    @pytest.fixture
    def context_options(self) -> dict[str, object]:
        return {"permissions": ["clipboard-read", "clipboard-write"]}

    def link(self, app: App) -> str:
        app.page.locator("#copy-link").click()
        app.page.locator("#copy-link", has_text="Copied").wait_for()
        return str(app.page.evaluate("navigator.clipboard.readText()"))

    def elsewhere(self, app: App, link: str) -> None:
        app.page.evaluate("localStorage.clear(); sessionStorage.clear()")
        app.page.goto("about:blank")
        app.page.goto(link)

    def test_a_link_with_a_local_file_asks_for_it(self, ready: App, tmp_path: Path) -> None:
        ready.page.evaluate(DROP, ["mine.gguf", "samples/mistral-v1.gguf"])
        ready.page.locator("#chip", has_text="SPM").wait_for()
        ready.type("Hi")
        ids = ready.ids()
        self.elsewhere(ready, self.link(ready))
        asks = ready.page.locator("#missing")
        asks.filter(has_text="mine.gguf").wait_for()
        ready.wait("waiting")
        assert ready.ids() == [] and ready.page.locator("#count").inner_text() == "–"
        path = tmp_path / "mine.gguf"
        path.write_bytes((SAMPLES / "mistral-v1.gguf").read_bytes())
        ready.choose_file(path)
        assert ready.ids() == ids
        assert not asks.is_visible()

    def test_another_model_can_be_chosen_instead(self, ready: App) -> None:
        self.elsewhere(ready, f"{ready.site}#see?" + urlencode({"text": "Hi", "file": "x.gguf"}))
        ready.page.locator("#missing-other").click()
        ready.page.locator("#chooser [data-key=gpt-2]").click()
        ready.wait("ready")
        assert ready.count() == 1 and not ready.page.locator("#missing").is_visible()

    def test_the_pre_tokenizer_is_in_the_link(self, ready: App) -> None:
        open_view(ready, "model")
        ready.page.locator("#any-pre option[value=llama-bpe]").wait_for(state="attached")
        ready.page.locator("#any-pre").select_option("llama-bpe")
        ready.page.locator("#repre button").click()
        ready.page.locator("#chip", has_text="llama-bpe instead of gpt-2").wait_for()
        open_view(ready, "see")
        ready.type("1234567")
        ids = ready.ids()
        self.elsewhere(ready, self.link(ready))
        ready.page.locator("#chip", has_text="llama-bpe instead of gpt-2").wait_for()
        ready.wait("ready")
        assert ready.ids() == ids

    def test_the_columns_of_compare_are_in_the_link(self, ready: App) -> None:
        open_view(ready, "compare")
        columns = ready.page.locator("#compare .which")
        columns.nth(1).select_option("rwkv")
        ready.page.locator("#copy-link").click()
        ready.page.locator("#copy-link", has_text="Copied").wait_for()
        self.elsewhere(ready, str(ready.page.evaluate("navigator.clipboard.readText()")))
        columns.nth(1).wait_for()
        assert [columns.nth(i).input_value() for i in (0, 1)] == ["gpt-2", "rwkv"]
