"""Start-up: from navigation to the first tokens, and what Pyodide alone takes in the same browser.

python -m bench.startup [--quick] [--site DIR]
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import CDPSession, Page

from bench.browser import DIST, VIEWPORT, Site, arguments, open_site
from bench.options import say
from bench.table import section, table

NOTE = """\
Milliseconds in Chromium, from this machine's own server, medians of {rounds}, the visits and bare
starts in turns. Painted: first contentful paint, which has the sample text's tokens. Shown: from
navigation to `tok:shown`, live tokens painted. Bare: one call of `loadPyodide()` from the same
server, on a page that does nothing else and has `pyodide.mjs`. The first visit has an empty cache;
the second has the service worker and the code cache, and is compared with a bare first one. CPU and
network are throttled as in DevTools (4G: 9 Mbit/s, 170 ms), which reaches the page's thread but not
the worker's: the bare start is slowed down more than ours, so only 4G's bytes compare fairly."""
BARE = """async () => {
  const { loadPyodide } = await import("/pyodide/pyodide.mjs");
  const start = performance.now();
  await loadPyodide();
  return performance.now() - start;
}"""
MARK = """name => performance.getEntriesByName(name)[0]?.startTime ?? new Promise(resolve =>
  new PerformanceObserver(list => {
    const mark = list.getEntriesByName(name)[0];
    if (mark) resolve(mark.startTime);
  }).observe({ entryTypes: ["mark", "paint"] }))"""
KEPT = "navigator.serviceWorker.ready"
MBIT = 1e6 / 8
FOUR_G: dict[str, Any] = {
    "offline": False,
    "latency": 170,
    "downloadThroughput": 9 * MBIT,
    "uploadThroughput": 9 * MBIT,
}


@dataclass(frozen=True, slots=True)
class Visit:
    """Conditions of a visit."""

    name: str
    cpu: int = 1  # times slower
    network: dict[str, Any] | None = None
    again: bool = False

    def throttle(self, session: CDPSession) -> None:
        session.send("Emulation.setCPUThrottlingRate", {"rate": self.cpu})
        if self.network:
            session.send("Network.enable")
            session.send("Network.emulateNetworkConditions", self.network)


VISITS = [
    Visit("first visit"),
    Visit("second visit", again=True),
    Visit("CPU 4x slower", cpu=4),
    Visit("4G", network=FOUR_G),
]


def report(rounds: int, directory: Path = DIST) -> str:
    with open_site(directory) as site:
        rows = [row(site, visit, rounds) for visit in VISITS]
        wire = on_the_wire(site)
    head = ("visit", "painted", "shown", "bare", "painted / bare", "shown / bare", "bytes")
    return section("Start-up", NOTE.format(rounds=rounds), table(head, rows), wire)


def row(site: Site, visit: Visit, rounds: int) -> list[str]:
    times = [(*shown(site, visit), bare(site, visit)) for _ in range(rounds)]
    say(f"startup {visit.name}: {times}")
    painted, live, sent, alone = (median(each) for each in zip(*times, strict=True))
    ratios = [f"{painted / alone:.2f}", f"{live / alone:.2f}"]
    return [visit.name, f"{painted:.0f}", f"{live:.0f}", f"{alone:.0f}", *ratios, f"{sent:,.0f}"]


@contextmanager
def visiting(site: Site, visit: Visit) -> Iterator[Page]:
    """A page under a visit's conditions; for a second visit the first is made before."""
    context = site.browser.new_context(
        viewport=VIEWPORT, service_workers="allow" if visit.again else "block"
    )
    page = context.new_page()
    if visit.again:
        page.goto(site.url)
        page.evaluate(KEPT)
    visit.throttle(context.new_cdp_session(page))
    site.sent.clear()
    yield page
    context.close()


def shown(site: Site, visit: Visit) -> tuple[float, float, int]:
    """(first paint, live tokens, bytes of the answers' bodies)."""
    with visiting(site, visit) as page:
        page.goto(site.url)
        live: float = page.evaluate(MARK, "tok:shown")
        painted: float = page.evaluate(MARK, "first-contentful-paint")
        return painted, live, sum(size for _, size in site.sent)


def bare(site: Site, visit: Visit) -> float:
    """On the site's icon: a document of the same origin in which nothing runs."""
    with site.page() as page:
        page.goto(f"{site.url}icon.svg")
        visit.throttle(page.context.new_cdp_session(page))
        milliseconds: float = page.evaluate(BARE)
        return milliseconds


def on_the_wire(site: Site) -> str:
    """What a first visit fetches, until the tokens are shown."""
    shown(site, VISITS[0])
    rows = [[path, f"{size:,}"] for path, size in sorted(site.sent, key=lambda sent: -sent[1])]
    total = sum(size for _, size in site.sent)
    words = f"Bytes on the wire for a first visit: {total:,} in {len(rows)} answers (bodies)."
    return f"{words}\n\n{table(('path', 'bytes'), rows)}"


def main() -> None:
    given = arguments(__doc__)
    print(report(2 if given.quick else 9, given.site))


if __name__ == "__main__":
    main()
