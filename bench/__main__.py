"""Everything in one report: python -m bench [--quick] [--only NAME]...

NAME: a section (speed, load, growth, memory, startup, page), or a peer, vocabulary or place of the
cases of speed and load. A full run, without these options, writes bench/RESULTS.md.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bench import growth, load, machine, memory, page, speed, startup
from bench.options import Options, options, parser, say
from bench.v8 import Node

RESULTS = Path(__file__).parent / "RESULTS.md"
NOTES = Path(__file__).parent / "NOTES.md"
TITLE = "# How fast it is\n\nWritten by `make bench`; the notes at its end are bench/NOTES.md."
SECTIONS: dict[str, Callable[[Options], str]] = {
    "machine": machine.report,
    "speed": speed.report,
    "load": load.report,
    "growth": lambda options: growth.report(0.1 if options.quick else 1, []),
    "memory": lambda options: memory.report(),
    "startup": lambda options: startup.report(options.rounds),
    "page": lambda options: page.report(options.quick),
}


def main() -> None:
    given = parser(__doc__ or "").parse_args()
    names = [name for name in given.only if name in SECTIONS]
    words = [name for name in given.only if name not in SECTIONS]
    if words and not names:
        names = ["speed", "load"]
    with Node() as node:
        chosen = options(node, given.quick, words)
        parts = [run(name, chosen) for name in names or SECTIONS]
    report = "\n\n".join(parts)
    print(report)
    if not (given.quick or given.only):
        notes = NOTES.read_text(encoding="utf-8")
        RESULTS.write_text(f"{TITLE}\n\n{report}\n\n{notes}", encoding="utf-8")


def run(name: str, options: Options) -> str:
    say(f"-- {name}")
    return SECTIONS[name](options)


if __name__ == "__main__":
    main()
