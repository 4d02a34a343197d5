"""The one module that knows the page: plain data in, plain data and buffers out.

`call(method, params)` is the whole entry.  It never raises: errors come back as data.  Models are
kept here and known to the page by a handle; token columns leave as arrays, never as per-token
objects; positions are in UTF-16 units, as JavaScript counts.
"""

from __future__ import annotations

import gc
import json
import re
import traceback
from array import array
from collections.abc import Callable, Sequence
from dataclasses import asdict
from itertools import accumulate, count
from typing import Any

from pyodide_tok import inspection
from pyodide_tok.counting import TokenCounter, TokenSplitter
from pyodide_tok.errors import TokError, TruncatedError
from pyodide_tok.gguf.reader import GGUFFile
from pyodide_tok.page import views
from pyodide_tok.tokenizer import Tokenizer

# One text for all that is made on first use: merge ranks, patterns, the paths beyond ASCII.
_WARM_UP = "Hello, it's 2 o'clock.\n\n  naïve 你好 Привет 🙂"

_MOST_HELD = 16 << 20  # bytes of a text that comes in parts but cannot be cut

_models: dict[int, Tokenizer] = {}
_infos: dict[int, dict[str, Any]] = {}
_preloaded: dict[str, int] = {}
_counters: dict[int, TokenCounter] = {}
_handles = count(1)


class UnknownHandle(TokError, ValueError):
    """The page speaks of a model, or of a count, that is over or never began in this worker."""

    code = "model-unknown"


