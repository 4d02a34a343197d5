"""Models by address: only the head is read, and what goes wrong is said."""

import re
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from pyodide_tok import Tokenizer
from pyodide_tok.cli.main import main
from pyodide_tok.errors import GGUFError, TruncatedError
from pyodide_tok.gguf import remote
from tests.platforms import SERVERS
from tests.reference import vocab_path

pytestmark = SERVERS
GPT2 = vocab_path("gpt-2")


class _Server(BaseHTTPRequestHandler):
    """Serves one file at several paths: see `_answer`."""

    data = b""
    sent: list[int] = []  # noqa: RUF012

    def do_GET(self) -> None:
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/range")
            self.end_headers()
        elif self.path in ("/range", "/plain", "/early", "/slices", "/wrong"):
            self._answer(*map(int, re.findall(r"\d+", self.headers["Range"])))
        else:
            self.send_error(404)

    def _answer(self, first: int, last: int) -> None:
        """/plain: without Range; /early: the file ends early; /slices: 100 kB at a time; /wrong:
        always the first bytes."""
        data = self.data[:3000] if self.path == "/early" else self.data
        first, last = {
            "/plain": (0, len(data)),
            "/wrong": (0, last - first),
            "/slices": (first, first + 99_999),
        }.get(self.path, (first, last))
        part = data[first : last + 1]
        if not part:
            self.send_error(416)
            return
        self.send_response(200 if self.path == "/plain" else 206)
        if self.path in ("/slices", "/wrong"):
            span = f"bytes {first}-{first + len(part) - 1}/{len(data)}"
            self.send_header("Content-Range", span)
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        self.sent.append(len(part))
        with suppress(OSError):
            self.wfile.write(part)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def site() -> Iterator[str]:
    _Server.data = GPT2.read_bytes() + b"tensors" * 3_000_000
    _Server.sent.clear()
    with ThreadingHTTPServer(("localhost", 0), _Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("path", ["range", "plain", "moved", "slices"])
def test_a_tokenizer_by_address(site: str, path: str) -> None:
    tok = Tokenizer.from_gguf(remote.fetch(f"{site}/{path}"))
    assert tok.encode("Hello world") == [15496, 995]


def test_only_the_head_is_read(site: str) -> None:
    remote.fetch(f"{site}/range")
    assert len(_Server.sent) == 2
    assert sum(_Server.sent) <= 2 * max(remote.FIRST, GPT2.stat().st_size)
    _Server.sent.clear()
    remote.fetch(f"{site}/plain")
    assert len(_Server.sent) == 1


def test_a_file_that_ends_early(site: str) -> None:
    with pytest.raises(TruncatedError):
        remote.fetch(f"{site}/early")
    _Server.data = _Server.data[: remote.FIRST]  # just what is asked for at first
    with pytest.raises(TruncatedError):
        remote.fetch(f"{site}/range")
    _Server.data = b""
    with pytest.raises(remote.RemoteError, match="416"):
        remote.fetch(f"{site}/range")


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("{}/none", "/none: the server says 404 Not Found"),
        ("{}/wrong", "were not asked for"),
        ("http://localhost:1/x.gguf", "cannot be reached"),
        ("http://", "http://: "),
        ("http://[", "cannot be read"),
        ("https://a b/", "https://a b/: "),
        ("file:///etc/passwd", "no http or https address"),
    ],
)
def test_errors_name_the_address(site: str, address: str, message: str) -> None:
    with pytest.raises(remote.RemoteError, match=re.escape(message)) as caught:
        remote.fetch(address.format(site))
    assert caught.value.url == address.format(site)


def test_what_is_no_gguf(site: str) -> None:
    _Server.data = b"<!doctype html>" * 300
    with pytest.raises(GGUFError, match="HTML"):
        remote.fetch(f"{site}/plain")


def test_a_page_of_a_file_is_understood(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def refuse(request: Any, timeout: float) -> None:
        asked.append(request.full_url)
        raise OSError("no network here")

    monkeypatch.setattr(remote, "urlopen", refuse)
    with pytest.raises(remote.RemoteError, match="no network here"):
        remote.fetch("https://huggingface.co/owner/repo/blob/main/x.gguf")
    assert asked == ["https://huggingface.co/owner/repo/resolve/main/x.gguf"]


def test_the_command_line_takes_addresses(
    site: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["count", f"{site}/range", "Hello world"]) == 0
    assert main(["count", f"{site}/none", "Hello world"]) == 1
    error = f"pyodide-tok: {site}/none: the server says 404 Not Found\n"
    assert capsysbinary.readouterr() == (b"2\n", error.encode())
