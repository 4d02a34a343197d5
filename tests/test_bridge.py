"""The worker's entry: plain data in, plain data out, whatever happens."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyodide_tok import Tokenizer
from pyodide_tok.page import bridge

SAMPLES = Path(__file__).parent.parent / "web" / "samples"
GPT2 = (SAMPLES / "gpt-2.gguf").read_bytes()


def result(method: str, **params: Any) -> Any:
    reply = bridge.call(method, params)
    assert "error" not in reply, reply
    return reply["result"]


def error(method: str, **params: Any) -> dict[str, Any]:
    found: dict[str, Any] = bridge.call(method, params)["error"]
    return found


@pytest.fixture(scope="module")
def gpt2() -> Iterator[int]:
    handle = result("load", head=memoryview(GPT2), name="gpt-2.gguf")["handle"]
    yield handle
    result("unload", handle=handle)


def test_load_asks_for_more_until_the_head_is_there() -> None:
    size, asked = 1000, []
    while "need" in (reply := result("load", head=GPT2[:size], complete=False)):
        asked.append(reply["need"])
        assert reply["need"] > size
        size = max(size * 2, reply["need"])
    assert asked and size < 4 * len(GPT2)
    result("unload", handle=reply["handle"])


def test_a_file_that_ends_early_is_an_error_with_need() -> None:
    said = error("load", head=GPT2[:1000], complete=True)
    assert said["code"] == "gguf-truncated" and said["need"] > 1000


def test_info_is_plain_data(gpt2: int) -> None:
    info = result("info", handle=gpt2)
    assert json.loads(json.dumps(info)) == info
    assert (info["type"], info["model"], info["pre"]) == ("BPE", "gpt2", "gpt-2")
    assert (info["n_vocab"], info["n_merges"], info["context_length"]) == (50257, 50000, 1024)
    assert info["special"]["bos"] == 50256 and info["eog"] == [50256]
    assert info["flags"]["add_bos"] is False and info["warnings"] == []


def test_problems_are_plain_data(gpt2: int) -> None:
    assert result("problems", handle=gpt2) == []
    data = (SAMPLES.parent.parent / "tests/data/vocabs/spm-dup.gguf").read_bytes()
    (row,) = result("problems", handle=result("load", head=data)["handle"])
    assert (row["code"], row["severity"]) == ("duplicate-tokens", "error")
    assert row["message"] and row["fix"]


def test_encode_gives_columns(gpt2: int) -> None:
    columns = result("encode", handle=gpt2, text="Hello 🙂!")
    kinds = {name: columns[name].typecode for name in ("ids", "starts", "ends", "attrs")}
    assert kinds == {"ids": "i", "starts": "I", "ends": "I", "attrs": "H"}
    assert columns["ids"].tolist() == Tokenizer.from_gguf(GPT2).encode("Hello 🙂!")
    assert columns["starts"][0] == 0 and columns["ends"][-1] == 9
    assert (columns["characters"], columns["bytes"]) == (8, 11)
    assert columns["warnings"] == []


@pytest.mark.parametrize("text", ["\ud800", "a\udc80b", "🙂\ude00x", "\ud83d"])
def test_lone_surrogates_shift_nothing(gpt2: int, text: str) -> None:
    columns = result("encode", handle=gpt2, text=text)
    units = len(text.encode("utf-16-le", "surrogatepass")) // 2
    assert columns["ends"][-1] == units
    assert result("count", handle=gpt2, text=text) == len(columns["ids"])


def test_double_bos_is_a_warning_of_the_call() -> None:
    handle = result("load", head=(SAMPLES / "mistral-v1.gguf").read_bytes())["handle"]
    columns = result("encode", handle=handle, text="<s>hi", parse_special=True)
    assert [warning["code"] for warning in columns["warnings"]] == ["double-bos"]
    result("unload", handle=handle)


def test_pieces_token_and_decode(gpt2: int) -> None:
    ids = array("i", [15496, 995, 50256])
    pieces = result("pieces", handle=gpt2, ids=ids)
    assert pieces == {"bytes": b"Hello world<|endoftext|>", "ends": array("I", [5, 11, 24])}
    assert result("decode", handle=gpt2, ids=ids) == "Hello world<|endoftext|>"
    token = result("token", handle=gpt2, id=995)
    assert token["text"] == "Ġworld" and token["bytes"] == "20 77 6F 72 6C 64"
    assert token["attrs"] == ["normal"]


def test_a_preloaded_model_is_handed_out_once() -> None:
    bridge.preload("ours", GPT2)
    reply = result("preloaded", name="ours")
    assert result("count", handle=reply["handle"], text="Hello world") == 2
    assert result("preloaded", name="ours") is None
    result("unload", handle=reply["handle"])
    result("unload", handle=reply["handle"])


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("load", {"head": b"PK\3\4"}, "gguf-invalid"),
        ("load", {"head": GPT2, "pre": "gpt-zwei"}, "pre-tokenizer-unknown"),
        ("encode", {"handle": 10**6, "text": ""}, "model-unknown"),
        ("decode", {"handle": 10**6, "ids": []}, "model-unknown"),
        ("info", {"handle": 10**6}, "model-unknown"),
        ("count_feed", {"counter": 10**6, "data": b"a"}, "model-unknown"),
        ("count_end", {"counter": 10**6}, "model-unknown"),
        ("nonsense", {}, "internal"),
        ("encode", {"wrong": 1}, "internal"),
    ],
)
def test_errors_are_data(method: str, params: dict[str, Any], code: str) -> None:
    said = error(method, **params)
    assert said["code"] == code and said["message"]
    json.dumps(said)


@pytest.mark.parametrize("id", [-1, 50257, 2**31 - 1])
def test_an_id_that_is_none_is_an_error_as_data(gpt2: int, id: int) -> None:
    for method, params in (("token", {"id": id}), ("pieces", {"ids": [id]})):
        assert error(method, handle=gpt2, **params)["code"] == "encode-invalid"


def test_running_out_of_memory_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise MemoryError

    monkeypatch.setitem(bridge.METHODS, "fail", fail)
    assert error("fail")["code"] == "memory"


@given(st.text(st.characters(exclude_categories=()), max_size=40))
def test_utf16_positions(text: str) -> None:
    positions = array("I", range(len(text) + 1))
    want = [len(text[:i].encode("utf-16-le", "surrogatepass")) // 2 for i in positions]
    assert bridge.utf16_mapper(text)(positions).tolist() == want


def test_counting_in_parts(gpt2: int) -> None:
    data = "Hello world\n你好 🙂\n".encode()
    counter = result("count_begin", handle=gpt2)
    for at in range(len(data)):
        result("count_feed", counter=counter, data=memoryview(data[at : at + 1]))
    whole = result("encode", handle=gpt2, text=data.decode())
    told = result("count_end", counter=counter)
    assert told == {
        "tokens": len(whole["ids"]),
        "characters": whole["characters"],
        "bytes": len(data),
        "is_utf8": True,
    }


def test_splitting_in_parts(gpt2: int) -> None:
    counter = result("count_begin", handle=gpt2, split=2)
    result("count_feed", counter=counter, data=b"Hello world, you\xff")
    told = result("count_end", counter=counter)
    assert list(told["cuts"]) == [11.0, 16.0] and list(told["sizes"]) == [2.0, 2.0, 1.0]
    assert not told["is_utf8"]


@pytest.mark.parametrize("split", [0, 2])
def test_too_much_of_a_text_is_not_kept(
    gpt2: int, monkeypatch: pytest.MonkeyPatch, split: int
) -> None:
    monkeypatch.setattr(bridge, "_MOST_HELD", 10)
    counter = result("count_begin", handle=gpt2, split=split)
    result("count_feed", counter=counter, data=b"aaaaaaaaaa")
    said = error("count_feed", counter=counter, data=b"a")
    assert said["code"] == "too-large" and "11 bytes" in said["message"]
    for _ in range(2):
        result("count_drop", counter=counter)
    assert error("count_end", counter=counter)["code"] == "model-unknown"
    assert counter not in bridge._counters
