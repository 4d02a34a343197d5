"""Start-up: from navigation to the first tokens, and what Pyodide alone takes in the same browser.

python -m bench.startup [--quick] [--site DIR]
"""

from __future__ import annotations

from pathlib import Path
from statistics import median

from bench.browser import DIST, Site, arguments, open_site
from bench.options import say
from bench.table import section, table

TARGET, AIM = 0.35, 0.25
NOTE = """\
Milliseconds in Chromium, an empty cache each time, from this machine's own server, in turns. Ours:
from navigation to `tok:shown`, the built-in vocabulary's tokens painted. Bare: one call of
`loadPyodide()` from the same server, on a page that does nothing else and has `pyodide.mjs`."""
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
  }).observe({ type: "mark" }))"""


def report(rounds: int, directory: Path = DIST) -> str:
    with open_site(directory) as site:
        times = [(shown(site), bare(site)) for _ in range(rounds)]
        say(f"startup {times}")
        wire = on_the_wire(site)
    ours, theirs = zip(*times, strict=True)
    ratio = median(ours) / median(theirs)
    rows = [
        ["page, to tok:shown", f"{median(ours):.0f}", _each(ours)],
        ["bare loadPyodide()", f"{median(theirs):.0f}", _each(theirs)],
    ]
    verdict = f"no, {ratio / TARGET:.2f} times that" if ratio > TARGET else "yes"
    summary = f"Ratio: {ratio:.2f}. At most {TARGET} is wanted (aim {AIM}): {verdict}."
    return section("Start-up", NOTE, table(("", "median", "each"), rows), summary, wire)


def shown(site: Site) -> float:
    with site.page() as page:
        page.goto(site.url)
        milliseconds: float = page.evaluate(MARK, "tok:shown")
        return milliseconds


def bare(site: Site) -> float:
    """On the site's icon: a document of the same origin in which nothing runs."""
    with site.page() as page:
        page.goto(f"{site.url}icon.svg")
        milliseconds: float = page.evaluate(BARE)
        return milliseconds


def on_the_wire(site: Site) -> str:
    """What a first visit fetches, until the tokens are shown."""
    site.sent.clear()
    shown(site)
    rows = [[path, f"{size:,}"] for path, size in sorted(site.sent, key=lambda sent: -sent[1])]
    total = sum(size for _, size in site.sent)
    words = f"Bytes on the wire for a first visit: {total:,} in {len(rows)} answers (bodies)."
    return f"{words}\n\n{table(('path', 'bytes'), rows)}"


def _each(times: tuple[float, ...]) -> str:
    return " ".join(f"{time:.0f}" for time in times)


def main() -> None:
    given = arguments(__doc__)
    print(report(2 if given.quick else 5, given.site))


if __name__ == "__main__":
    main()
