"""The Files view: text files counted by workers, and texts split into parts."""

from __future__ import annotations

import base64
import csv
import io
import os
import time
import zipfile
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from playwright.sync_api import Locator

from e2e.app import App
from e2e.browsers import BROWSER
from e2e.looks import open_view
from pyodide_tok import Tokenizer
from tests.reference import SAMPLES

LINE = "The quick brown fox, 1234 times: naïve café, 你好 🙂.\n"
SLOW_READS = """(name) => {  // the first read of a file of that name waits for window.release()
    const { slice } = Blob.prototype;
    Blob.prototype.slice = function (...range) {
        const part = slice.apply(this, range);
        if (this.name !== name || window.release) return part;
        const released = new Promise((resolve) => (window.release = resolve));
        return { arrayBuffer: () => released.then(() => part.arrayBuffer()) };
    };
}"""
UNTIL_HELD = """async () => {
    while (!window.release) await new Promise((done) => setTimeout(done, 20));
}"""
SLOW_SPLIT = """(nth) => {  // that read of a file waits; the first then fails
    const { slice } = Blob.prototype;
    let reads = 0;
    Blob.prototype.slice = function (...range) {
        const part = slice.apply(this, range);
        if (this.name !== "slow.txt" || ++reads !== nth) return part;
        const released = new Promise((resolve) => (window.release = resolve));
        const gone = () => Promise.reject(new DOMException("gone", "NotReadableError"));
        return { arrayBuffer: () => released.then(nth === 1 ? gone : () => part.arrayBuffer()) };
    };
}"""
WORST_GAP = """async () => {  // milliseconds between two frames
    let [worst, last] = [0, performance.now()];
    const until = last + 1500;
    while (last < until) {
        await new Promise(requestAnimationFrame);
        worst = Math.max(worst, performance.now() - last);
        last = performance.now();
    }
    return worst;
}"""
SAVING = """() => {  // notes what is to be saved: Playwright is not told of it by Firefox
    window.saved = [];
    const { createObjectURL } = URL;
    URL.createObjectURL = (blob) => (window.saved.push(blob), createObjectURL(blob));
}"""
SAVED = """async () => {
    while (!window.saved.length) await new Promise((done) => setTimeout(done, 20));
    return new Uint8Array(await window.saved[0].arrayBuffer()).toBase64();
}"""
DROP = """async (dropped) => {
    const transfer = new DataTransfer();
    for (const { name, address, text } of dropped) {
        const content = address ? await (await fetch(address)).arrayBuffer() : text;
        transfer.items.add(new File([content], name));
    }
    const options = { dataTransfer: transfer, bubbles: true, cancelable: true };
    document.body.dispatchEvent(new DragEvent("dragover", options));
    document.body.dispatchEvent(new DragEvent("drop", options));
}"""


@pytest.fixture
def context_options() -> dict[str, Any]:
    return {
        "viewport": {"width": 1280, "height": 800},
        "permissions": ["clipboard-read", "clipboard-write"],
    }


@pytest.fixture(scope="module")
def gpt2() -> Tokenizer:
    return Tokenizer.from_gguf(SAMPLES / "gpt-2.gguf")


def choose(app: App, *paths: Path) -> None:
    open_view(app, "files")
    app.page.locator("#text-files").set_input_files(list(paths))


def slow(path: Path, words: int) -> Path:
    """A file that takes its time, for no word comes twice."""
    return write(path, "\n".join(f"{n * 48271 % 2147483647:x}" for n in range(words)).encode())


def row(app: App, name: str, state: str = "done", seconds: float = 60) -> list[str]:
    """The cells of a file's row, once it is in that state."""
    found = app.page.locator(f"#file-rows tr[data-state={state}]", has_text=name)
    found.wait_for(timeout=seconds * 1000)
    return found.locator("th, td").all_inner_texts()


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def test_files_are_counted_each_and_in_total(ready: App, tmp_path: Path, gpt2: Tokenizer) -> None:
    paths = [write(tmp_path / f"{n}.txt", (LINE * n).encode()) for n in (1, 30_000, 7)]
    choose(ready, *paths)
    total = 0
    for path in paths:
        text = path.read_text()
        tokens = gpt2.count(text)
        total += tokens
        cells = row(ready, path.name)
        ratio = f"{len(text) / tokens:.2f}"
        assert cells[2:] == [f"{tokens:,}", f"{len(text):,}", ratio, "done"]
        size = ready.page.get_by_role("row", name=path.name).locator("td").first
        assert size.get_attribute("title") == f"{path.stat().st_size:,} bytes"
    ready.page.locator("#files-total", has_text="3 of 3 counted").wait_for()
    assert ready.page.locator("#file-sum td").nth(1).inner_text() == f"{total:,}"
    ready.page.locator("#files-copy").click()
    ready.page.locator("#status", has_text="Copied").wait_for()
    copied = ready.page.evaluate("navigator.clipboard.readText()")
    rows = list(csv.DictReader(io.StringIO(copied)))
    assert [r["file"] for r in rows] == [path.name for path in paths]
    assert sum(int(r["tokens"]) for r in rows) == total


