"""axe-core finds nothing moderate or worse in any view: light and dark, desktop and phone."""

from __future__ import annotations

from typing import Any

from e2e.app import App
from e2e.looks import VIEWS, EveryLook, drawn
from tools.serve import ROOT

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
# A tab that is scrolled out of the strip is taken for a skip link, which it is not.
RUN = """async () => (await axe.run({
    resultTypes: ["violations"], rules: { "skip-link": { enabled: false } },
})).violations"""


def faults(app: App) -> list[str]:
    """What axe-core finds that is moderate or worse, in a line each."""
    found: list[dict[str, Any]] = app.page.evaluate(RUN)
    return [
        f"{fault['id']}: {node['html'][:120]} {node['failureSummary'][-160:]}"
        for fault in found
        if fault["impact"] in ("moderate", "serious", "critical")
        for node in fault["nodes"]
    ]


class TestViews(EveryLook):
    def test_nothing_moderate(self, app: App) -> None:
        app.page.add_init_script(path=AXE)
        app.page.emulate_media(reduced_motion="reduce")  # colours are read when nothing fades in
        app.open()
        app.wait("ready")
        found = {}
        for view in VIEWS:
            drawn(app, view)
            found[view] = faults(app)
        assert {view: said for view, said in found.items() if said} == {}

    def test_nothing_moderate_in_the_example(self, app: App) -> None:
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
