"""The page without a network, and how a new build takes the place of an old one."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from e2e.app import App
from e2e.browsers import chromium_only
from e2e.looks import open_view
from tools import precache
from tools.serve import ROOT, make_server

KEPT = "async () => { await navigator.serviceWorker.ready; return await caches.keys(); }"
NEWER = """async () => {
    const registration = await navigator.serviceWorker.getRegistration();
    await registration.update();
    while (!registration.waiting) await new Promise((done) => setTimeout(done, 50));
}"""


@pytest.fixture
def context_options() -> dict[str, Any]:
    return {"viewport": {"width": 1280, "height": 800}, "service_workers": "allow"}


@pytest.fixture
def own_site(tmp_path: Path) -> Path:
    """A copy of the site that a test may change."""
    return Path(shutil.copytree(ROOT / "dist", tmp_path / "site"))


@pytest.fixture
def site(own_site: Path) -> Iterator[str]:
    with make_server(own_site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}/"
        server.shutdown()


def publish(site: Path, title: str) -> None:
    """A new build, of which the title is new."""
    page = site / "index.html"
    html = page.read_text(encoding="utf8")
    start, end = html.index("<title>"), html.index("</title>")
    page.write_text(f"{html[:start]}<title>{title}{html[end:]}", encoding="utf8")
    for copy in site.glob("index.html.*"):
        copy.unlink()
    precache.main(site)


def test_it_works_offline_after_the_first_visit(ready: App) -> None:
    assert len(ready.page.evaluate(KEPT)) == 1
    ready.page.context.set_offline(True)
    ready.page.reload()
    ready.wait("ready")
    ready.type("Hello world")
    assert ready.ids() == [15496, 995]
    assert any("started from the snapshot" in line for line in ready.console)
    for view in ("compare", "explain", "chat", "files", "vocab", "model"):
        open_view(ready, view)
    ready.use("rwkv")
    ready.page.locator("#chip", has_text="RWKV").wait_for()
    ready.wait("ready")


def test_it_is_kept_only_after_the_first_tokens(app: App) -> None:
    asked: list[str] = []
    app.page.context.on("request", lambda request: asked.append(request.url))
    app.open()
    app.wait("ready")
    assert not [url for url in asked if "sw.js" in url]
    app.page.evaluate(KEPT)


def test_a_new_build_replaces_the_old_one_as_a_whole(ready: App, own_site: Path) -> None:
    (old,) = ready.page.evaluate(KEPT)
    title = ready.page.title()
    ready.page.reload()
    publish(own_site, "The new build")
    ready.page.reload()
    ready.wait("ready")
    assert ready.page.title() == title
    ready.page.evaluate(NEWER)
    other = ready.page.context.new_page()
    other.goto(ready.site)
    assert other.title() == title, "another tab still shows the old build"
    other.reload()
    assert other.title() == title
    other.close()
    ready.page.reload()
    ready.wait("ready", 120)  # the page is given twice, and started from a cache that is still cold
    assert ready.page.title() == "The new build"
    (new,) = ready.page.evaluate("caches.keys()")
    assert new != old
    assert ready.ids()


def test_files_of_two_builds_are_never_kept_together(ready: App, own_site: Path) -> None:
    ready.page.evaluate(KEPT)
    publish(own_site, "Half a build")
    (own_site / "style.css").write_text("body { color: red }", encoding="utf8")
    for copy in own_site.glob("style.css.*"):
        copy.unlink()
    state = ready.page.evaluate(
        """async () => {
            const registration = await navigator.serviceWorker.getRegistration();
            await registration.update();
            const worker = registration.installing;
            if (!worker) return "not fetched";
            while (worker.state === "installing") await new Promise((done) => setTimeout(done, 50));
            return worker.state;
        }"""
    )
    assert state == "redundant"


def test_the_manifest_names_what_is_there(ready: App) -> None:
    address = ready.page.locator("link[rel=manifest]").get_attribute("href")
    manifest = json.loads((ROOT / "dist" / str(address)).read_text(encoding="utf8"))
    assert manifest["start_url"] == manifest["scope"] == "./"
    for icon in manifest["icons"]:
        assert (ROOT / "dist" / icon["src"]).is_file()


@chromium_only("by WebDriver BiDi nobody can ask whether a page can be installed")
def test_it_can_be_installed(ready: App) -> None:
    session = ready.page.context.new_cdp_session(ready.page)
    ready.page.evaluate(KEPT)
    faults = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert [fault["errorId"] for fault in faults if fault["errorId"] != "in-incognito"] == []
