"""What can go wrong while the page runs: it says so, keeps the text, and needs no reload."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Route

from e2e.app import App
from e2e.browsers import BROWSER

SMALL_MEMORY = """
const grow = WebAssembly.Memory.prototype.grow;
WebAssembly.Memory.prototype.grow = function (pages) {
  if (this.buffer.byteLength + Number(pages) * 65536 > LIMIT) throw new RangeError("no memory");
  return grow.call(this, pages);
};
"""
TRAP = """
const trap = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0,
  7, 5, 1, 1, 116, 0, 0, 10, 5, 1, 3, 0, 0, 11,
]);
self.addEventListener("message", ({ data }) => {
  if (data.params?.text !== "crash") return;
  new WebAssembly.Instance(new WebAssembly.Module(trap)).exports.t();
});
"""
PASTE = """size => {
    const clipboardData = new DataTransfer();
    const line = "no two words 12345 are alike 你好\\n";
    clipboardData.setData("text/plain", line.repeat(size / line.length));
    const box = document.querySelector("#text");
    box.select();
    const event = new ClipboardEvent("paste", { bubbles: true, cancelable: true });
    Object.defineProperty(event, "clipboardData", { value: clipboardData }); // no option in Firefox
    box.dispatchEvent(event);
}"""


def with_worker(app: App, before: str) -> None:
    """Run the page with a worker that has some lines more at its beginning."""

    def answer(route: Route) -> None:
        response = route.fetch()
        route.fulfill(response=response, body=before + response.text())

    app.page.context.route("**/worker.js", answer)
    app.open()
    app.wait("ready")


def works(app: App) -> None:
    app.type("Hello world")
    assert app.ids() == [15496, 995]


def test_out_of_memory_is_said_and_passes(app: App) -> None:
    with_worker(app, SMALL_MEMORY.replace("LIMIT", str(120 << 20)))
    app.page.evaluate(PASTE, 16 << 20)
    app.wait("error", 120)
    assert "not enough memory" in app.alert()
    assert app.page.locator("#reader").is_visible()
    app.page.locator("#undo-text").click()
    app.wait("ready")
    works(app)
    assert not app.page.locator("#alert").is_visible()


def test_a_crash_is_said_and_the_text_is_kept(app: App) -> None:
    with_worker(app, TRAP)
    app.page.locator("#text").fill("crash")
    app.wait("error")
    assert "stopped working" in app.alert()
    assert app.page.locator("#text").input_value() == "crash"
    app.page.locator("#text").fill("Hello world")
    app.page.locator("#restart").click()
    app.wait("ready")
    assert app.ids() == [15496, 995]


@pytest.mark.parametrize("change", ["removed", "shortened", "changed"])
def test_a_file_that_changes_before_it_is_read(ready: App, tmp_path: Path, change: str) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF" + bytes(5 << 20))
    ready.page.evaluate(
        """document.querySelector("#model-file").addEventListener(
            "change", (event) => event.isTrusted && (event.stopImmediatePropagation(),
            window.later = event.target), { capture: true, once: true })"""
    )
    ready.page.locator("#model-file").set_input_files(path)
    if change == "removed":
        path.unlink()
    else:
        path.write_bytes(b"GGUF" if change == "shortened" else b"other" * (1 << 20))
    ready.page.evaluate("document.querySelector('#model-file').dispatchEvent(new Event('change'))")
    ready.wait("error")
    is_other = change == "changed" and BROWSER == "firefox"  # which reads the file as it is now
    assert ("not a GGUF file" if is_other else "or removed") in ready.alert()
    assert "model.gguf" in ready.alert()
    works(ready)


def test_the_newest_of_many_loads_is_shown(ready: App) -> None:
    for name in ["mistral-v1", "bert-bge", "t5", "rwkv", "gpt-2", "bert-bge"]:
        ready.use(name)
    ready.page.locator("#chip", has_text="WPM").wait_for()
    ready.wait("ready")
    ready.type("Hello world")
    assert ready.ids() == [101, 7592, 2088, 102]


@pytest.mark.parametrize("size", [4 << 20, 24 << 20])
def test_stop_works_within_a_second(ready: App, size: int) -> None:
    ready.page.evaluate(PASTE, size)
    ready.page.locator("#stop").wait_for(timeout=20_000)
    milliseconds = ready.page.evaluate(
        """() => new Promise((resolve) => {
            const began = performance.now();
            new MutationObserver((_, self) => {
                self.disconnect();
                resolve(performance.now() - began);
            }).observe(document.documentElement, { attributeFilter: ["data-state"] });
            document.querySelector("#stop").click();
        })"""
    )
    assert milliseconds < 1000
    ready.wait("ready")
    assert ready.page.locator("#reader").is_visible()
    ready.page.locator("#undo-text").click()
    works(ready)
