"""Every view, and the sizes and colour schemes that it is looked at in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import FilePayload

from e2e.app import App

VIEWS = {  # name: what is there when it has been drawn
    "see": "#tokens [data-id]",
    "compare": "#compare .column:nth-child(2) [data-id]",
    "explain": "#lessons .picture svg",
    "chat": "#messages li",
    "files": "#file-rows tr[data-state=done]",
    "vocab": "#found-rows tr",
    "model": "#facts div",
}
SIZES = {"desktop": (1280, 860), "phone": (390, 844)}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
class EveryLook:
    """Each test of a class that is one of these runs in every size and scheme."""

    @pytest.fixture
    def context_options(self, scheme: str, size: str) -> dict[str, Any]:
        width, height = SIZES[size]
        return {"viewport": {"width": width, "height": height}, "color_scheme": scheme}


def open_view(app: App, name: str) -> None:
    app.page.locator(f"#tabs a[href='#{name}']").click()
    app.page.locator(f"#view-{name}:not([inert])").wait_for()  # a person cannot act before that


def drawn(app: App, view: str) -> None:
    """Open a view and wait for what is in it."""
    open_view(app, view)
    if view == "files":
        files = {"notes.txt": b"Hello world\n" * 400, "latin.txt": b"caf\xe9"}
        chosen = [FilePayload(name=n, mimeType="text/plain", buffer=b) for n, b in files.items()]
        app.page.locator("#text-files").set_input_files(chosen)
    app.page.locator(VIEWS[view]).last.wait_for()


def picture(app: App, path: Path, whole: bool = False) -> None:
    """A screenshot to look at, `whole` or of the window, of a page that is no wider than that."""
    app.page.screenshot(path=path, full_page=whole)
    width = app.page.evaluate("document.documentElement.scrollWidth")
    assert width <= app.page.viewport_size["width"], f"{path.stem} scrolls sideways"  # type: ignore[index]
