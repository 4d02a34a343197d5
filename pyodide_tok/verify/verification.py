"""Comparing a tokenizer with the original, and finding out why they differ.

`verification` runs no tokenizer but ours: it yields texts to encode with the original and is sent
the ids. So the same code serves Python, where the package `tokenizers` answers, and the page, where
@huggingface/tokenizers does.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias, TypeVar

from pyodide_tok.errors import TokError
from pyodide_tok.gguf.editing import changed
from pyodide_tok.tokenizer import Tokenizer
from pyodide_tok.verify import probes
from pyodide_tok.verify.known import Departure, departures
from pyodide_tok.verify.original import Original
from pyodide_tok.verify.repairs import AGAIN, TOPICS, Repair, added_around
from pyodide_tok.verify.report import Cause, Example, Report
from pyodide_tok.verify.splits import other_pre_tokenizers
from pyodide_tok.vocab.families import KEY
from pyodide_tok.vocab.vocab import CONTROL, USER_DEFINED, tokens_with

SPECIAL_PROBED = 64  # special tokens that are put between other texts
SAMPLE = 400  # differing texts on which a repair is tried first, and agreeing ones it must keep
EXAMPLES = 3
SHORT = 8  # characters: a text that is not longer is not shortened
ROUNDS = 40  # of shortening one example
PARTS = 64  # into which it is cut at most

Ids: TypeAlias = Sequence[int]
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Ask:
    """Texts to encode with the original tokenizer; `add_special`: with what it puts around."""

    texts: tuple[str, ...]
    add_special: bool = False


Asking: TypeAlias = Generator[Ask, Sequence[Ids], _T]


@dataclass(frozen=True, slots=True)
class _Finding:
    """The tokenizer as repaired so far, what still differs, and why the rest did."""

    tokenizer: Tokenizer
    left: tuple[str, ...]
    causes: tuple[Cause, ...] = ()
    known: tuple[Cause, ...] = ()


def verification(
    tokenizer: Tokenizer, original: Original, texts: Iterable[str] = ()
) -> Asking[Report]:
    """Compares ids on the probe texts, on every token's text and on `texts`.

    Yields `Ask`s; each is answered, by `send`, with the original's ids of its texts. Returns the
    `Report`.
    """
    asked = _texts(tokenizer, original, texts)
    answers = yield Ask(asked)
    theirs = dict(zip(asked, answers, strict=True))
    left = tuple(_different(tokenizer, theirs, asked))
    agreeing = _sample(sorted(theirs.keys() - set(left)))
    found = yield from _departed(_Finding(tokenizer, left), original, theirs)
    for topic in TOPICS:
        for repair in list(topic(found.tokenizer, original)):
            found = yield from _repaired(found, original, repair, theirs, agreeing)
    others = other_pre_tokenizers(found.tokenizer, original, {t: theirs[t] for t in found.left})
    best = max(others, key=lambda repair: _gain(found, repair, theirs, agreeing), default=None)
    if best:
        found = yield from _repaired(found, original, best, theirs, agreeing)
    found = yield from _around(found, original, theirs)
    found = yield from _departed(found, original, theirs)
    different = len(left) - sum(cause.different for cause in found.known)
    around = sum(cause.code in ("bos", "eos") for cause in found.causes)
    rest = yield from _unexplained(found, original, theirs)
    return Report(len(asked) + 1, different + bool(around), found.causes + rest, found.known)


def _texts(tokenizer: Tokenizer, original: Original, texts: Iterable[str]) -> tuple[str, ...]:
    vocab = tokenizer.vocab
    ours = [vocab.texts[i] for i in tokens_with(vocab.attrs, CONTROL | USER_DEFINED)]
    special = list(dict.fromkeys(chain((token.text for token in original.added), ours)))
    return probes.distinct(
        chain(
            probes.general(),
            special,
            (text for token in special[:SPECIAL_PROBED] for text in probes.around(token)),
            (tokenizer.decode([i]) for i in range(len(vocab))),
            texts,
        )
    )


def _ours(tokenizer: Tokenizer, text: str) -> list[int]:
    return tokenizer.encode(text, add_special=False, parse_special=True)


def _different(
    tokenizer: Tokenizer, theirs: Mapping[str, Ids], texts: Iterable[str]
) -> Iterator[str]:
    return (text for text in texts if _ours(tokenizer, text) != list(theirs[text]))


def _size(text: str) -> tuple[int, str]:
    return len(text), text


def _sample(texts: Sequence[str]) -> Sequence[str]:
    """Up to SAMPLE texts, spread evenly."""
    return texts[:: max(1, len(texts) // SAMPLE)]


# -- causes -------------------------------------------------------------------------------


def _repaired(
    found: _Finding,
    original: Original,
    repair: Repair,
    theirs: Mapping[str, Ids],
    agreeing: Sequence[str],
) -> Asking[_Finding]:
    """Applies the repair if it makes texts agree, and hardly any differ that agreed before."""
    if _gain(found, repair, theirs, agreeing) <= 0:
        return found
    repaired = _with(found.tokenizer, repair) or found.tokenizer
    left = tuple(_different(repaired, theirs, found.left))
    fixed = sorted(set(found.left) - set(left), key=_size)
    shown = yield from _examples(fixed, found.tokenizer, repaired, original, theirs)
    cause = Cause(repair.code, repair.message, repair.suggestion, len(fixed), shown, repair.changes)
    return _Finding(repaired, left, (*found.causes, cause), found.known)


def _with(tokenizer: Tokenizer, repair: Repair) -> Tokenizer | None:
    """The tokenizer of the changed metadata, or None if such a file would not load."""
    pre = {KEY + "pre": tokenizer.pre} if tokenizer.pre else {}  # it may have been overridden
    try:
        return Tokenizer(changed(tokenizer.gguf, {**pre, **repair.changes}))
    except TokError:
        return None


def _gain(
    found: _Finding, repair: Repair, theirs: Mapping[str, Ids], agreeing: Sequence[str]
) -> int:
    """How many texts of a sample the repair makes agree, less ten for each that it breaks."""
    repaired = _with(found.tokenizer, repair) if found.left else None
    if repaired is None:
        return 0
    sample = _sample(found.left)
    fixed = len(sample) - sum(1 for _ in _different(repaired, theirs, sample))
    return fixed - 10 * sum(1 for _ in _different(repaired, theirs, agreeing))


def _around(found: _Finding, original: Original, theirs: Mapping[str, Ids]) -> Asking[_Finding]:
    """Whether both put the same tokens before and after a text."""
    agreeing = theirs.keys() - set(found.left)
    if not agreeing:
        return found
    text = probes.PLAIN if probes.PLAIN in agreeing else min(agreeing, key=_size)
    (full,) = yield Ask((text,), add_special=True)
    ours = found.tokenizer.encode(text, parse_special=True)
    plain = list(theirs[text])
    example = _example(text, ours, full, found.tokenizer, original)
    causes = [
        Cause(repair.code, repair.message, repair.suggestion, 1, (example,), repair.changes)
        for repair in added_around(found.tokenizer, _split(ours, plain), _split(full, plain))
    ]
    return _Finding(found.tokenizer, found.left, (*found.causes, *causes), found.known)


def _split(full: Ids, plain: Ids) -> tuple[list[int], list[int]]:
    """What stands before and after the ids of the text itself."""
    full, size = list(full), len(plain)
    starts = (i for i in range(len(full) - size + 1) if full[i : i + size] == plain)
    at = next(starts, 0)
    return full[:at], full[at + size :]


def _departed(found: _Finding, original: Original, theirs: Mapping[str, Ids]) -> Asking[_Finding]:
    """Takes out the texts that differ because llama.cpp differs there by itself."""
    left, known = found.left, list(found.known)
    for departure in departures(found.tokenizer, original):
        explained = yield from _explained(departure, left, found.tokenizer)
        if explained:
            examples = tuple(
                _example(
                    text, _ours(found.tokenizer, text), theirs[text], found.tokenizer, original
                )
                for text in sorted(explained, key=len)[:EXAMPLES]
            )
            advice = "Nothing to fix in the file."
            known.append(Cause(departure.code, departure.message, advice, len(explained), examples))
            left = tuple(text for text in left if text not in explained)
    return _Finding(found.tokenizer, left, found.causes, tuple(known))


def _explained(
    departure: Departure, texts: Sequence[str], tokenizer: Tokenizer
) -> Asking[frozenset[str]]:
    """The texts on whose changed form both agree."""
    forms = {text: departure.without(text) for text in texts}
    forms = {text: form for text, form in forms.items() if form != text}
    if not forms:
        return frozenset()
    answers = yield Ask(tuple(forms.values()))
    pairs = zip(forms.items(), answers, strict=True)
    return frozenset(text for (text, form), ids in pairs if _ours(tokenizer, form) == list(ids))


def _unexplained(
    found: _Finding, original: Original, theirs: Mapping[str, Ids]
) -> Asking[tuple[Cause, ...]]:
    if not found.left:
        return ()
    texts = sorted(found.left, key=_size)
    examples = yield from _examples(texts, found.tokenizer, None, original, theirs)
    message = f"{len(texts)} texts differ, and no change of the metadata tried here explains them."
    return (Cause("other", message, AGAIN, len(texts), examples),)


# -- examples -----------------------------------------------------------------------------


def _examples(
    texts: Sequence[str],
    before: Tokenizer,
    after: Tokenizer | None,
    original: Original,
    theirs: Mapping[str, Ids],
) -> Asking[tuple[Example, ...]]:
    """The smallest texts that `before` splits differently and `after`, if given, does not."""
    examples = []
    for text in texts[:EXAMPLES]:
        small, ids = yield from _shortened(text, theirs[text], before, after)
        examples.append(_example(small, _ours(before, small), ids, before, original))
    return tuple(dict.fromkeys(examples))


def _shortened(
    text: str, ids: Ids, before: Tokenizer, after: Tokenizer | None
) -> Asking[tuple[str, Ids]]:
    """Leaves parts of a text out as long as the difference stays (delta debugging)."""
    parts = 2
    for _ in range(ROUNDS):
        if len(text) <= SHORT or parts > min(len(text), PARTS):
            break
        size = -(-len(text) // parts)
        shorter = tuple(text[:i] + text[i + size :] for i in range(0, len(text), size))
        answers = yield Ask(shorter)
        still = (
            (part, list(theirs))
            for part, theirs in zip(shorter, answers, strict=True)
            if part
            and _ours(before, part) != list(theirs)
            and (after is None or _ours(after, part) == list(theirs))
        )
        smaller = next(still, None)
        text, ids = smaller or (text, ids)
        parts = max(parts - 1, 2) if smaller else 2 * parts
    return text, ids


def _example(
    text: str, ours: Ids, theirs: Ids, tokenizer: Tokenizer, original: Original
) -> Example:
    return Example(
        text,
        tuple(ours),
        tuple(theirs),
        tuple(map(tokenizer.id_to_token, ours)),
        tuple(map(original.text_of, theirs)),
    )
