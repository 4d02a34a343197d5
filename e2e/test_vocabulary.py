"""The Vocabulary and Model views, copying, and ids to text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from e2e.app import App
from e2e.looks import open_view
from e2e.test_models import DATA, PRE
from tests.gguf_writer import STRING, Entry, write


@pytest.fixture
def context_options() -> dict[str, object]:
    return {
        "viewport": {"width": 1280, "height": 800},
        "permissions": ["clipboard-read", "clipboard-write"],
    }


def first_row(app: App) -> str:
    return app.page.locator("#found-rows tr").first.inner_text()


def test_search_by_text_id_and_kind(ready: App) -> None:
    open_view(ready, "vocab")
    found = ready.page.locator("#found")
    found.filter(has_text="1–100 of 50,257").wait_for()
    ready.page.locator("#query").fill(" world")
    found.filter(has_text="of 9").wait_for()
    assert "995" in first_row(ready) and "20 77 6F 72 6C 64" in first_row(ready)
    ready.page.locator("#query").fill("50256")
    found.filter(has_text="of 1").wait_for()
    assert "<|endoftext|>" in first_row(ready)
    ready.page.locator("#query").fill("")
    ready.page.locator("#kind").select_option("eog")
    found.filter(has_text="1–1 of 1").wait_for()


def test_pages(ready: App) -> None:
    open_view(ready, "vocab")
    ready.page.locator("#found", has_text="1–100").wait_for()
    assert ready.page.locator("#previous").is_disabled()
    ready.page.locator("#next").click()
    ready.page.locator("#found", has_text="101–200").wait_for()
    assert first_row(ready).startswith("100")
    ready.page.locator("#previous").click()
    ready.page.locator("#found", has_text="1–100").wait_for()


def test_ids_to_text(ready: App) -> None:
    open_view(ready, "vocab")
    ready.page.locator("#ids").fill("[15496, 995, 50256]")
    ready.page.locator("#decoded", has_text="Hello world<|endoftext|>").wait_for()
    ready.page.locator("#unparse").uncheck()
    ready.page.locator("#decoded", has_text="Hello world").wait_for()
    ready.page.locator("#ids").fill("99999999999")
    ready.page.locator("#decoded", has_text="is not a token id").wait_for()
    ready.page.locator("#ids").fill("15496 995")
    ready.page.locator("#decoded", has_text="Hello world").wait_for()
    ready.page.locator("#use-decoded").click()
    open_view(ready, "see")
    ready.wait("ready")
    assert ready.ids() == [15496, 995]


def copied(app: App, form: str) -> str:
    app.page.locator("#copy-as").select_option(form)
    app.page.locator("#copy").click()
    label = app.page.locator("#copy-as option:checked").inner_text()
    app.page.locator("#status", has_text=f"Copied: {label}").wait_for()
    return str(app.page.evaluate("navigator.clipboard.readText()"))


def test_copy(ready: App) -> None:
    ready.type("Hello 好's")
    ids = ready.ids()
    assert json.loads(copied(ready, "list")) == ids
    rows = json.loads(copied(ready, "json"))
    assert [row["id"] for row in rows] == ids
    assert rows[0] == {"id": 15496, "piece": "Hello", "start": 0, "end": 5}
    assert rows[1] == {"id": ids[1], "piece": [0x20, 0xE5], "start": 5, "end": 7}
    assert (rows[-1]["start"], rows[-1]["end"]) == (7, 9)
    lines = copied(ready, "csv").split("\r\n")
    assert lines[:2] == ["id,piece,start,end", '15496,"Hello",0,5'] and len(lines) == len(ids) + 1
    assert copied(ready, "cli").startswith("llama-tokenize -m gpt-2.gguf --ids --no-parse-special")
    assert """-p 'Hello 好'\\''s'""" in copied(ready, "cli")
    assert '"content":"Hello 好' in copied(ready, "server")
    assert "add_special=True, parse_special=False" in copied(ready, "python")


def test_the_model_view_says_why(ready: App) -> None:
    open_view(ready, "model")
    view = ready.page.locator("#view-model")
    view.filter(has_text="tokenizer.ggml.model is “gpt2”").wait_for()
    said = view.inner_text()
    for part in ("50,257", "50,000", "1,024", "<|endoftext|>", "The file has none."):
        assert part in said
    ready.page.locator("#any-pre").select_option("llama-bpe")
    view.get_by_role("button", name="Load").click()
    view.filter(has_text="“gpt-2”, but “llama-bpe” is used").wait_for()


def test_an_unknown_pre_tokenizer_offers_a_choice(ready: App, tmp_path: Path) -> None:
    path = tmp_path / "unknown-pre.gguf"
    path.write_bytes(DATA.replace(PRE + b"gpt-2", PRE + b"gpq-2"))
    ready.choose_file(path, "error")
    choice = ready.page.locator("#other-pre")
    choice.locator("option[value=viking]").wait_for(state="attached")
    assert choice.input_value() == "gpt-2"  # the nearest name
    ready.page.locator("#choose-pre button").click()
    ready.wait("ready")
    assert ready.model() == path.name
    ready.type("Hello world")
    assert ready.ids() == [15496, 995]


@pytest.mark.parametrize("word", ["adapter", "mmproj"])
def test_files_that_are_no_language_models_are_named(ready: App, tmp_path: Path, word: str) -> None:
    path = tmp_path / f"{word}.gguf"
    path.write_bytes(write([Entry("general.type", STRING, word)]))
    ready.choose_file(path, "error")
    assert "it has no tokenizer" in ready.page.locator("body").inner_text()


def test_ways_to_search_and_what_matches(ready: App) -> None:
    open_view(ready, "vocab")
    found = ready.page.locator("#found")
    ready.page.locator("#how").select_option("exact")
    ready.page.locator("#query").fill(" world")
    found.filter(has_text="of 3").wait_for()
    assert ready.page.locator("#found-rows mark").first.inner_text() == "Ġworld"
    ready.page.locator("#how").select_option("regex")
    ready.page.locator("#query").fill("([")
    found.filter(has_text="not valid").wait_for()
    ready.page.locator("#query").fill("^[0-9]{3}$")
    found.filter(has_text="1–100 of").wait_for()
    ready.page.locator("#found-rows button").first.click()
    ready.page.locator("#vocab-card dl", has_text="normal").wait_for()


def test_what_is_not_an_id_is_named(ready: App) -> None:
    open_view(ready, "vocab")
    decoded = ready.page.locator("#decoded")
    ready.page.locator("#ids").fill("15496 0x3C88")
    decoded.filter(has_text="“0x3C88” is not a token id").wait_for()
    assert ready.page.locator("#use-decoded").is_disabled()
    ready.page.locator("#ids").fill("array([15496, 995], dtype=int32)")
    decoded.filter(has_text="Hello world").wait_for()


def test_a_token_leads_on(ready: App) -> None:
    ready.type("Hello world")
    ready.page.locator("#tokens [data-id='995']").click()
    ready.page.get_by_role("button", name="Find in vocabulary").click()
    ready.page.locator("#found-rows tr", has_text="995").first.wait_for()
    ready.page.go_back()  # where it is still pinned
    ready.page.get_by_role("button", name="Why this split?").click()
    ready.page.locator("#view-explain").wait_for()
