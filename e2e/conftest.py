"""One server and one browser for all tests; every page is watched for what must never happen."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

from e2e.app import App
from e2e.browsers import BROWSER, LAUNCH, NO_FAULTS
from tests.conftest import pytest_collection_modifyitems
from tools import firefox
from tools.serve import ROOT, make_server

SHOTS = ROOT / "e2e" / "shots"
__all__ = ["pytest_collection_modifyitems"]  # the hook skips tests without their reference


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """The address of the built page."""
    dist = ROOT / "dist"
    assert (dist / "index.html").exists(), "run `make site` first"
    with make_server(dist) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    with LAUNCH[BROWSER](playwright) as browser:
        yield browser


@pytest.fixture(scope="session")
def dark_browser(playwright: Playwright, browser: Browser) -> Iterator[Browser]:
    """The same one, for a context can ask Chromium for its scheme; Firefox is started in it."""
    if BROWSER != "firefox":
        yield browser
        return
    with firefox.launch(playwright, "dark") as dark:
        yield dark


class Watch:
    """Notes each request and each complaint of a page."""

    def __init__(self, page: Page, site: str, allowed: tuple[str, ...] = ()) -> None:
        self.strays: list[str] = []
        self.faults: list[str] = []
        self.console: list[str] = []
        self._allowed = (site, "data:", "blob:", *allowed)
        page.context.on("request", lambda request: self._request(request.url))
        page.on("pageerror", lambda error: self._complain(f"{error.name}: {error.message}"))
        page.on("console", lambda message: self._say(message.text))

    def _request(self, url: str) -> None:
        if not url.startswith(self._allowed):
            self.strays.append(url)

    def _say(self, text: str) -> None:
        self.console.append(text)
        if "Content Security Policy" in text or "Refused to" in text:
            self._complain(text)

    def _complain(self, text: str) -> None:
        if not any(part in text for part in NO_FAULTS):
            self.faults.append(text)


@pytest.fixture
def context_options() -> dict[str, Any]:
    """Override for other than these: viewport, color_scheme, service_workers and the like."""
    return {"viewport": {"width": 1280, "height": 800}}


@pytest.fixture
def allowed() -> tuple[str, ...]:
    """Where requests may go besides the page's own origin; override for models at an address."""
    return ()


@pytest.fixture
def app(
    request: pytest.FixtureRequest,
    site: str,
    context_options: dict[str, Any],
    allowed: tuple[str, ...],
) -> Iterator[App]:
    """A page that is not open yet. After the test: nothing left the origin, nothing went wrong."""
    is_dark = context_options.get("color_scheme") == "dark"
    browser: Browser = request.getfixturevalue("dark_browser" if is_dark else "browser")
    context = browser.new_context(**{"service_workers": "block"} | context_options)
    page = context.new_page()
    watch = Watch(page, site, allowed)
    yield App(page, site, watch.console)
    context.close()
    assert watch.strays == [], "requests left the origin"
    assert watch.faults == []


@pytest.fixture
def ready(app: App) -> App:
    """The page, open, with the default vocabulary's tokens shown."""
    app.open()
    app.wait("ready")
    return app


@pytest.fixture
def shots() -> Path:
    SHOTS.mkdir(exist_ok=True)
    return SHOTS