def call(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """{"result": ...}, or {"error": {"code", "message", ...}} with what the error knows."""
    try:
        return {"result": METHODS[method](**params)}
    except TokError as error:
        return {"error": {**vars(error), "code": error.code, "message": str(error)}}
    except MemoryError:
        message = "There is not enough memory for this in the browser tab."
        return {"error": {"code": "memory", "message": message}}
    except Exception as error:
        message = f"A fault of this program, not of your file or text: {error!r}"
        detail = traceback.format_exc()
        return {"error": {"code": "internal", "message": message, "detail": detail}}


def load(
    head: Any, name: str = "", complete: bool = True, pre: str | None = None
) -> dict[str, Any]:
    """A model from the first bytes of its file: {"handle", "info"}.

    {"need": n} when the header is longer than `head` and the file has more (`complete` false):
    at least n bytes are wanted, from the start.
    """
    try:
        gguf = GGUFFile.parse(head)
    except TruncatedError as error:
        if complete:
            raise
        return {"need": error.need}
    tokenizer = Tokenizer.from_gguf(gguf, pre=pre)
    handle = next(_handles)
    _models[handle] = tokenizer
    info = inspection.describe(tokenizer)
    warnings = views.notices(tokenizer.warnings)
    _infos[handle] = {**info, "name": info["name"] or name, "warnings": warnings}
    return {"handle": handle, "info": _infos[handle]}


def preload(name: str, head: Any) -> None:
    """Load a built-in model ahead of any page: called when the memory snapshot is made."""
    _preloaded[name] = handle = load(head, name)["handle"]
    encode(handle, _WARM_UP)


def preloaded(name: str) -> dict[str, Any] | None:
    """The built-in model that the snapshot brought along, once; None when it did not."""
    handle = _preloaded.pop(name, 0)
    return {"handle": handle, "info": _infos[handle]} if handle else None


def unload(handle: int) -> None:
    """Forget a model; an unknown handle is no error."""
    _models.pop(handle, None)
    _infos.pop(handle, None)
    gc.collect()


def encode(
    handle: int, text: str, add_special: bool = True, parse_special: bool = False
) -> dict[str, Any]:
    """Token columns: ids (int32), attrs (uint16), and places (uint32): starts and ends in UTF-16
    units, byte_starts and byte_ends in bytes of UTF-8.

    Beside them the text's length in characters (code points) and in bytes of UTF-8.
    """
    encoding = _model(handle).tokenize(text, add_special=add_special, parse_special=parse_special)
    to_utf16 = utf16_mapper(text)
    return {
        "ids": array("i", encoding.ids),
        "starts": to_utf16(encoding.char_starts),
        "ends": to_utf16(encoding.char_ends),
        "byte_starts": encoding.byte_starts,
        "byte_ends": encoding.byte_ends,
        "attrs": array("H", encoding.attrs),
        "warnings": views.notices(encoding.warnings),
        "characters": len(text),
        "bytes": len(text.encode("utf-8", "surrogatepass")),
    }


def count_tokens(
    handle: int, text: str, add_special: bool = True, parse_special: bool = False
) -> int:
    """How many tokens `text` has."""
    return _model(handle).count(text, add_special=add_special, parse_special=parse_special)


def count_begin(
    handle: int, add_special: bool = True, parse_special: bool = False, split: int = 0
) -> int:
    """Begin to count a text that comes in parts: the `counter` for `count_feed` and `count_end`,
    or for `count_drop` where the text is not read to its end.

    split: cut it every so many tokens, too; BOS and EOS are not counted then.
    """
    model = _model(handle)
    number = next(_handles)
    _counters[number] = (
        TokenSplitter(model, split, parse_special=parse_special, max_held=_MOST_HELD)
        if split
        else TokenCounter(
            model, add_special=add_special, parse_special=parse_special, max_held=_MOST_HELD
        )
    )
    return number


def count_feed(counter: int, data: Any) -> int:
    """The next bytes of a text; returns how many tokens there are for certain so far."""
    counting = _counter(counter)
    counting.feed(data)
    return counting.tokens


def count_end(counter: int) -> dict[str, Any]:
    """{"tokens", "characters", "bytes", "is_utf8"} of the text; and, if it was to be split, "cuts"
    and "sizes" (float64, see `TokenSplitter`)."""
    done = _counter(counter)
    count_drop(counter)
    done.finish()
    told = {name: getattr(done, name) for name in ("tokens", "characters", "bytes", "is_utf8")}
    if isinstance(done, TokenSplitter):
        told |= {"cuts": array("d", done.cuts), "sizes": array("d", done.sizes)}
    return told


def count_drop(counter: int) -> None:
    """Forget a text that comes in parts; an unknown counter is no error."""
    _counters.pop(counter, None)


def decode(
    handle: int, ids: Sequence[int], remove_special: bool = False, unparse_special: bool = True
) -> str:
    """The text of ids; bytes that are no UTF-8 become U+FFFD."""
    model = _model(handle)
    return model.decode(ids, remove_special=remove_special, unparse_special=unparse_special)


def pieces(handle: int, ids: Sequence[int]) -> dict[str, Any]:
    """The bytes of each id: all of them joined, and where each ends (uint32, in bytes)."""
    model = _model(handle)
    parts = [model.token_to_piece(token) for token in ids]
    return {"bytes": b"".join(parts), "ends": array("I", accumulate(map(len, parts)))}


def token(handle: int, id: int) -> dict[str, Any]:
    """What a vocabulary says of one id: see `views.token_facts`."""
    return views.token_facts(_model(handle), id)


def search(handle: int, **wanted: Any) -> dict[str, Any]:
    """A page of a vocabulary's tokens: see `views.search`."""
    return views.search(_model(handle), **wanted)


def explain(handle: int, text: str, add_special: bool = True, parse_special: bool = False) -> str:
    """How a text is split, as JSON: one string crosses to the page sooner than its many objects."""
    model = _model(handle)
    trace = model.explain(text, add_special=add_special, parse_special=parse_special)
    return json.dumps(trace.as_dict())


def info(handle: int) -> dict[str, Any]:
    """The facts of a loaded model, as `load` gave them."""
    _model(handle)
    return _infos[handle]


def problems(handle: int) -> list[dict[str, str]]:
    """The problems of a model's file, worst first: {"code", "severity", "message", "fix"} each."""
    return [asdict(problem) for problem in inspection.problems(_model(handle))]


METHODS: dict[str, Callable[..., Any]] = {
    "load": load,
    "preloaded": preloaded,
    "unload": unload,
    "info": info,
    "problems": problems,
    "encode": encode,
    "count": count_tokens,
    "count_begin": count_begin,
    "count_feed": count_feed,
    "count_end": count_end,
    "count_drop": count_drop,
    "decode": decode,
    "pieces": pieces,
    "token": token,
    "search": search,
    "explain": explain,
    "pre_names": views.pre_tokenizer_names,
}

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


def utf16_mapper(text: str) -> Callable[[array[int]], array[int]]:
    """A function from positions in `text`, in characters, to positions in UTF-16 units.

    >>> utf16_mapper("a😀b")(array("I", [0, 1, 2, 3]))
    array('I', [0, 1, 3, 4])
    """
    if text.isascii() or not _ASTRAL.search(text):
        return lambda positions: positions
    at = array("I", accumulate([1 + (char > "\uffff") for char in text], initial=0))
    return lambda positions: array("I", [at[position] for position in positions])


def _model(handle: int) -> Tokenizer:
    try:
        return _models[handle]
    except KeyError:
        raise UnknownHandle(f"No model is loaded under handle {handle}; load it again.") from None


def _counter(counter: int) -> TokenCounter:
    try:
        return _counters[counter]
    except KeyError:
        raise UnknownHandle(f"Nothing is counted under {counter}; begin again.") from None
