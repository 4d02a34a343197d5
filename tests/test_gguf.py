"""GGUFFile: what it reads, what it refuses, and what a cut file asks for."""

import io
import math
import mmap
import threading
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyodide_tok.errors import GGUFError, TruncatedError
from pyodide_tok.gguf import reader as gguf
from pyodide_tok.gguf.reader import GGUFFile, TensorInfo
from tests import gguf_writer as w
from tests.gguf_writer import Entry, Tensor, write
from tests.platforms import THREADS
from tests.reference import NEEDS_SHARED, vocab_names, vocab_path, vocabs

CUT = ("gpt2-cut", "gpt2-cut-header")
FORMS = [(version, order) for version in (1, 2, 3) for order in "<>"]

NUMBERS = {  # type: low, high, name
    w.UINT8: (0, 255, "uint8"),
    w.INT8: (-128, 127, "int8"),
    w.UINT16: (0, 65535, "uint16"),
    w.INT16: (-32768, 32767, "int16"),
    w.UINT32: (0, 2**32 - 1, "uint32"),
    w.INT32: (-(2**31), 2**31 - 1, "int32"),
    w.UINT64: (0, 2**64 - 1, "uint64"),
    w.INT64: (-(2**63), 2**63 - 1, "int64"),
    w.FLOAT32: (-1.5, 2.0**100, "float32"),
    w.FLOAT64: (-0.1, 1e300, "float64"),
    w.BOOL: (False, True, "bool"),
}
EVERYTHING = [
    *(Entry(f"low.{name}", kind, low) for kind, (low, _, name) in NUMBERS.items()),
    *(Entry(f"high.{name}", kind, high) for kind, (_, high, name) in NUMBERS.items()),
    *(
        Entry(f"array.{name}", w.ARRAY, (kind, [low, high, low]))
        for kind, (low, high, name) in NUMBERS.items()
    ),
    Entry("text", w.STRING, "h\u00e9llo \U0001f600"),
    Entry("no text", w.STRING, ""),
    Entry("raw", w.STRING, b"\xff\xfe\xe2\x96"),
    Entry("texts", w.ARRAY, (w.STRING, ["a", "", "\u2581the", b"\xe2\x96", "\0", "x" * 300])),
    Entry("none", w.ARRAY, (w.STRING, [])),
    Entry("no numbers", w.ARRAY, (w.FLOAT32, [])),
    Entry("nested", w.ARRAY, (w.ARRAY, [(w.UINT8, [1, 2]), (w.STRING, ["a"]), (w.ARRAY, [])])),
]
TENSORS = [
    Tensor("token_embd.weight", (64, 1000), 0, 0),
    Tensor("b", (), 30, 1 << 40),
    Tensor("c", (1, 2, 3, 4), 12, 32),
    Tensor("d", (7,), 999, 64),
]


def plain(value: object) -> object:
    """A value as numbers, strings and lists."""
    if isinstance(value, memoryview):
        return value.tolist()
    return list(map(plain, value)) if isinstance(value, list | tuple) else value


@pytest.mark.parametrize(("version", "order"), FORMS)
def test_every_type(version: int, order: str) -> None:
    data = write(EVERYTHING, TENSORS, version, order)
    file = GGUFFile.parse(data)
    assert file.version == version
    assert file.byteorder == {"<": "little", ">": "big"}[order]
    assert file.header_size == len(data)
    assert list(file.metadata) == list(file.types) == [entry.key for entry in EVERYTHING]
    for kind, (low, high, name) in NUMBERS.items():
        assert (file.metadata[f"low.{name}"], file.metadata[f"high.{name}"]) == (low, high)
        assert type(file.metadata[f"low.{name}"]) is type(low)
        numbers = file.metadata[f"array.{name}"]
        assert isinstance(numbers, memoryview)
        assert numbers.format == w.FORMATS[kind]
        assert numbers.readonly
        assert numbers.tolist() == [low, high, low]
        assert file.types[f"low.{name}"] == name
        assert file.types[f"array.{name}"] == f"array[{name}]"
    assert file.metadata["text"] == "h\u00e9llo \U0001f600"
    assert file.metadata["no text"] == ""
    assert file.metadata["raw"] == "\udcff\udcfe\udce2\udc96"
    assert file.metadata["texts"] == ["a", "", "\u2581the", "\udce2\udc96", "\0", "x" * 300]
    assert file.metadata["none"] == []
    assert plain(file.metadata["no numbers"]) == []
    assert plain(file.metadata["nested"]) == [[1, 2], ["a"], []]
    assert file.types["texts"] == "array[string]"
    assert file.types["nested"] == "array[array]"
    assert file.tensors == (
        TensorInfo("token_embd.weight", (64, 1000), "F32", 0),
        TensorInfo("b", (), "BF16", 1 << 40),
        TensorInfo("c", (1, 2, 3, 4), "Q4_K", 32),
        TensorInfo("d", (7,), "type-999", 64),
    )