def test_another_model_counts_again(ready: App, tmp_path: Path) -> None:
    choose(ready, write(tmp_path / "a.txt", b"Hello 1234 world"))
    assert row(ready, "a.txt")[2] == "4"
    ready.use("mistral-v1")
    ready.page.locator("#files-again").click()
    ready.page.locator("#file-rows td:nth-child(3)", has_text="8").wait_for()
    assert not ready.page.locator("#files-again").is_visible()


def test_a_large_file_in_steps_while_the_page_answers(ready: App, tmp_path: Path) -> None:
    choose(ready, slow(tmp_path / "large.txt", 5_000_000))
    row(ready, "%", "counting")
    ready.page.locator("#files-progress").wait_for()
    # Another test may hold up the machine now and then; what holds up the page does so each time.
    assert any(ready.page.evaluate(WORST_GAP) < 500 for _ in range(3))
    ready.type("Hello world")
    assert ready.count() == 2
    began = time.monotonic()
    ready.page.locator("#files-stop").click()
    row(ready, "large.txt", "stopped")
    assert time.monotonic() - began < 1
    ready.page.locator("#files-again").click()
    row(ready, "%", "counting")
    ready.page.locator("#files-clear").click()
    assert ready.page.locator("#file-rows tr").count() == 0


def test_what_is_not_utf8_is_counted_by_its_bytes(
    ready: App, tmp_path: Path, gpt2: Tokenizer
) -> None:
    data = "naïve café\n".encode("latin-1")
    choose(ready, write(tmp_path / "latin.txt", data), write(tmp_path / "empty.txt", b""))
    cells = row(ready, "latin.txt")
    assert cells[2] == str(gpt2.count(data)) and "not UTF-8" in cells[5]
    assert row(ready, "empty.txt")[1:4] == ["0 bytes", "0", "0"]


def test_a_file_that_is_too_large_is_said(ready: App, tmp_path: Path) -> None:
    path = write(tmp_path / "huge.txt", b"a")
    os.truncate(path, 3_000_000_000)
    choose(ready, path)
    cells = row(ready, "huge.txt", "refused")
    assert cells[1] == "3.0 GB" and "over 100 MB" in cells[5]


def test_a_file_that_changes_while_it_is_read_is_said(ready: App, tmp_path: Path) -> None:
    path = slow(tmp_path / "log.txt", 1_000_000)
    choose(ready, path)
    row(ready, "%", "counting")
    path.unlink()
    assert "moved, changed or removed" in row(ready, "log.txt", "failed")[5]


def test_a_tokenizer_that_reads_texts_whole_says_where_it_ends(ready: App, tmp_path: Path) -> None:
    ready.choose_file(SAMPLES / "t5.gguf")
    large = write(tmp_path / "large.txt", LINE.encode() * 300_000)
    choose(ready, write(tmp_path / "small.txt", LINE.encode()), large)
    t5 = Tokenizer.from_gguf(SAMPLES / "t5.gguf")
    assert row(ready, "small.txt")[2] == str(t5.count(LINE))
    assert "as a whole" in row(ready, "large.txt", "failed")[5]


def test_a_byte_that_is_not_utf8_does_not_fill_the_memory(ready: App, tmp_path: Path) -> None:
    ready.use("mistral-v1")
    ready.wait("ready")
    path = write(tmp_path / "large.txt", b"\xff" + b"a line of text\n" * 1_300_000)
    choose(ready, path)
    assert "as a whole" in row(ready, path.name, "failed")[5]


