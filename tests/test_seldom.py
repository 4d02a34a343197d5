"""Ways that a text or a file seldom goes."""

import io
import json
import pickle
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pyodide_tok import GGUFFile, counting
from pyodide_tok.cli import main
from pyodide_tok.cli.terminal import Terminal
from pyodide_tok.encoders import boundaries, charsmap
from pyodide_tok.encoders.normalizer import Normalizer
from pyodide_tok.errors import VocabError
from pyodide_tok.gguf import reader as gguf
from pyodide_tok.page import bridge
from pyodide_tok.pretokenize import splitting
from pyodide_tok.text.codepoints import BYTE_TO_CHAR
from tests import gguf_writer as w
from tests import small
from tests.everything import BPE_BYTES, fresh, tokenizer
from tests.gguf_writer import Entry, write
from tests.platforms import needs
from tests.reference import vocab_path


def test_warnings_can_be_pickled() -> None:
    notice = small.tokenizer("gpt2", ["a", "Ċ"]).warnings[0]
    copy = pickle.loads(pickle.dumps(notice))
    assert (copy, copy.code, type(copy)) == (notice, "missing-pre", type(notice))


def test_strings_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their lengths OR-ed are over it, but none of them is."""
    monkeypatch.setattr(gguf, "MAX_STRING", 4)
    data = write([Entry("keys", w.ARRAY, (w.STRING, ["abcd", "abc"]))])
    assert list(GGUFFile.parse(data).metadata["keys"]) == ["abcd", "abc"]


def test_a_charsmap_that_is_no_array_of_bytes() -> None:
    with pytest.raises(VocabError, match="int8 or uint8"):
        small.tokenizer("t5", ["<pad>", "</s>", "<unk>"], precompiled_charsmap=[1])


def test_a_key_whose_replacement_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also behind more ways than are looked at, so that it is met in a text."""
    units = [0] * 512
    units[0x61] = (0x61 ^ 0x100) << 10 | 0x61  # "a" leads to the second block
    units[0x162] = (0x162 ^ 0x5FF) << 10 | 0x162  # "ab" is a key, its entry is past the end
    blob = (2048).to_bytes(4, "little") + b"".join(unit.to_bytes(4, "little") for unit in units)
    assert not charsmap.Charsmap(blob).is_text
    monkeypatch.setattr(charsmap, "MOST_WAYS", 0)
    assert not charsmap.Charsmap(blob).is_text
    assert charsmap.Charsmap(blob).match(b"ab", 0) == (b"", 0)


def test_a_user_defined_token_that_is_not_utf8() -> None:
    tokens = ["<pad>", "</s>", "<unk>", "▁", "a", "\udcff", "\udc80b"]
    types = {5: small.USER_DEFINED, 6: small.USER_DEFINED}
    tok = small.tokenizer("t5", tokens, types=types, scores=[0.0, 0.0, 0.0, -1.0, -1.0, 0.0, 0.0])
    assert tok.encode(b"a\xffa\x80b", add_special=False) == [4, 5, 4, 6]


def test_dna_without_its_tags_is_plain() -> None:
    tok = small.tokenizer("hybriddna", BPE_BYTES["tokens"], merges=BPE_BYTES["merges"], pre="gpt-2")
    assert tok.tokenize("<dna>ab").byte_offsets[-1] == (5, 7)


def test_cuts_that_are_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boundaries, "_MOST", 1)
    text = "你好 世界 hello 中文。"
    assert fresh("t5").encode(text) == tokenizer("t5").encode(text)


def test_stand_ins_that_are_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "😀𠮷a😀𝟘 🙂𐐀𠮷"
    expected = tokenizer("gpt-2").encode(text)
    monkeypatch.setattr(splitting, "_MOST_STAND_INS", 2)
    assert fresh("gpt-2").encode(text) == expected


def test_a_taken_part_that_has_merged_before() -> None:
    """The end of "é" would take the start of "中", but is itself taken by then."""
    merges = ["Ã ©", "© ä", "ä ¸", "ä¸ Ń", "Ã© ä¸Ń"]
    made = [merge.replace(" ", "") for merge in merges]
    tok = small.tokenizer("gpt2", [*BYTE_TO_CHAR, *made], merges=merges, pre="gpt-2")
    pieces = tok.tokenize("é中中", add_special=False).pieces
    assert pieces == ["é中".encode(), "中".encode()]