def test_result_cannot_be_changed() -> None:
    file = GGUFFile.parse(write([Entry("a", w.UINT8, 1)]))
    with pytest.raises(TypeError):
        file.metadata["a"] = 2  # type: ignore[index]
    with pytest.raises(AttributeError):
        file.version = 2  # type: ignore[misc]


@pytest.mark.parametrize("raw", [0, 1, 2, 255])
def test_any_byte_but_zero_is_true(raw: int) -> None:
    data = write([Entry("flag", w.UINT8, raw), Entry("flags", w.ARRAY, (w.UINT8, [raw, 0]))])
    data = data.replace(b"flag" + bytes(4), b"flag" + bytes([w.BOOL, 0, 0, 0]))
    data = data.replace(b"flags\x09\0\0\0" + bytes(4), b"flags\x09\0\0\0" + bytes([7, 0, 0, 0]))
    metadata = GGUFFile.parse(data).metadata
    assert metadata["flag"] is bool(raw)
    assert plain(metadata["flags"]) == [bool(raw), False]


# --- whole, cut anywhere, with more behind it


@pytest.mark.parametrize(("version", "order"), FORMS)
def test_every_cut_asks_for_more(version: int, order: str) -> None:
    data = write(EVERYTHING, TENSORS, version, order)
    for size in range(len(data)):
        with pytest.raises(TruncatedError) as caught:
            GGUFFile.parse(data[:size])
        assert size < caught.value.need <= len(data)
        assert caught.value.position == size


def test_reading_by_need_ends() -> None:
    data = write(EVERYTHING, TENSORS) + bytes(1000)
    size = 0
    for _ in range(len(data)):
        try:
            file = GGUFFile.parse(data[:size])
            break
        except TruncatedError as error:
            size = error.need
    assert file.header_size == size == len(data) - 1000


@pytest.mark.parametrize("behind", [b"\0", b"GGUF", bytes(range(256)) * 4])
def test_what_follows_is_left_alone(behind: bytes) -> None:
    data = write(EVERYTHING, TENSORS)
    file = GGUFFile.parse(data + behind)
    assert file.header_size == len(data)
    assert file.tensors == GGUFFile.parse(data).tensors
    assert same(file, GGUFFile.parse(data))


def same(one: GGUFFile, other: GGUFFile) -> bool:
    return {k: plain(v) for k, v in one.metadata.items()} == {
        k: plain(v) for k, v in other.metadata.items()
    }


# --- buffers


def mapped(data: bytes, path: Path) -> mmap.mmap:
    path.write_bytes(data)
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def test_every_buffer(tmp_path: Path) -> None:
    data = write(EVERYTHING, TENSORS)
    apart = memoryview(bytes(byte for pair in zip(data, data, strict=True) for byte in pair))[::2]
    want = GGUFFile.parse(data)
    for buffer in (bytearray(data), memoryview(data), apart, mapped(data, tmp_path / "m")):
        assert same(GGUFFile.parse(buffer), want)
    words = memoryview(data + bytes(-len(data) % 8)).cast("Q")
    assert same(GGUFFile.parse(words), want)
    assert same(GGUFFile.open(tmp_path / "m"), want)
    assert same(GGUFFile.open(str(tmp_path / "m")), want)


