"""Models by address: only the header is read, and what goes wrong is said."""

import re
from collections.abc import Iterator
from threading import Thread
from typing import Any

import pytest

from pyodide_tok import GGUFFile, Tokenizer
from pyodide_tok.cli.main import main
from pyodide_tok.errors import GGUFError, TruncatedError
from pyodide_tok.gguf import remote
from pyodide_tok.gguf.remote import RemoteError, fetch
from tests import addresses
from tests.gguf_writer import write
from tests.platforms import SERVERS
from tests.reference import vocab_path

pytestmark = SERVERS
NUMBERS = {case["name"]: number for number, case in enumerate(addresses.CASES)}


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with addresses.serve() as server:
        yield f"localhost:{server.server_port}"
        server.shutdown()


@pytest.fixture
def asked() -> dict[int, list[str]]:
    addresses.Handler.asked.clear()
    return addresses.Handler.asked


@pytest.mark.parametrize("name", NUMBERS)
def test_an_address(site: str, asked: dict[int, list[str]], name: str) -> None:
    """tests/js/remote.test.js has the same test."""
    number = NUMBERS[name]
    case = addresses.CASES[number]
    path = case.get("path", "model.gguf")
    url = f"http://{case.get('user', '')}{site}/{number}/{path}"
    timeout = 1 if "drip" in case else 30
    if case["answer"] == "loads":
        assert fetch(url, timeout=timeout) == Same(GGUFFile.parse(addresses.header()))
        assert set(asked[number]) <= {case.get("sent", path)}
    elif case["answer"] == "end":
        with pytest.raises(TruncatedError):
            fetch(url, timeout=timeout)
    else:
        with pytest.raises(RemoteError, match=case["answer"]) as caught:
            fetch(url, timeout=timeout)
        assert caught.value.url == url


class Same:
    """Equal to a file with the same metadata."""

    def __init__(self, file: GGUFFile) -> None:
        self.metadata = dict(file.metadata)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GGUFFile) and dict(other.metadata) == self.metadata


def test_only_the_header_is_read(site: str, asked: dict[int, list[str]]) -> None:
    fetch(f"http://{site}/{NUMBERS['Range']}/x")
    assert len(asked[NUMBERS["Range"]]) == 2
    fetch(f"http://{site}/{NUMBERS['no Range']}/x")
    assert len(asked[NUMBERS["no Range"]]) == 1


def test_ids_from_an_address(
    site: str, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = vocab_path("gpt-2").read_bytes()
    monkeypatch.setattr(addresses, "file", lambda kind: data)
    url, missing = f"http://{site}/0/gpt-2.gguf", f"http://{site}/{NUMBERS['not found']}/x"
    assert Tokenizer.from_gguf(url).encode("Hello world") == [15496, 995]
    assert main(["count", url, "Hello world"]) == 0
    assert main(["count", missing, "Hello world"]) == 1
    error = f"pyodide-tok: {missing} cannot be read: the server answered 404.\n"
    assert capsysbinary.readouterr() == (b"2\n", error.encode())


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("http://localhost:1/x.gguf", "there is no such server"),
        ("http://", "no host"),
        ("http://[", "Invalid IPv6"),
        ("http://[::1]:1/x.gguf", "there is no such server"),
        ("http://a:port/", "port"),
        ("https://a b/", "https://a b/ cannot be read: "),
        ("file:///etc/passwd", "not an http or https address"),
    ],
)
def test_errors_name_the_address(address: str, message: str) -> None:
    with pytest.raises(RemoteError, match=re.escape(message)) as caught:
        fetch(address)
    assert caught.value.url == address


def test_what_is_not_a_gguf(site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "file", lambda kind: b"<!doctype html>" * 300)
    with pytest.raises(GGUFError, match="HTML"):
        fetch(f"http://{site}/0/x")


def test_a_compression_that_python_lacks(site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = {"status": 200, "headers": {"Content-Encoding": "br"}, "answer": ""}
    monkeypatch.setattr(addresses, "CASES", [case])
    with pytest.raises(RemoteError, match=re.escape("compressed (br)")):
        fetch(f"http://{site}/0/x")


def test_a_thread_that_waits_for_a_slow_server_ends() -> None:
    """`within` gives up on it; this is what ends it."""
    beginning = remote._Beginning("http://x", 0, "")
    with pytest.raises(RemoteError, match="too long"):
        beginning._take(None, 1)


def test_without_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Thread, "start", refuse)
    with pytest.raises(RemoteError, match="cannot open connections"):
        fetch("http://localhost:1/x")


def test_a_token_stays_with_its_host(site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, Any]] = []
    data = write([])

    def answer(self: addresses.Handler, number: int, path: str) -> None:
        seen.append((path, self.headers["Authorization"]))
        other = f"http://127.0.0.1:{site.split(':')[1]}/0/other"
        place = {"first": "/0/renamed", "renamed": other}.get(path)
        if place:
            self.body(307, b"", {"Location": place})
        else:
            self.body(200, data, {})

    monkeypatch.setattr(addresses.Handler, "answer", answer)
    fetch(f"http://{site}/0/first", token="secret")
    assert seen == [("first", "Bearer secret"), ("renamed", "Bearer secret"), ("other", None)]