def test_a_blocked_token_whose_beginning_stands_elsewhere_too() -> None:
    types = dict.fromkeys(range(3, 6), small.USER_DEFINED)
    tok = small.tokenizer("llama", ["<unk>", "<s>", "</s>", "ab", "abc", "cddd", " "], types=types)
    got = tok.tokenize("ababcddd", add_special=False)
    assert (got.ids, got.offsets) == ([3, 3, 5], [(0, 2), (2, 4), (4, 8)])


def test_padding_tokens_hide_what_is_shorter() -> None:
    """PLaMo: a token whose score is that of an unknown character."""
    tokens = ["x", "ab", "a", "b"]
    types = dict.fromkeys(range(4, 260), small.BYTE)
    tok = small.tokenizer(
        "plamo2",
        [*tokens, *small.BYTES],
        types=types,
        scores=[-1.0, -1000.0, -1.0, -2.0] + [0] * 256,
    )
    for text in ("ab", "aab", "abx", "xba"):
        assert tok.explain(text).ids == tok.encode(text)


def test_names_of_pre_tokenizers_for_the_page() -> None:
    names = bridge.call("pre_names", {})["result"]
    assert {"gpt-2", "llama-bpe"} <= set(names)
    assert names == sorted(names)


def test_rwkv_newlines_inside_characters_are_no_borders() -> None:
    tok = small.tokenizer("rwkv", ["a", "\\n", "\\n\\xe4"])
    counter = counting.TokenCounter(tok)
    counter.feed("a\n中a\n".encode())
    counter.finish()
    assert counter.tokens == tok.count("a\n中a\n")


def test_no_border_inside_a_pair_that_is_joined() -> None:
    pairs, nothing = {"a\n"}, set[str]()
    rule = re.compile(boundaries._Joined(pairs, nothing, nothing).before("\n"))
    assert [match.start() for match in rule.finditer("a\nb\n \n")] == [3]


def test_spaces_that_are_put_after_a_text() -> None:
    """No file says so, but llama.cpp could."""
    vocab = fresh("ugm-user").vocab
    flags = replace(vocab.flags, add_space_prefix=True, treat_whitespace_as_suffix=True)
    normalizer = Normalizer(replace(vocab, flags=flags))
    assert normalizer("b b") == "b▁b▁"
    read, starts, ends = normalizer.trace("b b")
    assert read.decode() == "b▁b▁"
    assert list(zip(starts, ends, strict=True))[-3:] == [(3, 3)] * 3


def test_spaces_that_are_not_merged() -> None:
    vocab = fresh("ugm-user").vocab
    normalizer = Normalizer(replace(vocab, flags=replace(vocab.flags, add_space_prefix=True)))
    for text, wanted in {"a  b": "▁a▁▁b", " a": "▁▁a", "  ": "▁▁", "": ""}.items():
        assert normalizer(text) == wanted
        assert normalizer.trace(text)[0].decode() == wanted


def test_the_worker_explains() -> None:
    handle = bridge.call("load", {"head": vocab_path("spm-ugly").read_bytes()})["result"]["handle"]
    trace = json.loads(bridge.call("explain", {"handle": handle, "text": "Hello"})["result"])
    found = bridge.call("search", {"handle": handle, "query": "Hello"})["result"]
    assert (
        trace["ids"]
        == bridge.call("encode", {"handle": handle, "text": "Hello"})["result"]["ids"].tolist()
    )
    assert found["total"] == len(found["rows"])
    bridge.call("unload", {"handle": handle})


def test_nothing_is_counted() -> None:
    counter = counting.TokenCounter(small.tokenizer("rwkv", ["a"]))
    counter.finish()
    assert counter.tokens == 0


# -- the command line ---------------------------------------------------------------------


@needs("pipes")
def test_a_pipe_that_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(*args: Any) -> int:
        raise BrokenPipeError

    monkeypatch.setattr(Terminal, "line", closed)
    with (tmp_path / "out").open("w") as out:
        monkeypatch.setattr(sys, "stdout", out)
        assert main(["inspect", str(vocab_path("gpt-2"))]) == 141


def test_warnings_of_one_text(capsys: pytest.CaptureFixture[str]) -> None:
    model = str(vocab_path("mistral-v1"))
    assert main(["encode", model, "<s>Hi", "--parse-special"]) == 0
    assert "BOS" in capsys.readouterr().err


def test_texts_that_have_no_utf8(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    monkeypatch.setattr(sys, "stdout", out)
    Terminal("never", False).line("a\ud800b")
    out.flush()
    assert out.buffer.getvalue() == b"a?b\n"
