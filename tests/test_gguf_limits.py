"""What is just allowed and what just is not, and that errors name the right thing and place."""

import struct
import tracemalloc

import pytest

from pyodide_tok.errors import GGUFError, TruncatedError
from pyodide_tok.gguf.reader import MAX_DIMENSIONS, MAX_ENTRIES, MAX_HEADER, MAX_STRING, GGUFFile
from tests import gguf_writer as w
from tests.gguf_writer import Entry, Tensor, Writer, write
from tests.test_gguf_damaged import HEAD, KEY, Q, array_head, nested

U32 = struct.Struct("<I").pack
TENSOR = Writer().head(1, 0) + Q(1) + b"t"


@pytest.mark.parametrize(
    ("data", "need"),
    [
        (b"GGUF", 16),
        (b"GGUF\3\0\0", 16),
        (b"GGUF\3\0\0\0", 16),
        (b"GGUF\1\0\0\0", 12),
        (Writer().head(0, MAX_ENTRIES), 32),
        (HEAD + Q(MAX_STRING), 32 + MAX_STRING),
        (array_head(w.UINT8, MAX_HEADER - 49), MAX_HEADER),
    ],
)
def test_what_is_just_allowed_wants_more(data: bytes, need: int) -> None:
    with pytest.raises(TruncatedError, match=r"^The file ends inside its header: ") as caught:
        GGUFFile.parse(data)
    assert (caught.value.need, caught.value.position) == (need, len(data))


def test_nothing_at_all() -> None:
    with pytest.raises(TruncatedError, match=r"^The file is empty: need at least 16 bytes"):
        GGUFFile.parse(b"")


@pytest.mark.parametrize(
    ("data", "position", "says"),
    [
        (b"GGUF\xff\xff\xff\xff", 4, "version 4294967295 is"),
        (b" " * 64 + b"<html>", 0, "begins with b'    '"),
        (Writer().head(0, MAX_ENTRIES + 1), 16, "1048577 metadata keys"),
        (HEAD + Q(MAX_STRING + 1), 24, "a string of 268435457 bytes"),
        (array_head(w.UINT8, MAX_HEADER - 48), 49, "the header claims 1,073,741,825 bytes"),
        (HEAD + KEY + U32(0xFFFFFFFF), 33, "value type 4294967295"),
        (nested(9), 133, "over 8 deep"),
        (TENSOR + U32(0xFFFFFFFF), 33, "has 4294967295 dimensions"),
        (TENSOR + U32(MAX_DIMENSIONS + 1), 33, "has 9 dimensions"),
        (TENSOR + U32(1) + Q(1 << 63) + bytes(12), 37, "claims the shape"),
        (TENSOR + U32(1) + Q((1 << 64) - 1) + bytes(12), 37, "claims the shape"),
        (write([], [Tensor("t", ())] * 2), 49, "tensor 't' appears twice"),
    ],
)
def test_what_just_is_not(data: bytes, position: int, says: str) -> None:
    with pytest.raises(GGUFError, match=says) as caught:
        GGUFFile.parse(data)
    assert not isinstance(caught.value, TruncatedError)
    assert caught.value.position == position


def test_the_largest_tensor() -> None:
    shape = (1,) * (MAX_DIMENSIONS - 1) + ((1 << 63) - 1,)
    (tensor,) = GGUFFile.parse(write([], [Tensor("t", shape, 0, (1 << 64) - 1)])).tensors
    assert (tensor.shape, tensor.offset) == (shape, (1 << 64) - 1)


def test_strings_cut_at_the_end_of_the_file() -> None:
    data = write([Entry("k", w.ARRAY, (w.STRING, ["abc", "defg"]))])
    for size in range(24, len(data)):
        with pytest.raises(TruncatedError) as caught:
            GGUFFile.parse(data[:size])
        assert size < caught.value.need <= len(data)


def test_a_count_is_no_part_of_a_character_before_it() -> None:
    """128 is a byte that continues a character, if a lead byte stands before it."""
    texts = [b"a" * 127 + b"\xc3", b"b" * 128]
    file = GGUFFile.parse(write([Entry("k", w.ARRAY, (w.STRING, texts))]))
    raws = [text.encode("utf-8", "surrogateescape") for text in file.metadata["k"]]
    assert raws == texts


def test_any_byte_but_0_is_true() -> None:
    data = bytearray(write([Entry("k", w.ARRAY, (w.BOOL, [False, True, True]))]))
    data[-1] = 2
    assert GGUFFile.parse(data).metadata["k"].tobytes() == b"\0\1\1"


def test_nothing_of_the_tensors_is_copied() -> None:
    head = write([Entry("k", w.ARRAY, (w.STRING, ["a", "b"])), Entry("n", w.ARRAY, (w.INT8, [1]))])
    data = memoryview(bytearray(head + bytes(20_000_000)))
    tracemalloc.start()
    file = GGUFFile.parse(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert list(file.metadata["k"]) == ["a", "b"]
    assert peak < 1_000_000
