"""Faults that people met in other tokenizers and GGUF readers: here they do not happen.

docs/field-reports.md tells of each report. Most are rows of tests/data/field-reports.jsonl:

    id, check           the report; which test below reads the row
    vocab               a vocabulary: the name of a file, or one of `field_files.MADE`
    keys, append        metadata keys that are set, or with null removed; tokens that are added, as
    rename              [text, type, score]; token texts that are others
    hex                 bytes, of a text or of a file
    input, repeat, ids  what is encoded; what is decoded
    options, times      of the call; how often it is made
    seconds             the longest that all calls together may take
    want                llama.cpp's answer. `test_live` asks it again where it can be asked: not in
                        rows with "own", which says why the answer is ours

A number that is no uint32 or float32, and an array of numbers, stand as {"uint8": [1, 2]}.
"""

import hashlib
import json
import os
import re
from array import array
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from pyodide_tok import GGUFFile, Tokenizer, TokError
from tests import gguf_writer as w
from tests import llama_ref, reference
from tests.field_files import KEY, MADE, Row, base, entry, file_of, vocabulary
from tests.gguf_writer import Entry, write
from tests.platforms import SLOWER
from tests.reference import NEEDS_SHARED, ROOT, in_clone, vocab_path

with (ROOT / "tests" / "data" / "field-reports.jsonl").open(encoding="utf-8") as lines:
    ROWS: list[Row] = [json.loads(line) for line in lines]


def cases(check: str) -> Any:
    """Parametrises a test by its rows, those of one vocabulary together."""
    found = sorted((row for row in ROWS if row["check"] == check), key=vocabulary)
    marked = [pytest.param(row, marks=() if of_clone(row) else NEEDS_SHARED) for row in found]
    return pytest.mark.parametrize("row", marked, ids=name)


def of_clone(row: Row) -> bool:
    """Whether the repository itself has all that makes a row's file."""
    return row.get("vocab", "words") in (*MADE, "words") or in_clone(row["vocab"])


def name(row: Row) -> str:
    return f"{row['id']}-{row.get('vocab', 'bytes')}"


@lru_cache(maxsize=2)
def loaded(recipe: str) -> Tokenizer:
    return Tokenizer.from_gguf(file_of(recipe))


def tokenizer(row: Row) -> Tokenizer:
    return loaded(vocabulary(row))


# --- encoding and decoding


def given(row: Row) -> str | bytes:
    """A row's text."""
    text = bytes.fromhex(row["hex"]) if "hex" in row else row["input"]
    return text * row.get("repeat", 1)


def options(row: Row) -> dict[str, bool]:
    return {"add_special": False, "parse_special": False} | row.get("options", {})


def as_wanted(want: Any, ids: list[int], piece: Callable[[int], bytes]) -> Any:
    """Ids in the form of `want`: as they are, their pieces, or their digest."""
    if isinstance(want, dict):
        return {"n": len(ids), "sha256": hashlib.sha256(array("i", ids).tobytes()).hexdigest()}
    if want and isinstance(want[0], str):
        return [piece(token).decode("utf-8", "surrogateescape") for token in ids]
    return list(ids)


@cases("ids")
def test_ids(row: Row) -> None:
    tok, text = tokenizer(row), given(row)
    start = process_time()
    for _ in range(row.get("times", 1)):
        ids = tok.encode(text, **options(row))
    assert process_time() - start < row.get("seconds", 60) * SLOWER
    assert as_wanted(row["want"], ids, tok.token_to_piece) == row["want"]
    if len(ids) < 1000:
        encoding = tok.tokenize(text, **options(row))
        assert encoding.ids == ids
        assert {notice.code for notice in encoding.warnings} == set(row.get("warnings", ()))


@cases("decode")
def test_decode(row: Row) -> None:
    tok = tokenizer(row)
    ids = row.get("ids") or tok.encode(row["input"], add_special=True, parse_special=True)
    assert tok.decode(ids, **row.get("options", {})) == row["want"]


@cases("turns")
def test_text_does_not_grow_from_turn_to_turn(row: Row) -> None:
    """A space is put before the text, and taken back when it is decoded without BOS."""
    tok, text = tokenizer(row), row["input"]
    for _ in range(4):
        bos, *ids = tok.encode(text, parse_special=True)
        assert [bos, *ids] == row["want"]
        text = tok.decode(ids)
    assert text == row["input"]


@cases("stream")
def test_stream(row: Row) -> None:
    """No piece of the text ends inside a character."""
    tok = tokenizer(row)
    ids = tok.encode(row["input"])
    decoder = tok.stream_decoder()
    fed = [decoder.feed(token) for token in ids]
    assert "\ufffd" not in "".join(fed)
    assert "".join(fed) + decoder.flush() == tok.decode(ids) == row["want"]
    assert any(not tok.token_to_piece(token).isascii() for token in ids)


# --- what a vocabulary says of itself

