"""All that can be asked of a tokenizer, and what must hold of the answers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from pyodide_tok import Tokenizer, TokError

OPTIONS = [
    {"add_special": add, "parse_special": parse} for add in (True, False) for parse in (True, False)
]
LONE = re.compile("[\ud800-\udfff]")
LONG = 3000  # characters; of longer texts less is asked


def tokenizer_of(data: Any) -> Tokenizer | None:
    """The tokenizer of a file, or None if the file is refused as it should be."""
    try:
        return Tokenizer.from_gguf(data)
    except TokError as error:
        assert isinstance(error, ValueError) and str(error)
        return None


def exercise(tok: Tokenizer, text: str | bytes, which: int | None = None) -> None:
    """Asks for everything; an assertion fails, or something is raised, when it is wrong.

    which: of OPTIONS; left out all of them are tried, where the text is not long.
    """
    if tok.type == "NONE":
        for ask in (tok.encode, tok.tokenize, tok.explain, tok.decode_bytes):
            refused(ask, text or "a")
        return
    wanted = OPTIONS[: 1 if len(text) > LONG else 4] if which is None else [OPTIONS[which]]
    for options in wanted:
        ids = tok.encode(text, **options)
        assert tok.encode_batch([text], **options) == [ids]
        assert tok.count(text, **options) == len(ids)
        assert all(0 <= token < tok.n_vocab for token in ids)
        check_places(tok, text, ids, options)
        check_texts(tok, ids)
    json.dumps(tok.explain(text).as_dict())


def refused(ask: Callable[..., Any], *args: Any) -> None:
    try:
        ask(*args)
    except TokError:
        return
    raise AssertionError(f"{ask} should have refused")


def check_places(
    tok: Tokenizer, text: str | bytes, ids: list[int], options: dict[str, bool]
) -> None:
    encoding = tok.tokenize(text, **options)
    assert encoding.ids == ids
    size = len(text) if isinstance(text, bytes) else len(LONE.sub("\ufffd", text).encode())
    edges = [edge for place in encoding.byte_offsets for edge in place]
    assert edges == sorted(edges) and (not edges or edges[-1] <= size)
    assert all(start <= end for start, end in encoding.offsets)


def check_texts(tok: Tokenizer, ids: list[int]) -> None:
    whole = tok.decode(ids)
    stream = tok.stream_decoder()
    assert "".join([*map(stream.feed, ids), stream.flush()]) == whole
    tok.decode_bytes(ids, remove_special=True, unparse_special=True)
    assert len(tok.tokenize(b"").ids) <= 2


def about(tok: Tokenizer) -> None:
    """Asks for what does not depend on a text."""
    assert all(0 <= id < tok.n_vocab for id in (*tok.special_ids.values(), *tok.eog_ids))
    assert all(warning.code and warning for warning in tok.warnings)
    if tok.type == "NONE":
        return
    for id in {0, tok.n_vocab - 1, *tok.special_ids.values()} & set(range(tok.n_vocab)):
        assert isinstance(tok.token_to_piece(id), bytes)
        tok.token_to_id(tok.id_to_token(id))
