"""GGUF files that are none, or are damaged: a clear error, and nothing allocated."""

import pickle
import struct
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyodide_tok.errors import GGUFError, TokError, TruncatedError
from pyodide_tok.gguf import reader as gguf
from pyodide_tok.gguf.reader import GGUFFile
from tests import gguf_writer as w
from tests.gguf_writer import Entry, Tensor, Writer, write
from tests.test_gguf import EVERYTHING, FORMS, TENSORS, plain

# --- what is no GGUF file

FOREIGN = [
    (struct.pack("<Q", 40) + b'{"__metadata__":{}}', "safetensors"),
    (b"PK\x03\x04\x00\x00", "zip"),
    (b"\x80\x02}q\x00", "pickle"),
    (b"\x89HDF\r\n\x1a\n", "HDF5"),
    (b"\n\x0e\n\x05<unk>\x15\0\0\0\0", "SentencePiece"),
    (b"lmgg\0\0\0\0", "legacy GGML"),
    (b"ggml\0\0\0\0", "legacy GGML"),
    (b"fmgg\1\0\0\0", "legacy GGMF"),
    (b"tjgg\3\0\0\0", "legacy GGJT"),
    (b"algg\1\0\0\0", "legacy GGLA"),
    (b"FUGG\0\0\0\3", "reversed"),
    (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
    (b"\x1f\x8b\x08\0", "Unpack"),
    (b"\x28\xb5\x2f\xfd\0", "Unpack"),
    (b"<!DOCTYPE html>\n<html>", "HTML"),
    (b"\xef\xbb\xbf\n <html>", "HTML"),
    (b'{"error": "not found"}', "JSON"),
    (b' \n[{"a": 1}]', "JSON"),
    (b"Entry not found", "b'Entr'"),
    (b"\0" * 64, r"b'\\x00"),
    (b"GGUf\3\0\0\0", "b'GGUf'"),
    (b"X", "b'X'"),
]


@pytest.mark.parametrize(("data", "says"), FOREIGN)
def test_foreign_files_are_named(data: bytes, says: str) -> None:
    with pytest.raises(GGUFError, match=says) as caught:
        GGUFFile.parse(data)
    assert not isinstance(caught.value, TruncatedError)
    assert caught.value.position == 0
    assert caught.value.code == "gguf-invalid"


def test_empty_file(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    for read in (lambda: GGUFFile.parse(b""), lambda: GGUFFile.open(tmp_path / "empty")):
        with pytest.raises(TruncatedError, match="file is empty"):
            read()


def test_paths_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(GGUFError, match="is a directory"):
        GGUFFile.open(tmp_path)
    with pytest.raises(FileNotFoundError, match="missing"):
        GGUFFile.open(tmp_path / "missing")
    for path in ("nul\0", "\ud800"):
        with pytest.raises(GGUFError, match="is not a path"):
            GGUFFile.open(path)


@pytest.mark.parametrize("version", [0, 4, 255, 0x10000000, 0xFFFFFFFF])
def test_unknown_versions(version: int) -> None:
    with pytest.raises(GGUFError, match="version") as caught:
        GGUFFile.parse(Writer(version).head(0, 0))
    assert caught.value.position == 4


# --- damaged and hostile files

HEAD = Writer().head(0, 1)
Q = struct.Struct("<Q").pack
KEY = Q(1) + b"k"


def array_head(kind: int, n: int) -> bytes:
    return HEAD + KEY + struct.pack("<IIQ", w.ARRAY, kind, n)


def nested(depth: int) -> bytes:
    chain = struct.pack("<IQ", w.ARRAY, 1) * (depth - 1) + struct.pack("<IQ", w.UINT8, 0)
    return HEAD + KEY + struct.pack("<I", w.ARRAY) + chain


DAMAGED = [
    ("tensors claimed", Writer().head(1 << 63, 0), 8, "tensors are claimed"),
    ("entries claimed", Writer().head(0, 1 << 63), 16, "keys are claimed"),
    ("v1 entries claimed", Writer(1).head(0, 0xFFFFFFFF), 12, "keys are claimed"),
    ("key length", HEAD + Q(0xFFFFFFFFFFFF), 24, "string of"),
    ("key length 2**64-1", HEAD + Q((1 << 64) - 1), 24, "string of"),
    ("empty key", HEAD + Q(0) + b"\0" * 20, 24, "key is empty"),
    ("value type", HEAD + KEY + struct.pack("<II", 13, 0), 33, "value type 13"),
    ("element type", array_head(99, 0), 37, "value type 99"),
    ("string length", HEAD + KEY + struct.pack("<IQ", w.STRING, 1 << 40), 37, "string of"),
    *(
        (f"array of {n} of {kind}", array_head(kind, n), None, "claims")
        for kind in (w.UINT8, w.STRING, w.ARRAY, w.FLOAT64, w.BOOL)
        for n in (1 << 31, 1 << 40, 1 << 62, 1 << 63, (1 << 64) - 1)
    ),
    ("string in array", array_head(w.STRING, 1) + Q(1 << 63), 49, "string of"),
    ("later in array", array_head(w.STRING, 2) + Q(1) + b"a" + Q((1 << 64) - 1), 58, "string of"),
    ("depth", nested(9), None, "deep"),
    ("great depth", nested(100_000), None, "deep"),
    ("rank", Writer().head(1, 0) + Q(1) + b"t" + struct.pack("<I", 9), 33, "9 dimensions"),
    ("shape", write([], [Tensor("t", (1 << 40, 1 << 40))]), 37, "shape"),
]


@pytest.mark.parametrize(
    ("data", "position", "says"), [row[1:] for row in DAMAGED], ids=[row[0] for row in DAMAGED]
)
def test_damage_is_an_error_and_allocates_nothing(
    data: bytes, position: int | None, says: str
) -> None:
    tracemalloc.start()
    with pytest.raises(GGUFError, match=says) as caught:
        GGUFFile.parse(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert not isinstance(caught.value, TruncatedError)
    assert position in (None, caught.value.position)
    assert peak < 300_000


@pytest.mark.parametrize("kind", [w.UINT8, w.STRING, w.ARRAY, w.FLOAT64])
def test_large_but_sane_claims_want_more_and_allocate_nothing(kind: int) -> None:
    data = array_head(kind, 80_000_000)
    tracemalloc.start()
    with pytest.raises(TruncatedError) as caught:
        GGUFFile.parse(data + bytes(100))
    assert tracemalloc.get_traced_memory()[1] < 300_000
    tracemalloc.stop()
    assert caught.value.need == len(data) + 80_000_000 * {w.UINT8: 1, w.ARRAY: 12}.get(kind, 8)


def test_nested_arrays_are_read_to_the_cap() -> None:
    value = GGUFFile.parse(nested(gguf.MAX_DEPTH)).metadata["k"]
    for _ in range(gguf.MAX_DEPTH - 1):
        assert isinstance(value, tuple)
        (value,) = value
    assert plain(value) == []


@pytest.mark.parametrize(
    "data",
    [
        write([Entry("k", w.UINT8, 1), Entry("k", w.UINT8, 1)]),
        write([], [Tensor("t", (1,)), Tensor("t", (1,))]),
    ],
)
def test_names_appear_once(data: bytes) -> None:
    with pytest.raises(GGUFError, match="appears twice"):
        GGUFFile.parse(data)


@pytest.mark.parametrize(
    ("kind", "value", "good"),
    [
        (w.UINT32, 32, True),
        (w.UINT32, 1 << 30, True),
        (w.UINT32, 0, False),
        (w.UINT32, 3, False),
        (w.INT32, 32, False),
        (w.UINT64, 32, False),
        (w.STRING, "32", False),
        (w.ARRAY, (w.UINT32, [32]), False),
    ],
)
def test_alignment(kind: int, value: object, good: bool) -> None:
    data = write([Entry("general.alignment", kind, value)])
    if good:
        assert GGUFFile.parse(data).metadata["general.alignment"] == value
    else:
        with pytest.raises(GGUFError, match="power of two"):
            GGUFFile.parse(data)


@given(st.data())
def test_one_wrong_byte_never_crashes(data: st.DataObject) -> None:
    whole = bytearray(write(EVERYTHING, TENSORS, *data.draw(st.sampled_from(FORMS))))
    at = data.draw(st.integers(4, len(whole) - 1))
    whole[at] = data.draw(st.integers(0, 255))
    try:
        file = GGUFFile.parse(whole)
    except TokError as error:
        assert isinstance(error, ValueError)
        assert vars(pickle.loads(pickle.dumps(error))) == vars(error)
    else:
        assert all(plain(value) is not None for value in file.metadata.values())