FACTS: dict[str, Callable[[Tokenizer], Any]] = {
    "type": lambda tok: tok.type,
    "n_vocab": lambda tok: tok.n_vocab,
    "n_merges": lambda tok: len(tok.vocab.merges),
    "eog": lambda tok: sorted(tok.eog_ids),
    "warnings": lambda tok: sorted({notice.code for notice in tok.warnings}),
}
LOOKUPS: dict[str, Callable[[Tokenizer, str], Any]] = {
    "special": lambda tok, name: tok.special_ids.get(name, -1),
    "flags": lambda tok, name: getattr(tok.vocab.flags, name),
    "switches": lambda tok, name: getattr(tok.vocab.flags, name),
    "id_of": lambda tok, text: tok.token_to_id(text),
    "text": lambda tok, token: tok.id_to_token(int(token)),
    "attr": lambda tok, token: tok.vocab.attrs[int(token)],
    "piece": lambda tok, token: tok.token_to_piece(int(token)).decode(),
    "piece_plain": lambda tok, token: tok.token_to_piece(int(token), special=False).decode(),
}


@cases("facts")
def test_facts(row: Row) -> None:
    tok = tokenizer(row)
    got = {fact: known(fact, want, tok, FACTS, LOOKUPS) for fact, want in row["want"].items()}
    assert got == row["want"]


def known(fact: str, want: Any, of: Any, facts: Row, lookups: Row) -> Any:
    """A fact, or those of its parts that are wanted."""
    if fact in facts:
        return facts[fact](of)
    return {key: lookups[fact](of, key) for key in want}


@cases("refused")
def test_refused(row: Row) -> None:
    """Files and vocabularies that are of no use: a clear error, and at once."""
    data = bytes.fromhex(row["hex"]) if "hex" in row else file_of(vocabulary(row))
    with pytest.raises(TokError, match=row["says"]) as caught:
        Tokenizer.from_gguf(data)
    assert caught.value.code == row["want"]
    assert isinstance(caught.value, ValueError)


# --- files


@cases("header")
def test_header(row: Row) -> None:
    file = GGUFFile.parse(bytes.fromhex(row["hex"]))
    assert [file.version, file.byteorder] == row["want"]


def bytes_last(**keys: Any) -> list[Entry]:
    return [entry(key, value) for key, value in {**MADE["bytes-last"](), **keys}.items()]


def test_rb122_a_replacement_without_an_end() -> None:
    """It loads, as in llama.cpp: no text comes to it."""
    *others, charsmap = sorted(base("t5"), key=lambda entry: "charsmap" in entry.key)
    kind, blob = charsmap.value
    cut = write([*others, Entry(charsmap.key, w.ARRAY, (kind, blob[:-1]))])
    want = Tokenizer.from_gguf(vocab_path("t5")).encode("Ａｂ ﬁ")
    assert Tokenizer.from_gguf(cut).encode("Ａｂ ﬁ") == want


@pytest.mark.parametrize("depth", [9, 3000, 100_000])
def test_rb140_arrays_in_arrays(depth: int) -> None:
    value: tuple[int, Any] = (w.UINT8, [])
    chain = b"".join([*[b"\x09\0\0\0\1\0\0\0\0\0\0\0"] * (depth - 1), bytes(12)])
    data = write([Entry("k", w.ARRAY, value)])[:-12] + chain
    with pytest.raises(TokError, match="deep"):
        GGUFFile.parse(data)


def test_rb140_two_deep() -> None:
    nested = (w.ARRAY, [(w.UINT8, [1, 2]), (w.STRING, ["a"])])
    numbers, texts = GGUFFile.parse(write([Entry("k", w.ARRAY, nested)])).metadata["k"]
    assert (list(numbers), list(texts)) == ([1, 2], ["a"])


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("order", "<>")
def test_rb146_rb148_every_form_gives_the_same_ids(version: int, order: str) -> None:
    data = write(bytes_last(), version=version, order=order)
    file = GGUFFile.parse(data)
    assert (file.version, file.byteorder) == (version, {"<": "little", ">": "big"}[order])
    assert Tokenizer(file).encode("\u7334") == [1, 3, 30, 121, 81]


def test_rb151_rb163_arrays_as_large_as_gemma_4s() -> None:
    texts = [f"t{i}" for i in range(262_144)]
    merges = [f"m{i} \u2581{i}" for i in range(514_906)]
    data = write([entry(f"{KEY}tokens", texts), entry(f"{KEY}merges", merges)])
    start = process_time()
    metadata = GGUFFile.parse(data).metadata
    assert list(metadata[f"{KEY}tokens"]) == texts  # type: ignore[arg-type]
    assert metadata[f"{KEY}merges"][-1] == merges[-1]  # type: ignore[index]
    assert process_time() - start < 5 * SLOWER


def test_rb091_a_pair_of_surrogates_is_two_lone_ones() -> None:
    """JSON and JavaScript join them before Python sees them."""
    tok = Tokenizer.from_gguf(vocab_path("gpt-2"))
    assert tok.encode("\ud83d" + "\ude00") == tok.encode("\ufffd\ufffd")


