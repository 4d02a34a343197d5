"""What the page's views ask of a model, as plain data: one token, a search, names to choose."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from pyodide_tok.errors import Notice, TokError
from pyodide_tok.pretokenize.table import PRE_TOKENIZERS
from pyodide_tok.text.codepoints import BYTE_TO_CHAR
from pyodide_tok.text.spaces import SPACE
from pyodide_tok.text.utf8 import utf8
from pyodide_tok.tokenizer import Tokenizer
from pyodide_tok.vocab import vocab as attrs
from pyodide_tok.vocab.vocab import Vocab, tokens_with

ATTR_NAMES = {
    attrs.UNKNOWN: "unknown",
    attrs.UNUSED: "unused",
    attrs.NORMAL: "normal",
    attrs.CONTROL: "control",
    attrs.USER_DEFINED: "user-defined",
    attrs.BYTE: "byte",
    attrs.NORMALIZED: "normalized",
    attrs.LSTRIP: "lstrip",
    attrs.RSTRIP: "rstrip",
    attrs.SINGLE_WORD: "single-word",
}
_BITS = {name: bit for bit, name in ATTR_NAMES.items()}
_HOW = {  # how a token's text must fit a query
    "contains": "(?:{})",
    "starts": r"\A(?:{})",
    "ends": r"(?:{})\Z",
    "exact": r"\A(?:{})\Z",
}
_LONGEST = 300  # characters of a token in a list


class QueryError(TokError, ValueError):
    """A search that cannot be made: a regular expression or bytes that are not valid."""

    code = "query"


def notices(warnings: Sequence[Notice | str]) -> list[dict[str, str]]:
    """Each warning with its stable code."""
    return [{"code": getattr(w, "code", ""), "message": str(w)} for w in warnings]


def token_facts(model: Tokenizer, id: int) -> dict[str, Any]:
    """What a vocabulary says of one id.

    `score` is of types that go by scores, `rank` is the earliest merge that makes a BPE token;
    either is None where there is none. `names`: what special token it is ("bos", ...).
    """
    text, vocab = model.id_to_token(id), model.vocab
    return {
        **_row(model, id),
        "score": vocab.scores[id] if vocab.family.has_scores else None,
        "rank": merge_rank(vocab, text),
        "names": [name for name, special in model.special_ids.items() if special == id],
        "eog": model.is_eog(id),
    }


def merge_rank(vocab: Vocab, text: str) -> int | None:
    """The rank of the earliest merge that makes `text`; None if none does."""
    of_its_size = ((i, m) for i, m in enumerate(vocab.merges) if len(m) == len(text) + 1)
    return next((rank for rank, merge in of_its_size if _joined(merge) == text), None)


def _joined(merge: str) -> str:
    cut = merge.find(" ", 1)  # as llama.cpp reads it: a space can be the left part
    return merge[:cut] + merge[cut + 1 :]


def search(
    model: Tokenizer,
    query: str = "",
    kind: str = "",
    offset: int = 0,
    limit: int = 100,
    how: str = "contains",
) -> dict[str, Any]:
    """A page of the tokens that match: {"total", "rows"}.

    query: an id, or a part of a token's text as it is in the file or as it is written out;
    in ASCII, upper and lower case are one. kind: a name of `ATTR_NAMES`, "eog", or "" for all.
    how: a key of `_HOW`, "regex" (on the file's text) or "bytes" (hex, a part of the piece).
    """
    found = list(_matching(model, query, _of_kind(model, kind), how))
    rows = [_row(model, id, _LONGEST) for id in islice(found, offset, offset + limit)]
    return {"total": len(found), "rows": rows}


def _of_kind(model: Tokenizer, kind: str) -> Sequence[int]:
    if not kind:
        return range(model.n_vocab)
    if kind == "eog":
        return sorted(model.eog_ids)
    return tokens_with(model.vocab.attrs, _BITS[kind])


def _matching(model: Tokenizer, query: str, ids: Sequence[int], how: str) -> Iterator[int]:
    """Those of `ids` that match; with "contains", the token of that very text or id comes first."""
    if not query:
        yield from ids
        return
    if how == "bytes":
        part = _from_hex(query)
        yield from (id for id in ids if part in model.token_to_piece(id))
        return
    forms = tuple(dict.fromkeys((_as_written(model, query), query)))
    first = _named(model, query, forms, ids) if how == "contains" else []
    yield from first
    matches, texts = _pattern(query, forms, how).search, model.vocab.texts
    yield from (id for id in ids if id not in first and matches(texts[id]))


def _named(model: Tokenizer, query: str, forms: Sequence[str], ids: Sequence[int]) -> list[int]:
    """The tokens of that very text or id."""
    named = [id for form in forms if (id := model.token_to_id(form)) is not None]
    if re.fullmatch(r"[0-9]{1,9}", query):
        named.append(int(query))
    return [id for id in dict.fromkeys(named) if id in ids]


def _pattern(query: str, forms: Sequence[str], how: str) -> re.Pattern[str]:
    if how != "regex":
        pattern = _HOW[how].format("|".join(map(re.escape, forms)))
        return re.compile(pattern, re.IGNORECASE if query.isascii() else 0)
    try:
        return re.compile(query)
    except re.error as error:
        raise QueryError(f"The regular expression is not valid: {error}.") from None


def _from_hex(query: str) -> bytes:
    try:
        return bytes.fromhex(query.replace("0x", " "))
    except ValueError:
        raise QueryError(f"Write bytes in hex, such as E4 BD A0, not {query!r}.") from None


def _as_written(model: Tokenizer, query: str) -> str:
    """How the file writes a text: in GPT-2's characters, or with U+2581 for spaces."""
    written = utf8(query.encode("utf-8", "surrogatepass").decode("utf-8", "replace"))
    if model.vocab.rendering == "printable":
        return "".join(BYTE_TO_CHAR[byte] for byte in written)
    return query.replace(" ", SPACE) if model.vocab.rendering == "spaces" else query


def _row(model: Tokenizer, id: int, longest: int = sys.maxsize) -> dict[str, Any]:
    """longest: characters, or bytes, of a token that are told; a file may have megabytes."""
    bits = model.vocab.attrs[id]
    piece = model.token_to_piece(id)[: longest + 1]
    return {
        "id": id,
        "text": _cut(model.id_to_token(id), longest),
        "bytes": _cut(piece.hex(" ").upper(), 3 * longest),
        "attrs": [name for bit, name in ATTR_NAMES.items() if bits & bit],
    }


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"


def pre_tokenizer_names() -> list[str]:
    """All names that `tokenizer.ggml.pre` may have."""
    return sorted(PRE_TOKENIZERS)
