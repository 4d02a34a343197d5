"""Addresses: permalinks, models at a URL, settings that are kept."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest
from playwright.sync_api import Route

from e2e.app import App
from tests.reference import SAMPLES

NOWHERE = "http://127.0.0.1:9/"  # a port where nothing listens
MODEL = (SAMPLES / "mistral-v1.gguf").read_bytes()


class ModelHost(BaseHTTPRequestHandler):
    """One model under three addresses: /range/, /stream/ (no Range) and /private/ (no CORS)."""

    protocol_version = "HTTP/1.1"
    size: ClassVar[int] = 1 << 30  # of the file; after the model's head come zeros
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        span = self.headers["Range"] if self.path.startswith("/range/") else None
        self.asked.append(f"{self.command} {self.path} {self.headers['Range']}")
        if span:
            start, end = map(int, span.removeprefix("bytes=").split("-"))
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{end}/{self.size}")
        else:
            start, end = 0, self.size - 1
            self.send_response(200)
        self.send_header("Content-Length", str(end + 1 - start))
        if not self.path.startswith("/private/"):
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Access-Control-Expose-Headers", "Content-Range")
        self.end_headers()
        if self.command == "GET":
            self._send(start, end + 1)

    do_HEAD = do_GET

    def _send(self, start: int, end: int) -> None:
        try:
            self.wfile.write(MODEL[start:end])
            for _ in range(max(start, len(MODEL)), end, 1 << 16):
                self.wfile.write(bytes(1 << 16))
        except OSError:
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        pass


class QuietServer(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """A page that ends a download early is not an error."""


@pytest.fixture
def host() -> Iterator[str]:
    ModelHost.asked.clear()
    with QuietServer(("127.0.0.1", 0), ModelHost) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def allowed(host: str) -> tuple[str, ...]:
    """Where requests may go besides the page's own origin."""
    return (host,)


def read_from(app: App, url: str, state: str) -> None:
    app.page.locator("#chip-open").click()
    app.page.locator("#url").fill(url)
    app.page.locator("#from-url button").click()
    if state == "ready":
        app.page.locator("#chip", has_text="SPM").wait_for()
    app.wait(state)


@pytest.mark.parametrize("way", ["range", "stream"])
def test_a_model_at_an_address(ready: App, host: str, way: str) -> None:
    read_from(ready, f"{host}{way}/mistral.gguf", "ready")
    assert ready.model() == "mistral.gguf"
    ready.type("Hi")
    assert ready.ids()[0] == 1
    assert ModelHost.asked[0].endswith("bytes=0-4194303") and len(ModelHost.asked) == 1


def test_a_refusal_is_named(ready: App, host: str) -> None:
    read_from(ready, f"{host}private/mistral.gguf", "error")
    assert "CORS" in ready.alert()


class TestNoServer:
    @pytest.fixture
    def allowed(self) -> tuple[str, ...]:
        return (NOWHERE,)

    def test_a_server_that_is_not_there(self, ready: App) -> None:
        read_from(ready, f"{NOWHERE}x.gguf", "error")
        assert "no such server" in ready.alert()


class TestHub:
    """The Hub is answered for here: no request leaves the machine."""

    HUB = "https://huggingface.co/"

    @pytest.fixture
    def allowed(self) -> tuple[str, ...]:
        return (self.HUB,)

    @pytest.fixture
    def asked(self, ready: App) -> list[str]:
        asked: list[str] = []

        def answer(route: Route) -> None:
            path = route.request.url.removeprefix(self.HUB)
            asked.append(path)
            headers = {"Access-Control-Allow-Origin": "*"}
            if path.startswith("api/"):
                names = ("README.md", "m-Q8_0.gguf", "m-Q4_K_M.gguf")
                siblings = [{"rfilename": name} for name in names]
                route.fulfill(json={"siblings": siblings}, headers=headers)
            else:
                route.fulfill(body=MODEL, headers=headers)

        ready.page.context.route(f"{self.HUB}**", answer)
        return asked

    def test_the_files_of_a_model(self, ready: App, asked: list[str]) -> None:
        ready.page.locator("#chip-open").click()
        ready.page.locator("#url").fill("me/model")
        ready.page.locator("#from-url button").click()
        files = ready.page.locator("#hub-files button")
        files.first.wait_for()
        assert [text.split("\n")[0] for text in files.all_inner_texts()] == [
            "m-Q4_K_M.gguf",
            "m-Q8_0.gguf",
        ]
        files.first.click()
        ready.page.locator("#chip", has_text="SPM").wait_for()
        assert ready.model() == "m-Q4_K_M.gguf"
        assert asked[0] == "api/models/me/model/revision/main"

    def test_one_quant_is_loaded_at_once(self, ready: App, asked: list[str]) -> None:
        read_from(ready, "hf:me/model:q8_0", "ready")
        assert ready.model() == "m-Q8_0.gguf"
        assert asked[1] == "me/model/resolve/main/m-Q8_0.gguf"


class TestLink:
    @pytest.fixture
    def context_options(self) -> dict[str, object]:
        return {"permissions": ["clipboard-read", "clipboard-write"]}

    def test_a_link_opens_the_same_page(self, ready: App) -> None:
        text = "Hi & <s> #100%?\n好🙂"
        ready.use("mistral-v1")
        ready.wait("ready")
        ready.type(text)
        ready.switch("parse-special", True)
        ready.switch("add-special", False)
        ids = ready.ids()
        ready.page.locator("#copy-link").click()
        ready.page.locator("#status", has_text="Copied").wait_for()
        link = ready.page.evaluate("navigator.clipboard.readText()")
        ready.page.evaluate("localStorage.clear()")
        ready.page.goto("about:blank")
        ready.page.goto(link)
        ready.wait("ready")
        assert ready.page.locator("#text").input_value() == text
        assert ready.ids() == ids


def test_settings_are_kept(ready: App) -> None:
    ready.use("mistral-v1")
    ready.wait("ready")
    ready.switch("add-special", False)
    ready.page.locator("input[value=ids]").check(force=True)
    ready.page.reload()
    ready.wait("ready")
    assert ready.model() == "Mistral v1"
    assert not ready.page.locator("#add-special").is_checked()
    assert [int(token.text) for token in ready.tokens()] == ready.ids()


def test_the_gauge(ready: App) -> None:
    ready.type("word " * 511 + "word")
    assert ready.page.locator("#filled").inner_text() == "50 %"
    ready.page.locator("#context").fill("500")
    assert ready.page.locator("#filled").inner_text() == "12 over"


def test_counts_with_and_without_special_tokens(ready: App) -> None:
    ready.use("mistral-v1")
    ready.wait("ready")
    ready.type("Hi")
    assert (
        ready.page.locator("#without").inner_text() == f"{ready.count() - 1} without special tokens"
    )
    ready.switch("add-special", False)
    assert ready.page.locator("#without").inner_text() == f"{ready.count() + 1} with special tokens"