def test_files_after_stop_are_counted(ready: App, tmp_path: Path) -> None:
    """Even if a worker that was stopped is still waiting for a slow disk."""
    ready.page.evaluate(SLOW_READS, "slow.txt")
    choose(ready, write(tmp_path / "slow.txt", b"Hello"), write(tmp_path / "other.txt", b"Hello"))
    row(ready, "other.txt")
    ready.page.evaluate(UNTIL_HELD)
    ready.page.locator("#files-stop").click()
    choose(ready, write(tmp_path / "new.txt", b"Hello world"))
    ready.page.evaluate("window.release()")
    assert row(ready, "new.txt")[2] == "2"
    row(ready, "slow.txt", "stopped")
    ready.page.locator("#status", has_text="2 counted with gpt-2").wait_for()


def test_a_model_of_the_same_name_counts_again(ready: App) -> None:
    ready.page.evaluate(DROP, [{"name": "model.gguf", "address": "samples/gpt-2.gguf"}])
    ready.page.locator("#chip-name", has_text="model.gguf").wait_for()
    ready.wait("ready")
    ready.page.evaluate(DROP, [{"name": "a.txt", "text": "Hello 1234 world"}])
    assert row(ready, "a.txt")[2] == "4"
    ready.page.evaluate(DROP, [{"name": "model.gguf", "address": "samples/mistral-v1.gguf"}])
    ready.page.locator("#files-again").click()
    ready.page.locator("#file-rows td:nth-child(3)", has_text="8").wait_for()


def test_texts_that_are_dropped_open_the_view(ready: App) -> None:
    texts = [{"name": "a.txt", "text": "Hello world"}, {"name": "b.md", "text": "Hello"}]
    ready.page.evaluate(DROP, texts)
    ready.page.locator("#view-files").wait_for()
    assert row(ready, "a.txt")[2] == "2" and row(ready, "b.md")[2] == "1"


def test_a_model_is_told_by_its_first_bytes(ready: App) -> None:
    dropped = [
        {"name": "weights.dat", "address": "samples/mistral-v1.gguf"},
        {"name": "a.txt", "text": "Hello 1234 world"},
    ]
    ready.page.evaluate(DROP, dropped)
    assert row(ready, "a.txt")[2] == "8"
    assert ready.model() == "weights.dat"


def test_several_models_at_once_are_too_many(ready: App) -> None:
    models = [{"name": f"{n}.gguf", "text": "GGUF"} for n in range(10)]
    ready.page.evaluate(DROP, models)
    ready.page.locator("#files-notes", has_text="10 models were dropped").wait_for()
    assert ready.model() == "GPT-2"


def test_a_folder_is_said(ready: App) -> None:
    ready.page.evaluate(
        """() => {
            const event = new Event("drop", { cancelable: true });
            const items = [{ kind: "file", webkitGetAsEntry: () => ({ isDirectory: true }) }];
            event.dataTransfer = { types: ["Files"], items, files: [new File([], "notes")] };
            dispatchEvent(event);
        }"""
    )
    ready.page.locator("#files-notes", has_text="“notes” is a folder").wait_for()


def parts(app: App, every: int) -> dict[str, bytes]:
    app.page.locator("#split-size").fill(str(every))
    with zipfile.ZipFile(saved(app, app.page.locator("#split-go"))) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def saved(app: App, button: Locator) -> Path | BinaryIO:
    """The file that a click saves; in Firefox what it would be made of."""
    if BROWSER == "firefox":
        app.page.evaluate(SAVING)
        button.click()
        return io.BytesIO(base64.b64decode(app.page.evaluate(SAVED)))
    with app.page.expect_download() as download:
        button.click()
    return Path(download.value.path())


def test_the_text_in_parts(ready: App, gpt2: Tokenizer) -> None:
    text = "One 🙂 two 👩‍🚀 three 你好.\n" * 20
    ready.type(text)
    open_view(ready, "files")
    found = parts(ready, 7)
    assert next(iter(found)) == f"text-{'1'.zfill(len(str(len(found) + 1)))}.txt"
    pieces = [part.decode() for part in found.values()]  # raises if a character was cut
    assert "".join(pieces) == text
    assert all(gpt2.count(piece) <= 8 for piece in pieces)
    said = ready.page.locator("#split-says")
    said.filter(has_text=f"{len(found)} parts of 7 tokens or fewer").wait_for()
    ready.page.locator("#split-size").fill("5000")
    ready.page.locator("#split-go").click()
    said.filter(has_text="nothing to split").wait_for()


def test_a_file_in_parts_keeps_its_bytes(ready: App, tmp_path: Path) -> None:
    data = "naïve café\r\n".encode("latin-1") * 40
    choose(ready, write(tmp_path / "latin.log", data))
    row(ready, "latin.log")
    ready.page.locator("#split-what").select_option(label="latin.log")
    found = parts(ready, 50)
    assert len(found) > 3 and b"".join(found.values()) == data
    assert all(name.startswith("latin-") and name.endswith(".log") for name in found)


