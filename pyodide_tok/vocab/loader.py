"""Metadata -> a frozen `Vocab`, as llama.cpp's loader makes it (llama-vocab.cpp, `impl::load`)."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from functools import reduce

from pyodide_tok.errors import Notice, VocabError
from pyodide_tok.vocab.families import FAMILIES, KEY, Family
from pyodide_tok.vocab.metadata import Metadata, column_of, numbers_of, strings_of, value_of
from pyodide_tok.vocab.retyping import Tokens, steps
from pyodide_tok.vocab.specials import SPECIAL_ID_KEYS
from pyodide_tok.vocab.vocab import (
    BYTE,
    CONTROL,
    NORMAL,
    UNDEFINED,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    Flags,
    Vocab,
)

# llama_token_type (the file's numbers, index) -> llama_token_attr
_ATTR_OF_TYPE = (UNDEFINED, NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE)

MAX_DUMMIES = 1 << 19  # tokens of a model without vocabulary: twice what any has

_FLAG_KEYS = {
    "add_bos": "add_bos_token",
    "add_eos": "add_eos_token",
    "add_sep": "add_sep_token",
    "add_space_prefix": "add_space_prefix",
    "remove_extra_whitespaces": "remove_extra_whitespaces",
    "lowercase": "normalizer.lowercase",
    "strip_accents": "normalizer.strip_accents",
    "nfc": "normalizer.nfc",
}

PreFlags = Mapping[str, bool]
Notices = list[Notice]


def load_vocab(metadata: Metadata, pre: str, pre_flags: PreFlags, model: str) -> Vocab:
    """Build the `Vocab` of a file's metadata.

    `model` is `model_of(metadata)`; `pre` and `pre_flags` are the pre-tokenizer's name and the
    flags it sets (empty for types other than BPE). Raises `VocabError`.
    """
    family = FAMILIES[model]
    texts, text_notices = _texts(metadata, family, model)
    size = len(texts)
    token_to_id = dict(zip(texts, range(size), strict=True))
    file_attrs = _attrs(metadata, family, size)
    flags, flag_notices = _flags(metadata, family, pre_flags)
    special, special_notices = _special_ids(metadata, family, pre_flags, size)
    notices = text_notices + flag_notices + special_notices
    notices += _missing_notices(family, flags, special)
    notices += _duplicate_notices(size - len(token_to_id))
    scores = _scores(metadata, family, size)
    read = Tokens(texts, token_to_id, file_attrs, special)
    tokens = reduce(lambda tokens, step: step(tokens), steps(metadata, family, pre), read)
    return Vocab(
        family=family,
        model=model,
        pre=pre,
        texts=_without_markers(texts, token_to_id, family),
        scores=scores,
        attrs=tokens.attrs,
        file_attrs=file_attrs,
        token_to_id=token_to_id,
        merges=_merges(metadata, family, pre),
        special=tokens.special,
        eot_candidates=tokens.eot_candidates,
        eog=tokens.eog,
        suppress_tokens=_suppress_tokens(metadata, size),
        flags=flags,
        precompiled_charsmap=_charsmap(metadata, family),
        token_type_count=int(value_of(metadata, "token_type_count", int, 0)),
        warnings=(*notices, *tokens.notices),
    )


# -- token texts ----------------------------------------------------------------------------


def _texts(metadata: Metadata, family: Family, model: str) -> tuple[tuple[str, ...], Notices]:
    if family.tokens == "dummies":
        return _dummies(metadata), []
    if family.tokens == "bytes":
        message = "the file has no tokens; each byte of a text is a token"
        return tuple(map(_byte_text, range(256))), [Notice("no-tokens", message)]
    notices = []
    if not metadata.get(KEY + "model"):
        notices.append(Notice("missing-model", f"{KEY}model is missing; taken as {model!r}"))
    texts = strings_of(metadata, "tokens")
    if "" in texts:
        notices.append(_empty_notice(texts))
        texts = tuple([text or _EMPTY.format(i) for i, text in enumerate(texts)])
    return texts, notices


_EMPTY = "[EMPTY_{}]"


def _byte_text(byte: int) -> str:
    return bytes((byte,)).decode("utf-8", "surrogateescape")


def _empty_notice(texts: tuple[str, ...]) -> Notice:
    count, first = texts.count(""), texts.index("")
    which = f"token {first} has" if count == 1 else f"{count} tokens, from {first} on, have"
    return Notice("empty-token", f"{which} no text; shown as {_EMPTY.format(first)}")


def _dummies(metadata: Metadata) -> tuple[str, ...]:
    size = metadata.get(f"{metadata.get('general.architecture')}.vocab_size", 0)
    if not isinstance(size, int) or not 0 <= size <= MAX_DUMMIES:
        return ()
    return tuple([f"[DUMMY_{i}]" for i in range(size)])


def _duplicate_notices(count: int) -> Notices:
    if not count:
        return []
    message = (
        f"{count} token texts stand more than once (llama.cpp refuses such a file);"
        " the later id is used"
    )
    return [Notice("duplicate-tokens", message)]


def _without_markers(
    texts: tuple[str, ...], token_to_id: Mapping[str, int], family: Family
) -> tuple[str, ...]:
    """6-mers, the tokens after <oov>, are decoded without their marker."""
    if not family.marker or "<oov>" not in token_to_id:
        return texts
    first = token_to_id["<oov>"] + 1
    return (*texts[:first], *(text.removesuffix(family.marker) or text for text in texts[first:]))


# -- attributes, scores and other columns ---------------------------------------------------


def _attrs(metadata: Metadata, family: Family, size: int) -> array[int]:
    default = BYTE if family.tokens == "bytes" else NORMAL
    types = None
    if family.tokens == "file":
        types = column_of(metadata, "token_type", "il", "int32", size)
    if types is None:
        return array("H", [default]) * size
    try:
        # a negative index would be a valid one, so it is looked for first
        if min(types, default=0) >= 0:
            return array("H", map(_ATTR_OF_TYPE.__getitem__, types))
    except IndexError:
        pass
    known = range(len(_ATTR_OF_TYPE))
    return array("H", (_ATTR_OF_TYPE[t] if t in known else UNDEFINED for t in types))


def _scores(metadata: Metadata, family: Family, size: int) -> memoryview:
    scores = None
    if family.tokens == "file":
        scores = column_of(metadata, "scores", "fil", "float32 or int32", size)
    if scores is None:
        return memoryview(array("f", bytes(4 * size)))
    return scores if scores.format == "f" else memoryview(array("f", scores))


def _merges(metadata: Metadata, family: Family, pre: str) -> tuple[str, ...]:
    missing = family.has_merges and KEY + "merges" not in metadata
    if missing and pre != "kimi-k2":  # Kimi-K2 needs none
        raise VocabError(f"{KEY}merges is missing: a BPE vocabulary cannot work without it")
    return strings_of(metadata, "merges") if family.has_merges else ()


def _charsmap(metadata: Metadata, family: Family) -> bytes:
    if not family.has_charsmap:
        return b""
    value = numbers_of(metadata, "precompiled_charsmap", "bB", "int8 or uint8")
    return value.tobytes() if value is not None else b""


def _suppress_tokens(metadata: Metadata, size: int) -> tuple[int, ...]:
    value = numbers_of(metadata, "suppress_tokens", "il", "int32")
    return tuple(token for token in value or () if 0 <= token < size)


# -- flags and special ids ------------------------------------------------------------------


def _flags(metadata: Metadata, family: Family, pre_flags: PreFlags) -> tuple[Flags, Notices]:
    names = Flags.__dataclass_fields__
    values = dict(family.flags) | {k: v for k, v in pre_flags.items() if k in names}
    for name, key in _FLAG_KEYS.items():
        if KEY + key in metadata:
            values[name] = bool(value_of(metadata, key, int, False))
    values.setdefault("strip_accents", values.get("lowercase", True))
    escaped_bpe = family.has_merges and values["escape_whitespaces"]
    scheme = value_of(metadata, "metaspace.prepend_scheme", str, "")
    values["prepend_first"] = escaped_bpe and scheme == "first"
    # llama.cpp's workaround for files converted with add_bos_token = false
    if not pre_flags.get("needs_bos") or values.get("add_bos"):
        return Flags(**values), []
    notice = Notice("add-bos-forced", f"{KEY}add_bos_token is taken as true for Gemma 4")
    return Flags(**values | {"add_bos": True}), [notice]


def _special_ids(
    metadata: Metadata, family: Family, pre_flags: PreFlags, size: int
) -> tuple[dict[str, int], Notices]:
    ids, notices = dict(family.special), []
    if family.tokens != "file":
        return ids, []
    if pre_flags.get("no_bos"):
        ids.pop("bos", None)
    for name, key in SPECIAL_ID_KEYS:
        if ids.get(name, -1) >= size:
            message = f"default {name} {ids.pop(name)} is no token"
            notices.append(Notice("special-id-disabled", message))
        if key not in metadata:
            continue
        value = value_of(metadata, key.removeprefix(KEY), int, None)
        if 0 <= value < size:
            ids[name] = value
        else:
            message = f"{key} = {value} is no token; ignored"
            notices.append(Notice("special-id-out-of-range", message))
    return ids, notices


def _missing_notices(family: Family, flags: Flags, special: Mapping[str, int]) -> Notices:
    """llama.cpp ends the process when it has to add a token that is missing."""
    wanted = (
        (family.before, flags.add_bos or family.added_always),
        (family.after, flags.add_eos or family.added_always),
    )
    return [
        Notice(f"missing-{name}", f"the model wants a {name} token and has none")
        for name, is_added in wanted
        if name and is_added and name not in special
    ]
