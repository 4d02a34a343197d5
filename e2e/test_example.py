"""The example page for client.js, as it is served: an address, a file, a buffer."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Locator

from e2e.app import App
from tests.reference import SAMPLES

USE = """async (address) => {
    const { use } = await import("./example.js");
    await use(await (await fetch(address)).arrayBuffer());
}"""


def opened(app: App) -> Locator:
    app.page.goto(f"{app.site}example.html")
    said = app.page.locator("#tokens")
    said.filter(has_text="2 tokens: 15496 995").wait_for()  # of the address that it begins with
    return said


def test_an_address_then_typing(app: App) -> None:
    said = opened(app)
    app.page.locator("#text").fill("Hello world!")
    said.filter(has_text="3 tokens: 15496 995 0").wait_for()


def test_a_file(app: App) -> None:
    said = opened(app)
    app.page.locator("#file").set_input_files(SAMPLES / "mistral-v1.gguf")
    said.filter(has_text="3 tokens: 1 22557 1526").wait_for()


def test_a_buffer(app: App) -> None:
    said = opened(app)
    app.page.evaluate(USE, "samples/bert-bge.gguf")
    assert said.inner_text() == "4 tokens: 101 7592 2088 102"


def test_a_file_that_is_no_model_is_said(app: App, tmp_path: Path) -> None:
    said = opened(app)
    (tmp_path / "page.gguf").write_text("<!doctype html>")
    app.page.locator("#file").set_input_files(tmp_path / "page.gguf")
    said.filter(has_text="HTML").wait_for()


def test_it_is_short() -> None:
    script = (SAMPLES.parent / "example.js").read_text(encoding="utf8")
    code = [line for line in script.splitlines() if line and not line.startswith(("//", "/**"))]
    assert len(code) <= 22