def test_the_choice_of_what_is_split_stays(ready: App, tmp_path: Path) -> None:
    choose(ready, write(tmp_path / "a.txt", b"Hello"))
    choice = ready.page.locator("#split-what")
    choice.select_option(label="a.txt")
    choose(ready, write(tmp_path / "b.txt", b"Hello"))
    choice.locator("option", has_text="b.txt").wait_for(state="attached")
    assert choice.locator("option:checked").inner_text() == "a.txt"
    ready.page.locator("#files-clear").click()
    assert choice.locator("option").all_inner_texts() == ["the text"]
    assert choice.locator("option:checked").inner_text() == "the text"


@pytest.mark.parametrize("reading", [1, 2], ids=["counting", "saving"])
def test_a_split_that_was_stopped_ends_nothing_else(
    ready: App, tmp_path: Path, reading: int
) -> None:
    """It may be at its slow file still, which then cannot be read, or could be saved."""
    path = write(tmp_path / "slow.txt", b"Hello world, how are you?")
    choose(ready, path)
    row(ready, "slow.txt")
    ready.page.evaluate(SLOW_SPLIT, reading)
    ready.page.evaluate(SAVING)
    ready.page.locator("#split-what").select_option(label="slow.txt")
    ready.page.locator("#split-size").fill("3")
    button = ready.page.locator("#split-go")
    button.click()
    ready.page.evaluate(UNTIL_HELD)
    button.click()
    ready.page.locator("#split-says", has_text="Stopped.").wait_for()
    ready.page.locator("#split-what").select_option(label="the text")
    ready.page.evaluate("() => (window.release(), new Promise((done) => setTimeout(done, 300)))")
    assert ready.page.locator("#split-says").inner_text() == "Stopped."
    assert button.inner_text() == "Download the parts"
    assert ready.page.evaluate("window.saved.length") == 0


def test_a_split_file_larger_than_what_is_read_at_once(ready: App, tmp_path: Path) -> None:
    data = b"a line of text, which is not long\n" * 900_000  # 30 MB
    choose(ready, write(tmp_path / "large.txt", data))
    ready.page.locator("#files-stop").click()
    ready.page.locator("#split-what").select_option(label="large.txt")
    ready.page.set_default_timeout(120_000)
    found = parts(ready, 5_000_000)
    assert len(found) == 2 and b"".join(found.values()) == data


def test_binary_files_are_refused_by_name_and_utf16_is_read(ready: App, tmp_path: Path) -> None:
    png = write(tmp_path / "photo.png", b"\x89PNG\r\n\x1a\n" + bytes(64))
    wide = write(tmp_path / "wide.txt", "Hello world".encode("utf-16"))
    choose(ready, png, wide)
    assert "a PNG image, not a text" in row(ready, "photo.png", "refused")[5]
    cells = row(ready, "wide.txt")
    assert cells[2:4] == ["2", "11"] and "UTF-16" in cells[5]


def test_the_table_sorts_by_each_column(ready: App, tmp_path: Path) -> None:
    sizes = {"b.txt": 2, "a.txt": 9, "c.txt": 5}
    choose(ready, *[write(tmp_path / name, b"word " * size) for name, size in sizes.items()])
    for name in sizes:
        row(ready, name)
    names = ready.page.locator("#file-rows th")
    ready.page.get_by_role("button", name="tokens", exact=True).click()
    assert names.all_inner_texts() == ["a.txt", "c.txt", "b.txt"]
    ready.page.get_by_role("button", name="tokens", exact=True).click()
    assert names.all_inner_texts() == ["b.txt", "c.txt", "a.txt"]
    ready.page.get_by_role("button", name="file", exact=True).click()
    assert names.all_inner_texts() == ["a.txt", "b.txt", "c.txt"]


def test_counts_of_another_model_are_marked_and_survive_a_reload(
    ready: App, tmp_path: Path
) -> None:
    choose(ready, write(tmp_path / "a.txt", b"Hello 1234 world"))
    row(ready, "a.txt")
    ready.use("mistral-v1")
    stale = ready.page.locator("#file-rows tr[data-stale]", has_text="counted with GPT-2")
    stale.wait_for()
    ready.page.reload()
    stale.wait_for()
    assert row(ready, "a.txt")[2] == "4"
