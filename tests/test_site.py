"""The page's files and the server that serves them."""

from __future__ import annotations

import gzip
import http.client
import json
import re
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.platforms import PROCESSES, SERVERS
from tools.serve import POLICY, make_server

ROOT = Path(__file__).parent.parent
WEB = ROOT / "web"
SOURCES = sorted(p for p in WEB.rglob("*") if p.suffix in {".html", ".js", ".css"})


@pytest.fixture
def address(tmp_path: Path) -> Iterator[tuple[str, int]]:
    (tmp_path / "site").mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "site" / "index.html").write_text("<!doctype html>")
    (tmp_path / "site" / "a.wasm").write_bytes(b"plain")
    (tmp_path / "site" / "a.wasm.gz").write_bytes(gzip.compress(b"plain"))
    for name in ("b.mjs", "c.gguf", "d.bin.gz"):
        (tmp_path / "site" / name).write_bytes(b"x")
    with make_server(tmp_path / "site") as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield "localhost", server.server_port
        server.shutdown()


def get(address: tuple[str, int], path: str, **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(*address, timeout=10)
    connection.request("GET", path, headers={k.replace("_", "-"): v for k, v in headers.items()})
    return connection.getresponse()


@SERVERS
@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/a.wasm", "application/wasm"),
        ("/b.mjs", "text/javascript; charset=utf-8"),
        ("/c.gguf", "application/octet-stream"),
        ("/d.bin.gz", "application/gzip"),
    ],
)
def test_types_and_headers(address: tuple[str, int], path: str, kind: str) -> None:
    answer = get(address, path, Accept_Encoding="gzip")
    assert (answer.status, answer.headers["Content-Type"]) == (200, kind)
    assert POLICY in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@SERVERS
def test_a_compressed_sibling_is_served_to_those_who_take_it(address: tuple[str, int]) -> None:
    squeezed = get(address, "/a.wasm", Accept_Encoding="gzip, br")
    assert squeezed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(squeezed.read()) == b"plain"
    assert get(address, "/a.wasm", Accept_Encoding="zstd").read() == b"plain"
    assert get(address, "/d.bin.gz", Accept_Encoding="gzip").headers["Content-Encoding"] is None


@SERVERS
def test_what_has_not_changed_is_not_sent_again(address: tuple[str, int]) -> None:
    date = get(address, "/a.wasm").headers["Last-Modified"]
    assert get(address, "/a.wasm", If_Modified_Since=date).status == 304
    assert get(address, "/a.wasm", If_Modified_Since="nonsense").status == 200


@SERVERS
@pytest.mark.parametrize("path", ["/nothing", "/../secret.txt", "/%2e%2e/secret.txt"])
def test_what_is_not_there_is_404(address: tuple[str, int], path: str) -> None:
    assert get(address, path).status == 404


def test_the_page_has_the_server_s_policy() -> None:
    html = (WEB / "index.html").read_text(encoding="utf8")
    assert f'content="{POLICY}"' in html


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_nothing_inline_and_no_markup_from_strings(path: Path) -> None:
    text = path.read_text(encoding="utf8")
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", text)
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=\"", text)
    assert text.count("\n") < 400


def test_the_lock_file_names_no_registry() -> None:
    lock = json.loads((ROOT / "package-lock.json").read_text())
    assert all("resolved" not in package for package in lock["packages"].values())
    assert lock["packages"]["node_modules/pyodide"]["version"] == "314.0.7"


@PROCESSES
def test_no_file_names_a_registry_host() -> None:
    hosts = "|".join(
        f"{a}[.]{b}" for a, b in (("pypi", "org"), ("npmjs", "(org|com)"), ("debian", "org"))
    )
    command = ["git", "grep", "--untracked", "-nIE", hosts, "--", "."]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.stdout == ""
