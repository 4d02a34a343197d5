"""Changes to a file's metadata that could make its tokenizer agree with the original.

Each function compares one topic and yields the changes that would settle it. Whether a change is a
cause is not decided here: a verification applies it and counts the texts that then agree.
"""

from __future__ import annotations

import base64
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, TypeAlias

from pyodide_tok.tokenizer import Tokenizer
from pyodide_tok.verify.known import retyped_by_text
from pyodide_tok.verify.original import AddedToken, Original
from pyodide_tok.vocab.families import KEY
from pyodide_tok.vocab.specials import SPECIAL_ID_KEYS
from pyodide_tok.vocab.vocab import CONTROL, SPECIAL, USER_DEFINED

AGAIN = "Convert the model again with a current llama.cpp."
_TYPE_NUMBERS = {"normal": 1, "control": 3, "user-defined": 4}  # llama_token_type
_SHOWN = 3  # tokens that a message names


@dataclass(frozen=True, slots=True)
class Repair:
    """`changes` to the metadata (key -> value), and what it means if they help."""

    code: str
    message: str
    suggestion: str
    changes: Mapping[str, Any]


# -- tokens and their ids -----------------------------------------------------------------


def as_gguf(text: str, tokenizer: Tokenizer) -> str:
    """A token text of a tokenizer.json as llama.cpp's converter writes it into a GGUF file."""
    return _AS_GGUF.get(tokenizer.type, str)(text)


def _word_piece(text: str) -> str:
    if text.startswith("[") and text.endswith("]"):
        return text
    return text[2:] if text.startswith("##") else "▁" + text


_AS_GGUF: dict[str, Callable[[str], str]] = {"WPM": _word_piece}


def _ids(tokenizer: Tokenizer, original: Original) -> Iterator[Repair]:
    wanted = {as_gguf(text, tokenizer): i for text, i in original.vocab.items()}
    ours = tokenizer.vocab.token_to_id
    moved = [text for text, i in wanted.items() if ours.get(text, i) != i]
    lost = [text for text in wanted if text not in ours]
    if not moved and not lost:
        return
    added = {token.text for token in original.added}
    only_added = not moved and added.issuperset(lost)
    shifts = {wanted[text] - ours[text] for text in moved}
    shift = f", all by {shifts.pop():+}" if len(shifts) == 1 else ""
    what = [
        f"{len(moved)} tokens have another id than in the original{shift} ({_some(moved)})",
        f"{len(lost)} tokens of the original are missing ({_some(lost)})",
    ]
    yield Repair(
        "special-token" if only_added else "ids",
        ". ".join(text for text, found in zip(what, (moved, lost), strict=True) if found) + ".",
        AGAIN,
        _columns(tokenizer, wanted, original),
    )


def _columns(tokenizer: Tokenizer, theirs: Mapping[str, int], original: Original) -> dict[str, Any]:
    """Tokens, types and scores in the original's order; special ids follow their texts."""
    vocab = tokenizer.vocab
    metadata = tokenizer.gguf.metadata
    texts = [ours for _, ours in zip_longest(range(max(theirs.values()) + 1), vocab.texts)]
    for text, i in theirs.items():
        texts[i] = text
    old = [vocab.token_to_id.get(text or "", -1) for text in texts]
    special = {token.text: token.special for token in original.added}

    def type_of(text: str | None, i: int) -> int:
        if i >= 0 or text not in special:
            return types[i] if i >= 0 else _TYPE_NUMBERS["normal"]
        return _TYPE_NUMBERS["control" if special[text] else "user-defined"]

    types: Any = metadata.get(KEY + "token_type", [1] * len(vocab))
    moved = {
        f"{key}": theirs.get(vocab.texts[i], i)
        for key, i in metadata.items()
        if key.startswith(KEY)
        and key.endswith("_token_id")
        and isinstance(i, int)
        and i < len(vocab)
    }
    scores = [vocab.scores[i] if i >= 0 else 0.0 for i in old]
    return {
        KEY + "tokens": [f"[PAD{i}]" if text is None else text for i, text in enumerate(texts)],
        KEY + "token_type": memoryview(array("i", map(type_of, texts, old))),
        **({KEY + "scores": memoryview(array("f", scores))} if KEY + "scores" in metadata else {}),
        **moved,
    }


# -- types --------------------------------------------------------------------------------


def _types(tokenizer: Tokenizer, original: Original) -> Iterator[Repair]:
    known = {token.text for token in original.added} | set(retyped_by_text(tokenizer))
    plain = [token for token in original.added if not _attr(tokenizer, token) & SPECIAL]
    control = [token.text for token in plain if token.special]
    user = [token.text for token in plain if not token.special]
    extra = [
        text
        for text, attr in zip(tokenizer.vocab.texts, tokenizer.vocab.attrs, strict=True)
        if attr & (CONTROL | USER_DEFINED) and text not in known
    ]
    for texts, kind, what in (
        (control, "control", "are special in the original and ordinary in the file"),
        (user, "user-defined", "are added tokens of the original and ordinary in the file"),
        (extra, "normal", "are special in the file and ordinary in the original"),
    ):
        if texts:
            yield Repair(
                "special-token",
                f"{len(texts)} tokens {what}: {_some(texts)}.",
                " ".join(["pyodide-tok fix MODEL OUT", *_type_options(texts, kind)]),
                {KEY + "token_type": _retyped(tokenizer, texts, kind)},
            )


