"""A page that is used for long: models loaded again and again, texts edited, and its memory.

python -m bench.soak [--quick] [--site DIR]
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

from playwright.sync_api import CDPSession, Page

from bench import texts
from bench.browser import arguments, open_site
from bench.options import say
from bench.table import section, table

LOADS, EDITS, PARTS = 500, 20_000, 10
MODELS = ["mistral-v1", "bert-bge", "t5", "rwkv", "gpt-2"]
NOTE = """\
{loads} loads of models, one in place of the other, then {edits} edits of a text of 10,000
characters, in one page. Resident: the renderer's process with its worker, WebAssembly's memory in
it, in MB. JavaScript: the page's own heap after a collection, in MB."""
LOADED = """name => document.documentElement.dataset.state === "ready" &&
  document.querySelector("#vocabulary").selectedOptions[0].text === name"""
EDIT = """async ([from, to]) => {
  const root = document.documentElement;
  const box = document.querySelector("#text");
  const shown = () => new Promise((resolve) => {
    const watch = new MutationObserver(() => {
      if (root.dataset.state !== "ready") return;
      watch.disconnect();
      resolve();
    });
    watch.observe(root, { attributeFilter: ["data-state"] });
  });
  for (let i = from; i < to; i++) {
    const at = (i * 7919) % box.value.length;
    box.setRangeText(`word${i} `, at, at + 8, "end");
    const done = shown();
    box.dispatchEvent(new InputEvent("input", { bubbles: true }));
    await done;
  }
}"""


def report(quick: bool, directory: Path) -> str:
    loads, edits = (LOADS // 20, EDITS // 20) if quick else (LOADS, EDITS)
    with open_site(directory) as site, site.page() as page:
        page.set_default_timeout(0)
        page.goto(site.url)
        page.locator("html[data-state=ready]").wait_for()
        gauge = Gauge(page.context.new_cdp_session(page), site.browser.new_browser_cdp_session())
        rows = [gauge.row("at the start")]
        models = cycle([directory / "samples" / f"{name}.gguf" for name in MODELS])
        for part in range(PARTS):
            for _ in range(part * loads // PARTS, (part + 1) * loads // PARTS):
                load(page, next(models))
            rows.append(gauge.row(f"{(part + 1) * loads // PARTS} loads"))
        fill(page)
        for part in range(PARTS):
            page.evaluate(EDIT, [part * edits // PARTS, (part + 1) * edits // PARTS])
            rows.append(gauge.row(f"{(part + 1) * edits // PARTS} edits"))
    note = NOTE.format(loads=loads, edits=edits)
    return section("Long use", note, table(("after", "resident", "JavaScript"), rows))


def load(page: Page, model: Path) -> None:
    """From a file: of what it fetches, Chromium keeps 200 MB for whoever drives it."""
    page.locator("#model-file").set_input_files(model)
    page.wait_for_function(LOADED, arg=model.name)


def fill(page: Page) -> None:
    page.locator("#text").evaluate("(box, text) => { box.value = text }", texts.text("en")[:10_000])


@dataclass(frozen=True, slots=True)
class Gauge:
    """Memory of a page, the only one of its browser."""

    page: CDPSession
    browser: CDPSession

    def row(self, name: str) -> list[str]:
        self.page.send("HeapProfiler.collectGarbage")
        used = self.page.send("Runtime.getHeapUsage")["usedSize"]
        row = [name, f"{max(map(resident, self._renderers())) / 1e6:.0f}", f"{used / 1e6:.1f}"]
        say(f"soak: {row}")
        return row

    def _renderers(self) -> list[int]:
        found = self.browser.send("SystemInfo.getProcessInfo")["processInfo"]
        return [process["id"] for process in found if process["type"] == "renderer"]


def resident(process: int) -> int:
    """Bytes: the second field of statm, in pages."""
    fields = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    given = arguments(__doc__)
    print(report(given.quick, given.site))


if __name__ == "__main__":
    main()
