"""The worker's entry: whatever a file and a text are, an answer of plain data comes back."""

from __future__ import annotations

from array import array
from typing import Any

from pyodide_tok.page import bridge
from tests.fuzz.choices import Choices
from tests.fuzz.recipes import Case, file_of, text_of
from tests.fuzz.targets import reader, vocab

IDS = (0, 1, -1, 2, 255, 1 << 31, -(1 << 31), 1 << 40)
QUERIES = (
    "",
    "a",
    "0",
    "999999999",
    ".*",
    "(",
    "\ud800",
    "\0",
    "▁",
    " ",
    "<",
    "A" * 300,
    "\udcff",
    "İ",
)
KINDS = ("", "eog", "unknown", "control", "normal", "single-word", "byte")
PLAIN = (str, bytes, int, float, array, type(None))


def make(choices: Choices) -> Case:
    if choices.chance(3):
        case = reader.make(choices)
        return {**case, "text": [choices.pick(vocab.UNITS)], "calls": calls(choices)}
    return {**vocab.make(choices), "calls": calls(choices)}


def calls(choices: Choices) -> list[Any]:
    return choices.several(lambda: one_call(choices), 6)


def one_call(choices: Choices) -> list[Any]:
    method = choices.pick(
        ("encode", "explain", "count", "decode", "pieces", "token", "search", "info")
    )
    if method in ("encode", "explain", "count"):
        return [method, {key: bool(choices.below(2)) for key in ("add_special", "parse_special")}]
    if method in ("decode", "pieces"):
        return [method, {"ids": choices.several(lambda: choices.pick(IDS), 4)}]
    if method == "token":
        return [method, {"id": choices.pick(IDS)}]
    if method == "search":
        numbers = {key: choices.pick((0, 1, 100, 1 << 31)) for key in ("offset", "limit")}
        return [method, {"query": choices.pick(QUERIES), "kind": choices.pick(KINDS), **numbers}]
    return [method, {}]


def size(case: Case) -> int:
    return len(data_of(case)) + vocab.TEXT_WEIGHT * len(text_of(case))


def data_of(case: Case) -> bytes:
    return bytes.fromhex(case["hex"]) if "hex" in case else file_of(case)


def check(case: Case) -> None:
    text = text_of(case)
    text = text if isinstance(text, str) else text.decode("utf-8", "replace")
    answer = asked("load", {"head": memoryview(data_of(case)), "name": "n", "complete": True})
    handle = answer.get("result", {}).get("handle", 0)
    for method, params in case["calls"]:
        given = {"text": text} if method in ("encode", "explain", "count") else {}
        asked(method, {"handle": handle, **given, **params})
    asked("load", {"head": data_of(case), "complete": False, "pre": "gpt-2"})
    for known in list(bridge._models):
        asked("unload", {"handle": known})


def asked(method: str, params: dict[str, Any]) -> dict[str, Any]:
    answer = bridge.call(method, params)
    check_plain(answer)
    assert answer.keys() in ({"result"}, {"error"})
    error = answer.get("error", {})
    assert error.get("code") not in ("internal", "memory"), error
    return answer


def check_plain(value: Any) -> None:
    """What Pyodide hands to JavaScript as objects of its own."""
    if isinstance(value, dict):
        assert all(isinstance(key, str) for key in value), value
        for part in value.values():
            check_plain(part)
    elif isinstance(value, list | tuple):
        for part in value:
            check_plain(part)
    else:
        assert isinstance(value, PLAIN), type(value)
