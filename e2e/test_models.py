"""Models: built-in ones, files of one's own, and files that are none."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from e2e.app import App
from e2e.browsers import chromium_only
from e2e.reference import KEYS, rows
from tests.gguf_writer import STRING, Entry, write
from tests.reference import SAMPLES, vocab_path, vocabs

GPT2 = SAMPLES / "gpt-2.gguf"
COUNT_READS = """
    window.reads = [];
    const slice = Blob.prototype.slice;
    Blob.prototype.slice = function (...range) {
        const part = slice.apply(this, range);
        window.reads.push(part.size);
        return part;
    };
    const whole = File.prototype.arrayBuffer;
    File.prototype.arrayBuffer = function () {
        if (this instanceof File) window.reads.push(this.size);
        return whole.apply(this);
    };
"""
DROP = """async ([name, address]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([await (await fetch(address)).arrayBuffer()], name));
    const options = {dataTransfer: transfer, bubbles: true, cancelable: true};
    document.body.dispatchEvent(new DragEvent("dragover", options));
    document.body.dispatchEvent(new DragEvent("drop", options));
}"""


@pytest.mark.parametrize("name", vocabs("gpt-2", "mistral-v1", "llama-bpe", "gemma-4"))
def test_a_file_gives_the_ids_of_llama_cpp(ready: App, name: str) -> None:
    path = vocab_path(name)
    ready.choose_file(path)
    assert ready.model() == path.name
    for row in rows(name)[::12]:
        if "\r" in row["text"] or len(row["text"]) > 2000:
            continue  # a text box makes \n of \r; a long text is not drawn whole
        ready.type(row["text"])
        for key, add, parse in KEYS:
            ready.switch("add-special", add)
            ready.switch("parse-special", parse)
            assert ready.ids() == row[key], (key, row["text"])
            assert ready.count() == len(row[key])


def test_a_file_of_ollama_has_no_extension(ready: App, tmp_path: Path) -> None:
    assert ready.page.locator("#model-file").get_attribute("accept") is None
    blob = tmp_path / ("sha256-" + "0a" * 32)
    shutil.copyfile(SAMPLES / "mistral-v1.gguf", blob)
    ready.choose_file(blob)
    assert ready.model() == blob.name
    ready.page.locator("#chip", has_text="SPM").wait_for()


def test_a_dropped_file_is_loaded(ready: App) -> None:
    ready.page.evaluate(DROP, ["mine.gguf", "samples/mistral-v1.gguf"])
    ready.page.locator("#chip", has_text="SPM").wait_for()
    ready.wait("ready")
    assert ready.model() == "mine.gguf"


def test_only_the_head_of_a_huge_file_is_read(app: App, tmp_path: Path) -> None:
    huge = tmp_path / "huge.gguf"
    shutil.copyfile(GPT2, huge)
    os.truncate(huge, 6 << 30)
    app.page.add_init_script(COUNT_READS)
    app.open()
    app.wait("ready")
    app.choose_file(huge)
    app.type("Hello world")
    assert app.ids() == [15496, 995]
    reads = app.page.evaluate("window.reads")
    assert reads and max(reads) < 64 << 20


PRE = b"tokenizer.ggml.pre\x08\0\0\0\x05\0\0\0\0\0\0\0"
DATA = GPT2.read_bytes()
BROKEN = {  # name: content, and a word that the message must have
    "cut.gguf": (DATA[: len(DATA) // 2], "end"),
    "empty.gguf": (b"", "empty"),
    "page.gguf": (b"<!doctype html><title>404</title>", "HTML"),
    "checkpoint.gguf": (b"PK\x03\x04" + bytes(64), "PyTorch"),
    "unknown-pre.gguf": (DATA.replace(PRE + b"gpt-2", PRE + b"gpq-2"), "gpq-2"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_that_is_no_use_is_explained(ready: App, tmp_path: Path, name: str) -> None:
    content, word = BROKEN[name]
    (tmp_path / name).write_bytes(content)
    ready.choose_file(tmp_path / name, "error")
    assert name in ready.alert() and word in ready.alert()
    assert ready.model() == "GPT-2"
    ready.type("Hello world")
    assert ready.ids() == [15496, 995]


def test_two_files_of_one_name_are_two(ready: App) -> None:
    family = ready.page.locator("#chip")
    ready.page.evaluate(DROP, ["model.gguf", "samples/mistral-v1.gguf"])
    family.filter(has_text="SPM").wait_for()
    ready.page.evaluate(DROP, ["model.gguf", "samples/bert-bge.gguf"])
    family.filter(has_text="WPM").wait_for()
    assert ready.model() == "model.gguf (2)"
    ready.use("model.gguf")
    family.filter(has_text="SPM").wait_for()
    ready.wait("ready")
    ready.type("Hi")
    ready.page.goto(f"{ready.site}#compare")
    column = ready.page.locator("#compare .column").nth(1)
    column.locator(".which").select_option(label="model.gguf (2)")
    column.locator("[data-id='101']").wait_for()
    assert ready.page.locator("#compare .column").first.locator("[data-id='1']").count() == 1


@chromium_only("Firefox has no picker but that of an input")
def test_a_picker_that_is_not_allowed_is_said(ready: App) -> None:
    ready.page.evaluate(
        """() => {
            const refused = new DOMException("It is not allowed here.", "SecurityError");
            window.showOpenFilePicker = () => Promise.reject(refused);
            document.getElementById("model-file").click();
        }"""
    )
    ready.wait("error")
    assert "not allowed here" in ready.alert()


def test_a_file_without_vocabulary_leaves_no_tokens_of_another(ready: App, tmp_path: Path) -> None:
    path = tmp_path / "none.gguf"
    path.write_bytes(write([Entry("tokenizer.ggml.model", STRING, "none")]))
    ready.choose_file(path, "error")
    assert "no vocabulary" in ready.alert()
    assert ready.ids() == []
    assert ready.page.locator("#count").inner_text() == "–"
