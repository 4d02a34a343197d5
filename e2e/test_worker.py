"""The worker: how it starts, how it dies, and the public client module."""

from __future__ import annotations

import gzip
from typing import Any

import pytest

from e2e.app import App
from e2e.reference import KEYS, rows
from tests.reference import SAMPLES

ENCODE_ALL = """async ([name, texts, switches]) => {
    const { createTokenizer } = await import("./client.js");
    const tok = await createTokenizer({ gguf: `samples/${name}.gguf` });
    const found = [];
    for (const text of texts)
        for (const [addSpecial, parseSpecial] of switches) {
            const options = { addSpecial, parseSpecial };
            const ids = await tok.encode(text, options);
            if (ids.length !== await tok.count(text, options)) throw new Error("count: " + text);
            found.push(Array.from(ids));
        }
    tok.dispose();
    return found;
}"""


@pytest.mark.parametrize("name", ["gpt-2", "mistral-v1"])
def test_the_client_module_gives_every_reference_row(ready: App, name: str) -> None:
    texts = rows(name)
    if not texts:
        pytest.skip("no reference answers here")
    switches = [(add, parse) for _, add, parse in KEYS]
    found = ready.page.evaluate(ENCODE_ALL, [name, [row["text"] for row in texts], switches])
    want = [row[key] for row in texts for key, _, _ in KEYS]
    assert found == want


def test_the_client_module_decodes_and_says_what_is_wrong(ready: App) -> None:
    said = ready.page.evaluate(
        """async () => {
            const { createTokenizer } = await import("./client.js");
            const tok = await createTokenizer({ gguf: new URL("samples/gpt-2.gguf", location) });
            const text = await tok.decode(await tok.encode("Hello 🙂"));
            const token = await tok.token(15496);
            const pieces = await tok.pieces([15496, 995]);
            const error = await createTokenizer({ gguf: new Uint8Array(3) }).catch((e) => e.code);
            tok.dispose();
            const after = await tok.count("a").catch((e) => e.code);
            return [text, token.bytes, pieces.map((p) => p.length), error, after];
        }"""
    )
    assert said == ["Hello 🙂", "48 65 6C 6C 6F", [5, 6], "gguf-invalid", "model-unknown"]


BAD_ANSWERS: dict[str, list[dict[str, Any]]] = {  # file: what the server gives instead of it, once
    "snapshot.bin.gz": [
        {"status": 404},
        {"body": b"not gzipped"},
        {"body": gzip.compress(b"not a snapshot")},
        {"body": gzip.compress(bytes(1 << 20))},
        {"body": gzip.compress((1 << 20).to_bytes(4, "little") + bytes(1 << 19))},
        {"body": gzip.compress((1 << 20).to_bytes(4, "little") + bytes(1 << 20))[:-100]},
    ],
    "pyodide.asm.wasm": [{"body": b"not wasm", "content_type": "application/wasm"}],
}


@pytest.mark.parametrize(
    ("name", "answer"),
    [(name, answer) for name, answers in BAD_ANSWERS.items() for answer in answers],
)
def test_when_the_snapshot_fails_it_starts_plainly(
    app: App, name: str, answer: dict[str, Any]
) -> None:
    app.page.context.route(f"**/{name}", lambda route: route.fulfill(**answer), times=1)
    app.open()
    app.wait("ready", 60)
    app.type("Hello world")
    assert app.ids() == [15496, 995]
    assert any("started from scratch" in line for line in app.console)


def test_the_standard_library_stays_where_it_is(app: App) -> None:
    asked: list[str] = []
    app.page.context.on("request", lambda request: asked.append(request.url))
    app.open()
    app.wait("ready")
    app.use("mistral-v1")
    app.wait("ready")
    assert not [url for url in asked if url.endswith(("stdlib.zip", ".whl"))]


def test_a_dead_worker_can_be_started_again(app: App) -> None:
    app.page.context.route("**/worker.js", lambda route: route.abort())
    app.open()
    app.wait("error")
    assert "worker" in app.alert()
    app.page.locator("#text").fill("Hello world")
    app.page.context.unroute("**/worker.js")
    app.page.locator("#restart").click()
    app.wait("ready")
    assert app.ids() == [15496, 995]


def test_stop_ends_a_long_job_and_keeps_the_text(ready: App) -> None:
    ready.page.locator("#text").evaluate(
        """box => {
            let [text, seed] = ["", 1];
            while (text.length < 6e6) {
                seed = (seed * 48271) % 2147483647;
                text += seed.toString(36) + " ";
            }
            box.value = text;
            box.dispatchEvent(new InputEvent("input", {bubbles: true}));
        }"""
    )
    stop = ready.page.locator("#stop")
    stop.click()
    ready.wait("ready", 5)
    assert "Stopped" in ready.page.locator("#status").inner_text()
    assert ready.page.locator("#text").evaluate("box => box.value.length") >= 6e6
    assert not stop.is_visible()
    ready.type("Hello world")
    assert ready.ids() == [15496, 995]


def test_stale_answers_never_overwrite_newer_ones(ready: App) -> None:
    ready.page.locator("#text").evaluate(
        """box => {
            for (let i = 1; i <= 40; i++) {
                box.value = "word ".repeat(i % 2 ? 4000 : i);
                box.dispatchEvent(new InputEvent("input", {bubbles: true}));
            }
        }"""
    )
    ready.wait("ready")
    assert ready.count() == 41 == len(ready.ids())


def test_a_model_survives_a_new_worker(ready: App) -> None:
    ready.choose_file(SAMPLES / "mistral-v1.gguf")
    ready.type("Hi")
    before = ready.ids()
    ready.page.locator("#restart").evaluate(
        "button => button.click()"
    )  # hidden as long as all is well
    ready.type("Hi ")
    ready.type("Hi")
    assert ready.ids() == before
