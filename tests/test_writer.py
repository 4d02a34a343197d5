"""Writing a header: the same bytes for every file read, and copies that keep the tensors."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyodide_tok import GGUFFile
from pyodide_tok.errors import GGUFError
from pyodide_tok.gguf.editing import changed
from pyodide_tok.gguf.writer import copy_with_header, header
from tests.gguf_writer import ARRAY, BOOL, INT16, STRING, UINT8, UINT32, Entry, Tensor, write
from tests.reference import NEEDS_SHARED, SAMPLES, SHARED

ENTRIES = [
    Entry("general.name", STRING, "naïve\udcff"),
    Entry("general.alignment", UINT32, 64),
    Entry("flag", BOOL, True),
    Entry("numbers", ARRAY, (INT16, [1, -2, 300])),
    Entry("flags", ARRAY, (BOOL, [True, False])),
    Entry("texts", ARRAY, (STRING, ["a", "", "中"])),
    Entry("nested", ARRAY, (ARRAY, [(UINT8, [1, 2]), (STRING, ["x"]), (ARRAY, [(INT16, [7])])])),
]
TENSORS = [Tensor("token_embd.weight", (4, 2), 0, 0), Tensor("odd", (8,), 999, 64)]
DATA = bytes(range(200))


def padded(head: bytes) -> bytes:
    return head + bytes(-len(head) % 64)


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.gguf")), ids=lambda path: path.stem)
def test_samples_are_written_as_they_are(path: Path) -> None:
    file = GGUFFile.open(path)
    assert header(file)[: file.header_size] == path.read_bytes()[: file.header_size]


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("version", [1, 2, 3])
def test_every_version_and_byte_order(version: int, order: str) -> None:
    head = write(ENTRIES, TENSORS, version, order)
    assert header(GGUFFile.parse(head)) == padded(head)
    alone = write(ENTRIES, (), version, order)
    assert header(GGUFFile.parse(alone)) == alone


def test_a_copy_keeps_the_tensors(tmp_path: Path) -> None:
    source, target = tmp_path / "a.gguf", tmp_path / "b.gguf"
    source.write_bytes(padded(write(ENTRIES, TENSORS)) + DATA)
    fixed = changed(GGUFFile.open(source), {"general.name": "a longer name " * 20})
    copy_with_header(source, target, fixed)
    copy = GGUFFile.open(target)
    assert copy.metadata["general.name"] == "a longer name " * 20
    assert copy.tensors == fixed.tensors
    assert target.read_bytes() == header(fixed) + DATA
    assert len(header(fixed)) % 64 == 0
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["a.gguf", "b.gguf"]


def test_a_copy_replaces_nothing(tmp_path: Path) -> None:
    source = tmp_path / "a.gguf"
    source.write_bytes(write(ENTRIES))
    with pytest.raises(GGUFError, match="exists"):
        copy_with_header(source, source, GGUFFile.open(source))


def test_what_fails_leaves_nothing(tmp_path: Path) -> None:
    source = tmp_path / "a.gguf"
    source.write_bytes(write(ENTRIES))
    file = GGUFFile.open(source)
    broken = GGUFFile({"x": 1}, {"x": "no type"}, (), 3, "little", 0)
    with pytest.raises(KeyError):
        copy_with_header(source, tmp_path / "b.gguf", broken)
    with pytest.raises(OSError):
        copy_with_header(source, tmp_path / "no folder" / "b.gguf", file)
    assert list(tmp_path.iterdir()) == [source]


@NEEDS_SHARED
def test_all_vocabularies_are_written_as_they_are() -> None:
    paths = [p for p in SHARED.glob("vocabs/*.gguf") if not p.stem.startswith("gpt2-cut")]
    for path in paths:
        file = GGUFFile.open(path)
        assert header(file)[: file.header_size] == path.read_bytes()[: file.header_size]
    assert paths