@pytest.mark.parametrize("first", [1, 100, 1 << 20])
def test_where_nothing_can_be_mapped_it_reads_on(
    first: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "head and more"
    data = write(EVERYTHING, TENSORS)
    path.write_bytes(data + bytes(1 << 22))
    monkeypatch.setattr(gguf.sys, "platform", "emscripten")
    monkeypatch.setattr(gguf, "FIRST", first)
    monkeypatch.delattr(gguf.mmap, "mmap")
    assert same(GGUFFile.open(path), GGUFFile.parse(data))
    path.write_bytes(data[:150])
    with pytest.raises(TruncatedError):
        GGUFFile.open(path)


class Counted(io.BytesIO):
    """A file that notes how much of it was asked for."""

    sizes: ClassVar[list[int]] = []

    def read(self, size: int | None = -1) -> bytes:
        self.sizes.append(size)
        return super().read(size)


@pytest.mark.parametrize("first", [1, 24, 100])
def test_it_reads_on_no_further_than_it_must(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part is as long as all before it, or up to where the header must go on at least."""
    monkeypatch.setattr(gguf, "FIRST", first)
    data = write([Entry("k", w.STRING, "x" * 1000)])
    Counted.sizes.clear()
    GGUFFile.read(Counted(data + bytes(1 << 20)))
    assert sum(Counted.sizes) <= len(data) + 24
    assert len(Counted.sizes) < 9


def test_writable_buffer_may_change_afterwards() -> None:
    data = write(EVERYTHING, TENSORS)
    buffer = bytearray(data)
    file = GGUFFile.parse(buffer)
    buffer[:] = b"\xff" * 10  # resized too: nothing holds it
    assert same(file, GGUFFile.parse(data))


def test_map_may_close_afterwards(tmp_path: Path) -> None:
    data = write(EVERYTHING, TENSORS)
    with mapped(data, tmp_path / "m") as buffer:
        file = GGUFFile.parse(buffer)
    assert same(file, GGUFFile.parse(data))


def test_arrays_of_bytes_are_views() -> None:
    data = write([Entry("n", w.ARRAY, (w.FLOAT32, [0.5] * 100))])
    numbers = GGUFFile.parse(data).metadata["n"]
    assert isinstance(numbers, memoryview)
    assert numbers.obj is data


def test_not_a_buffer() -> None:
    for thing in ("model.gguf", 3, None):
        with pytest.raises(GGUFError, match=r"GGUFFile\.open"):
            GGUFFile.parse(thing)  # type: ignore[arg-type]


# --- string arrays


@pytest.mark.parametrize(("version", "order"), FORMS)
@pytest.mark.parametrize(
    "texts",
    [
        ["a"] * 3000,
        ["\u0120the", "\u2581", "\U0001f600"] * 700,
        ["a", "b" * 127, "c" * 128, "d" * 255, "e" * 256, "f" * 257, "g" * 70000],
        ["b" * 256 + "\0"],
        ["\0" + "b" * 256, "x"],
        ["\0" * 7 + "\1" * 320, "x"],
        ["", "", "a"] * 400,
        ["\0", "\0\0\0\0\0\0\0", "a\0", "\0a"],
        ["x"] * 511 + ["\0" * 9] + ["y"] * 600 + ["z" * 500],
        ["\udce2\udc96", "\udcc3", "a", "\udc80", "\udcf0\udc9f\udc98"] * 30,
    ],
)
def test_string_arrays(texts: list[str], version: int, order: str) -> None:
    data = write([Entry("t", w.ARRAY, (w.STRING, texts))], (), version, order)
    for buffer in (data, bytearray(data)):
        got = GGUFFile.parse(buffer).metadata["t"]
        assert isinstance(got, gguf.StringArray)
        assert len(got) == len(texts)
        assert list(got) == texts
        assert got == texts
        assert got == tuple(texts)
        assert got != [*texts, "more"]
        assert got != 3
        assert (got[0], got[-1], got[:2]) == (texts[0], texts[-1], tuple(texts[:2]))
        assert texts[-1] in got
        assert got.index(texts[-1]) == texts.index(texts[-1])


def test_string_array_is_shown_by_its_length() -> None:
    texts = (w.STRING, ["a", "b"])
    array = GGUFFile.parse(write([Entry("key", w.ARRAY, texts)])).metadata["key"]
    assert repr(array) == "<StringArray of 2 strings>"


@THREADS
def test_threads_see_whole_string_arrays() -> None:
    texts = [f"\u2581{n}" for n in range(20000)]
    data = write([Entry("t", w.ARRAY, (w.STRING, texts))])
    got = GGUFFile.parse(data).metadata["t"]
    answers: list[bool] = []
    threads = [threading.Thread(target=lambda: answers.append(got == texts)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [True] * 8


# --- round trip

strings = st.one_of(
    st.text(max_size=20),
    st.binary(max_size=20).map(lambda raw: raw.decode("utf-8", "surrogateescape")),
    st.text(alphabet="a\0", max_size=300),
)
numbers = {
    kind: st.booleans()
    if kind == w.BOOL
    else st.floats(width=32 if kind == w.FLOAT32 else 64)
    if isinstance(low, float)
    else st.integers(low, int(high))
    for kind, (low, high, _) in NUMBERS.items()
}
scalars = {**numbers, w.STRING: strings}


def arrays(depth: int) -> st.SearchStrategy[tuple[int, list[object]]]:
    flat = st.sampled_from(sorted(scalars)).flatmap(
        lambda kind: st.tuples(st.just(kind), st.lists(scalars[kind], max_size=20))
    )
    inner = st.tuples(st.just(w.ARRAY), st.lists(st.deferred(lambda: arrays(depth - 1))))
    return flat if depth == 1 else st.one_of(flat, inner)


values = st.one_of(
    *(st.tuples(st.just(kind), strategy) for kind, strategy in scalars.items()),
    st.tuples(st.just(w.ARRAY), arrays(3)),
)


def as_read(kind: int, value: object, in_array: bool = False) -> object:
    if kind == w.ARRAY:
        element, items = value  # type: ignore[misc]
        return [as_read(element, item, True) for item in items]
    if isinstance(value, str):
        return value if in_array else value.partition("\0")[0]
    return "nan" if isinstance(value, float) and math.isnan(value) else value


def without_nan(value: object) -> object:
    if isinstance(value, gguf.StringArray):
        return list(value)
    if isinstance(value, list):
        return [without_nan(item) for item in value]
    return "nan" if isinstance(value, float) and math.isnan(value) else value


@settings(deadline=None)
@given(st.dictionaries(st.text(min_size=1, max_size=9), values, max_size=6), st.sampled_from(FORMS))
def test_round_trip(entries: dict[str, tuple[int, object]], form: tuple[int, str]) -> None:
    data = write([Entry(key, *pair) for key, pair in entries.items()], TENSORS, *form)
    metadata = GGUFFile.parse(data).metadata
    got = {key: without_nan(plain(value)) for key, value in metadata.items()}
    want: dict[str, object] = {}
    for key, pair in entries.items():
        want.setdefault(key.partition("\0")[0], as_read(*pair))
    assert got == want


def test_names_and_texts_end_at_a_nul() -> None:
    """As llama.cpp reads them: C strings, of which the first of a name is found."""
    entries = [
        Entry("a\0x", w.STRING, "one\0two"),
        Entry("a", w.UINT32, 2),
        Entry(b"k\xff", w.UINT32, 3),
    ]
    file = GGUFFile.parse(write(entries, [Tensor("t\0x", (1,)), Tensor("", (1,))]))
    assert dict(file.metadata) == {"a": "one", "k\udcff": 3}
    assert dict(file.types) == {"a": "string", "k\udcff": "uint32"}
    assert [tensor.name for tensor in file.tensors] == ["t", ""]


# --- real files, and faults that people reported


@pytest.mark.parametrize("name", vocabs(*vocab_names()))
def test_real_files(name: str) -> None:
    path = vocab_path(name)
    if name in CUT:
        with pytest.raises(TruncatedError) as caught:
            GGUFFile.open(path)
        assert caught.value.need > path.stat().st_size
        return
    file = GGUFFile.open(path)
    assert file.header_size == path.stat().st_size
    texts = file.metadata.get("tokenizer.ggml.tokens", [])
    assert sum(1 for _ in texts) == len(texts)  # type: ignore[arg-type, union-attr]


@NEEDS_SHARED
@pytest.mark.parametrize("name", ["gpt2-be", "gpt2-v1", "gpt2-v2"])
def test_other_forms_of_one_file(name: str) -> None:
    one, other = (GGUFFile.open(vocab_path(stem)) for stem in ("gpt-2", name))
    assert one.metadata == other.metadata
    assert one.types == other.types
