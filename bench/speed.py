"""Speed: each peer and we in turns, on the same vocabulary and text.

cold: a new tokenizer's first pass over a text. warm: its second. unseen: the second half of a text
after the first, by a tokenizer that knows the first alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Protocol

from bench import native, texts
from bench.cases import CASES, MODES, Case
from bench.clock import WORDS
from bench.options import Options, say
from bench.table import section, table, verdict
from bench.v8 import OURS, Remote

NOTE = """\
Their {clock} / ours: how many times as fast we are, medians of {rounds} rounds in turns. Cold: the
first pass of a new tokenizer (making it is not counted; see "Load"). Warm: the second pass over the
same text. Unseen, for which there is no target: the second half of a text, by a tokenizer that has
seen its first half. A target is reached when each text reaches it. † the ids differ."""
SPEEDS = "In million characters a second, theirs / ours."
HEAD = ("where", "peer", "vocabulary", "pass")


class Contestant(Protocol):
    stateless: bool

    def fresh(self) -> None: ...
    def ids(self, text: str) -> list[int]: ...
    def seconds(self, text: str) -> float: ...
    def close(self) -> object: ...


Seconds = dict[str, float]  # by mode


@dataclass(frozen=True, slots=True)
class Result:
    """A case on one text: medians of seconds by mode, and what they are of."""

    theirs: Seconds
    ours: Seconds
    characters: dict[str, int]
    same_ids: bool

    def ratio(self, mode: str) -> float:
        return self.theirs[mode] / self.ours[mode]

    def speeds(self, mode: str) -> str:
        mega = self.characters[mode] / 1e6
        return f"{mega / self.theirs[mode]:.2f} / {mega / self.ours[mode]:.1f}"


def report(options: Options) -> str:
    """The tables of ratios and of speeds."""
    rows: list[list[str]] = []
    speeds: list[list[str]] = []
    for case in CASES:
        if not case.matches(options.words) or not (pair := contestants(case, options)):
            continue
        results = [result(*pair, texts.text(name), options.rounds) for name in options.texts]
        for side in pair:
            side.close()
        rows += ratio_rows(case, results)
        speeds += speed_rows(case, results)
        say("\n".join(map(" ".join, rows[-len(MODES) :])))
    head = (*HEAD, *options.texts)
    ratios = table((*head, "target", "reached"), rows)
    note = NOTE.format(rounds=options.rounds, clock=WORDS)
    return section("Speed", note, ratios, SPEEDS, table(head, speeds))


def contestants(case: Case, options: Options) -> tuple[Contestant, Contestant] | None:
    """Them and us; None where the vocabulary or the peer is not at hand."""
    path = texts.vocab(case.vocab)
    if path is None:
        return None
    if case.place == "native":
        them = native.peer(case.peer, path)
        return (them, native.ours(path)) if them else None
    if not options.node.available:
        return None
    return Remote(options.node, case.peer, path), Remote(options.node, OURS, path)


def result(theirs: Contestant, ours: Contestant, text: str, rounds: int) -> Result:
    halves = halved(text)
    sides = (theirs, ours)
    for side in sides:
        side.fresh()
    same = theirs.ids(text) == ours.ids(text)
    times: tuple[list[Seconds], list[Seconds]] = ([], [])
    for i in range(rounds):
        for k in (0, 1) if i % 2 else (1, 0):
            times[k].append(one_round(sides[k], text, halves))
    lengths = {"cold": len(text), "warm": len(text), "unseen": len(halves[1])}
    return Result(medians(times[0]), medians(times[1]), lengths, same)


def one_round(side: Contestant, text: str, halves: tuple[str, str]) -> Seconds:
    """The passes of one contestant; a stateless one needs fewer for the same numbers."""
    if side.stateless:
        seconds = side.seconds(text)
        return {"cold": seconds, "warm": seconds, "unseen": side.seconds(halves[1])}
    side.fresh()
    cold, warm = side.seconds(text), side.seconds(text)
    side.fresh()
    side.seconds(halves[0])
    return {"cold": cold, "warm": warm, "unseen": side.seconds(halves[1])}


def halved(text: str) -> tuple[str, str]:
    middle = text.index("\n", len(text) // 2) + 1
    return text[:middle], text[middle:]


def medians(rounds: list[Seconds]) -> Seconds:
    return {mode: median(times[mode] for times in rounds) for mode in MODES}


def ratio_rows(case: Case, results: list[Result]) -> Iterator[list[str]]:
    for mode in MODES:
        ratios = [result.ratio(mode) for result in results]
        target = case.target(mode)
        marks = ["" if result.same_ids else " †" for result in results]
        cells = [f"{ratio:.2f}{mark}" for ratio, mark in zip(ratios, marks, strict=True)]
        wanted = "" if target is None else f">= {target:g}"
        yield [*names(case, mode), *cells, wanted, verdict(min(ratios), target)]


def speed_rows(case: Case, results: list[Result]) -> Iterator[list[str]]:
    for mode in MODES:
        yield [*names(case, mode), *(result.speeds(mode) for result in results)]


def names(case: Case, mode: str) -> list[str]:
    return [case.place, case.peer, case.vocab, mode]
