"""axe-core finds nothing serious in any view: light and dark, desktop and phone."""

from __future__ import annotations

from typing import Any

import pytest

from e2e.app import App
from e2e.test_vocabulary import open_view
from tools.serve import ROOT

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
SIZES = {"desktop": (1280, 860), "phone": (390, 844)}
VIEWS = {  # name: what is there when it has been drawn
    "see": "#tokens [data-id]",
    "compare": "#compare .column:nth-child(2) [data-id]",
    "explain": "#stage .symbol",
    "chat": "#messages li",
    "files": "#file-rows tr[data-state=done]",
    "vocab": "#found-rows tr",
    "model": "#facts div",
}
RUN = "async () => (await axe.run({ resultTypes: ['violations'] })).violations"


def drawn(app: App, view: str) -> None:
    """Open a view and wait for what is in it."""
    open_view(app, view)
    if view == "files":
        content = {"name": "notes.txt", "mimeType": "text/plain", "buffer": b"Hello world\n" * 400}
        latin = {"name": "latin.txt", "mimeType": "text/plain", "buffer": b"caf\xe9"}
        app.page.locator("#text-files").set_input_files([content, latin])
    app.page.locator(VIEWS[view]).last.wait_for()


def faults(app: App) -> list[str]:
    """What axe-core finds that is serious or critical, in a line each."""
    found: list[dict[str, Any]] = app.page.evaluate(RUN)
    return [
        f"{fault['id']}: {node['html'][:120]} {node['failureSummary'][-160:]}"
        for fault in found
        if fault["impact"] in ("serious", "critical")
        for node in fault["nodes"]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
class TestViews:
    @pytest.fixture
    def context_options(self, scheme: str, size: str) -> dict[str, Any]:
        width, height = SIZES[size]
        return {"viewport": {"width": width, "height": height}, "color_scheme": scheme}

    def test_nothing_serious(self, app: App) -> None:
        app.page.add_init_script(path=AXE)
        app.open()
        app.wait("ready")
        found = {}
        for view in VIEWS:
            drawn(app, view)
            found[view] = faults(app)
        assert {view: said for view, said in found.items() if said} == {}

    def test_nothing_serious_in_the_example(self, app: App) -> None:
        app.page.add_init_script(path=AXE)
        app.page.goto(f"{app.site}example.html")
        app.page.locator("#tokens", has_text="2 tokens").wait_for()
        assert faults(app) == []


def test_it_would_find_something(app: App) -> None:
    app.page.add_init_script(path=AXE)
    app.page.goto(f"{app.site}example.html")
    app.page.locator("#tokens", has_text="2 tokens").wait_for()
    app.page.evaluate(
        "document.querySelector('label').replaceWith(document.createElement('input'))"
    )
    assert [fault for fault in faults(app) if fault.startswith("label")]