def _attr(tokenizer: Tokenizer, token: AddedToken) -> int:
    """Its attributes; of one that the file lacks, as if they were right."""
    i = tokenizer.vocab.token_to_id.get(token.text)
    return SPECIAL if i is None else tokenizer.vocab.attrs[i]


def _type_options(texts: Sequence[str], kind: str) -> Iterator[str]:
    yield from (f"--type {text!r}={kind}" for text in texts[:_SHOWN])
    if len(texts) > _SHOWN:
        yield f"... ({len(texts) - _SHOWN} more: use --like TOKENIZER_JSON)"


def _retyped(tokenizer: Tokenizer, texts: Sequence[str], kind: str) -> memoryview:
    old: Any = tokenizer.gguf.metadata.get(KEY + "token_type")
    types = array("i", old if old is not None else [1] * len(tokenizer.vocab))
    for text in texts:
        types[tokenizer.vocab.token_to_id[text]] = _TYPE_NUMBERS[kind]
    return memoryview(types)


# -- merges and scores --------------------------------------------------------------------


def _merges(tokenizer: Tokenizer, original: Original) -> Iterator[Repair]:
    if not tokenizer.vocab.family.has_merges:
        return
    ours, wanted = tokenizer.vocab.merges, original.merges
    if not wanted or ours == wanted:
        return
    lost = len(set(wanted) - set(ours))
    what = (
        f"{lost} of the original's {len(wanted)} merges are missing"
        if lost
        else ("The merges have another order than in the original")
    )
    yield Repair("merges", f"{what}.", AGAIN, {KEY + "merges": list(wanted)})


def _scores(tokenizer: Tokenizer, original: Original) -> Iterator[Repair]:
    """SentencePiece's scores order the merges, as the original's list of merges does."""
    if not tokenizer.vocab.family.has_scores or not original.merges:
        return
    ranks: dict[str, int] = {}
    for rank, merge in enumerate(original.merges):
        ranks.setdefault(merge.replace(" ", ""), rank)
    scores = array("f", (float(-ranks.get(text, 0)) for text in tokenizer.vocab.texts))
    yield Repair(
        "merges",
        "The scores, which order the merges, do not follow the original's merges.",
        AGAIN,
        {KEY + "scores": memoryview(scores)},
    )


# -- normalizer ---------------------------------------------------------------------------

_FLAGS_OF = {  # type -> flags that a file may set, with the key after tokenizer.ggml.
    "SPM": {"add_space_prefix": "add_space_prefix"},
    "UGM": {
        "add_space_prefix": "add_space_prefix",
        "remove_extra_whitespaces": "remove_extra_whitespaces",
    },
    "WPM": {"lowercase": "normalizer.lowercase", "strip_accents": "normalizer.strip_accents"},
}


def _flags(tokenizer: Tokenizer, original: Original) -> Iterator[Repair]:
    for flag, key in _FLAGS_OF.get(tokenizer.type, {}).items():
        value = not getattr(tokenizer.vocab.flags, flag)
        option = f"{KEY}{key}={str(value).lower()}"
        yield Repair(
            "normalizer",
            f"The original behaves as if {option}.",
            f"pyodide-tok fix MODEL OUT --set {option}",
            {KEY + key: value},
        )


def _charsmap(tokenizer: Tokenizer, original: Original) -> Iterator[Repair]:
    encoded = original.option("precompiled_charsmap")
    if not tokenizer.vocab.family.has_charsmap or not encoded:
        return
    charsmap = base64.b64decode(encoded)
    if charsmap != tokenizer.vocab.precompiled_charsmap:
        yield Repair(
            "normalizer",
            "The file's precompiled_charsmap is not the original's: characters are normalized"
            " differently.",
            AGAIN,
            {KEY + "precompiled_charsmap": memoryview(charsmap)},
        )


# -- before and after a text --------------------------------------------------------------

Around: TypeAlias = tuple[Sequence[int], Sequence[int]]


def added_around(tokenizer: Tokenizer, ours: Around, theirs: Around) -> Iterator[Repair]:
    """Repairs for other tokens before or after a text than the original adds."""
    keys = dict(reversed(SPECIAL_ID_KEYS))  # the first key of a name is the current one
    ends = keys["bos"], keys[tokenizer.vocab.family.after or "eos"]
    for code, key, mine, wanted in zip(("bos", "eos"), ends, ours, theirs, strict=True):
        if list(mine) == list(wanted):
            continue
        changes: dict[str, Any] = {f"{KEY}add_{code}_token": bool(wanted)}
        if wanted:
            changes[key] = wanted[0]
        options = " ".join(f"--set {name}={str(value).lower()}" for name, value in changes.items())
        yield Repair(
            code,
            f"The file adds {_named(tokenizer, mine)} as {code.upper()}; the original adds"
            f" {_named(tokenizer, wanted)}.",
            f"pyodide-tok fix MODEL OUT {options}",
            changes,
        )


def _named(tokenizer: Tokenizer, ids: Sequence[int]) -> str:
    known = [repr(tokenizer.id_to_token(i)) if i < tokenizer.n_vocab else str(i) for i in ids]
    return " and ".join(known) or "no token"


def _some(texts: Sequence[str]) -> str:
    more = ", ..." if len(texts) > _SHOWN else ""
    return ", ".join(map(repr, texts[:_SHOWN])) + more


TOPICS = (_ids, _types, _merges, _scores, _charsmap, _flags)  # what hides others comes first