@pytest.mark.parametrize("model", ["none", "no_vocab"])
def test_rb152_a_file_without_a_vocabulary_loads_and_says_so(model: str) -> None:
    tok = Tokenizer.from_gguf(vocab_path(model))
    assert tok.type == "NONE"
    with pytest.raises(TokError, match="no vocabulary"):
        tok.encode("a")


def test_rb155_arrays_of_strings() -> None:
    tags = ["text-generation", "\u4e2d\u6587", ""]
    metadata = GGUFFile.parse(write(bytes_last(**{"general.tags": tags}))).metadata
    assert list(metadata["general.tags"]) == tags  # type: ignore[arg-type]


def test_rb158_only_the_head_of_a_large_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "large.gguf"
    head = write(bytes_last(), [w.Tensor("t", (1 << 20, 1 << 10))])
    path.write_bytes(head)
    os.truncate(path, 4 << 30)  # sparse: takes no room
    assert GGUFFile.open(path).header_size == len(head)
    assert Tokenizer.from_gguf(path).encode("ab", add_special=False) == [3, 4, 5]


@pytest.mark.parametrize(
    ("report", "what"),
    [("RB157", "WORKERFS|FS[.]mount"), ("RB160", "SharedArrayBuffer|Atomics|credentialless")],
)
def test_the_page_does_without(report: str, what: str) -> None:
    sources = [*(ROOT / "web").rglob("*.js"), *(ROOT / "web").glob("*.html")]
    assert sources
    assert not [path for path in sources if re.search(what, path.read_text(encoding="utf-8"))]


# --- the reference, and the table

LIVE_FACTS: dict[str, Callable[[llama_ref.Reference], Any]] = {
    "type": lambda ref: ref.type,
    "n_vocab": lambda ref: ref.n_tokens,
    "eog": lambda ref: [token for token in range(ref.n_tokens) if ref.is_eog(token)],
}
LIVE_LOOKUPS: dict[str, Callable[[llama_ref.Reference, str], Any]] = {
    "special": lambda ref, name: ref.special[name],
    "flags": lambda ref, name: ref.special[name],
    "text": lambda ref, token: ref.text(int(token)).decode("utf-8", "surrogateescape"),
    "attr": lambda ref, token: ref.attr(int(token)),
    "piece": lambda ref, token: ref.piece(int(token)).decode(),
    "piece_plain": lambda ref, token: ref.piece(int(token), special=False).decode(),
}


def asked(row: Row) -> bool:
    """Of what a clone alone has, and nothing huge: the rest was asked once, and takes minutes."""
    if row["check"] not in ("ids", "facts") or "own" in row or row.get("repeat", 1) > 100_000:
        return False
    return of_clone(row)


@pytest.mark.skipif(not llama_ref.available(), reason="needs xllamacpp")
@pytest.mark.parametrize(
    "recipe",
    sorted({vocabulary(row) for row in ROWS if asked(row)}),
    ids=lambda recipe: json.loads(recipe)[1],
)
def test_live(recipe: str, tmp_path: Path) -> None:
    """What the rows of one vocabulary want is what llama.cpp says now."""
    path = tmp_path / "vocab.gguf"
    path.write_bytes(file_of(recipe))
    reference = llama_ref.Reference(path)
    for row in ROWS:
        if asked(row) and vocabulary(row) == recipe:
            assert live(row, reference) == wanted(row), row
    reference.close()


def wanted(row: Row) -> Any:
    """What llama.cpp can be asked for: not the warnings, which it logs."""
    if row["check"] != "facts":
        return row["want"]
    return {fact: want for fact, want in row["want"].items() if fact in LIVE_FACTS | LIVE_LOOKUPS}


def live(row: Row, reference: llama_ref.Reference) -> Any:
    if row["check"] == "facts":
        facts = wanted(row).items()
        known_live = partial(known, of=reference, facts=LIVE_FACTS, lookups=LIVE_LOOKUPS)
        return {fact: known_live(fact, want) for fact, want in facts}
    text = given(row)
    data = text.encode() if isinstance(text, str) else text
    return as_wanted(row["want"], reference.tokenize(data, **options(row)), reference.piece)


def listed_reports() -> list[str]:
    table = (ROOT / "docs" / "field-reports.md").read_text(encoding="utf-8")
    return re.findall(r"^\| ([RP][BR]\d+) \|", table, re.MULTILINE)


def test_every_report_is_in_the_table() -> None:
    listed = listed_reports()
    assert sorted(listed) == sorted(set(listed))
    assert {row["id"] for row in ROWS} <= set(listed)


@NEEDS_SHARED
def test_the_table_has_every_report_of_the_reference() -> None:
    reports = reference.rows(reference.FULL, "field-reports")
    first = [report for report in listed_reports() if report.startswith("RB")]
    assert first == sorted(report["id"] for report in reports)
