"""The plain start, without the snapshot: Pyodide loads our wheel by name, if its hash is right."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Route

from e2e.app import App
from tools.lock_wheel import add
from tools.serve import ROOT

PYODIDE = ROOT / "dist" / "pyodide"
LOCK = PYODIDE / "pyodide-lock.json"


def locked() -> dict[str, Any]:
    entry: dict[str, Any] = json.loads(LOCK.read_text(encoding="utf8"))["packages"]["pyodide-tok"]
    return entry


def wheel() -> Path:
    return PYODIDE / str(locked()["file_name"])


def tampered() -> bytes:
    """A good wheel, with one line more than ours."""
    changed = io.BytesIO(wheel().read_bytes())
    with zipfile.ZipFile(changed, "a") as archive:
        archive.writestr(zipfile.ZipInfo("pyodide_tok/more.py"), "MORE = 1\n")
    return changed.getvalue()


NO_WEBASSEMBLY = "delete globalThis.WebAssembly;"


@pytest.fixture
def plain(app: App) -> App:
    app.page.context.route("**/snapshot.bin.gz", lambda route: route.fulfill(status=404))
    return app


def test_the_lock_file_has_our_wheel_with_its_hash() -> None:
    assert locked()["sha256"] == hashlib.sha256(wheel().read_bytes()).hexdigest()


def test_pyodide_lock_and_we_write_the_same(tmp_path: Path) -> None:
    copy = Path(shutil.copy(wheel(), tmp_path))
    lock = tmp_path / LOCK.name
    lock.write_text(json.dumps(json.loads(LOCK.read_text(encoding="utf8")) | {"packages": {}}))
    add(copy, lock)
    assert lock.read_bytes() == LOCK.read_bytes()


def test_the_wheel_is_loaded_by_its_name(plain: App) -> None:
    """The worker knows the name alone: which file that is, the lock file says."""
    lock = json.loads(LOCK.read_text(encoding="utf8"))
    lock["packages"]["pyodide-tok"]["file_name"] = "other-1-py3-none-any.whl"
    asked: list[str] = []
    plain.page.context.on("request", lambda request: asked.append(request.url))
    plain.page.context.route("**/pyodide-lock.json", lambda route: route.fulfill(json=lock))
    plain.page.context.route("**/other-1-*.whl", lambda route: route.fulfill(path=wheel()))
    plain.open()
    plain.wait("ready", 60)
    assert [url.split("/")[-1] for url in asked if url.endswith(".whl")] == [
        "other-1-py3-none-any.whl"
    ]
    assert any("started from scratch" in line for line in plain.console)


def test_a_tampered_wheel_is_refused(plain: App) -> None:
    plain.page.context.route("**/*.whl", lambda route: route.fulfill(body=tampered()))
    plain.open()
    plain.wait("error", 60)
    assert "pyodide-tok cannot be loaded, or is not what this site was built with" in plain.alert()
    assert not any("started from scratch" in line for line in plain.console)


def test_it_is_refused_for_its_hash_alone(plain: App) -> None:
    """The same wheel starts when the lock file has its hash."""
    lock = json.loads(LOCK.read_text(encoding="utf8"))
    lock["packages"]["pyodide-tok"]["sha256"] = hashlib.sha256(tampered()).hexdigest()
    plain.page.context.route("**/*.whl", lambda route: route.fulfill(body=tampered()))
    plain.page.context.route("**/pyodide-lock.json", lambda route: route.fulfill(json=lock))
    plain.open()
    plain.wait("ready", 60)
    plain.type("Hello world")
    assert plain.ids() == [15496, 995]


def test_without_webassembly_it_says_what_to_do(app: App) -> None:
    def answer(route: Route) -> None:
        response = route.fetch()
        route.fulfill(response=response, body=NO_WEBASSEMBLY + response.text())

    app.page.add_init_script(NO_WEBASSEMBLY)
    app.page.context.route("**/worker.js", answer)
    app.open()
    app.wait("error")
    assert "This browser has no WebAssembly" in app.alert()


def test_the_snapshot_in_brotli_from_a_host_that_sends_it(app: App) -> None:
    with app.page.expect_response("**/snapshot.bin.gz") as response:
        app.open()
    app.wait("ready")
    assert response.value.headers["content-encoding"] == "br"
    assert any("started from the snapshot" in line for line in app.console)


def test_the_snapshot_as_a_file_from_any_other_host(app: App) -> None:
    path = ROOT / "dist" / "snapshot.bin.gz"
    app.page.context.route("**/snapshot.bin.gz", lambda route: route.fulfill(path=path))
    app.open()
    app.wait("ready")
    assert any("started from the snapshot" in line for line in app.console)
