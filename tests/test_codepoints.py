"""Unicode tables and lenient UTF-8, against unicodedata2 and a decoder written out by hand."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyodide_tok.text import codepoints as cp

ROOT = Path(__file__).parent.parent
EVERY = range(0x110000)

texts = st.one_of(
    st.binary(max_size=40),
    st.lists(st.sampled_from(b"a\x7f\x80\xa0\xbf\xc0\xc3\xd7\xe0\xe2\xed\xf0\xf4\xf7\xff"))
    .map(bytes),
).map(lambda raw: raw.decode("utf-8", "surrogateescape"))  # fmt: skip


def plain_lenient(raw: bytes) -> list[tuple[int, int]]:
    """(code point, bytes), by llama.cpp's unicode_cpt_from_utf8, byte by byte."""
    result = []
    at = 0
    while at < len(raw):
        lead = raw[at]
        size = next((n for n, top in ((1, 0x80), (0, 0xC0), (2, 0xE0), (3, 0xF0), (4, 0xF8))
                     if lead < top), 0)  # fmt: skip
        rest = raw[at + 1 : at + size]
        if not size or len(rest) < size - 1 or any(byte & 0xC0 != 0x80 for byte in rest):
            result.append((0xFFFD, 1))
            at += 1
            continue
        point = lead if size == 1 else lead & (0xFF >> (size + 1))
        for byte in rest:
            point = point * 64 + (byte & 0x3F)
        result.append((point if point < 0x110000 else 0xFFFD, size))
        at += size
    return result


@pytest.mark.slow
def test_generated_file_is_what_the_generator_writes():
    pytest.importorskip("unicodedata2")
    path = ROOT / "tools" / "make_unicode_tables.py"
    spec = importlib.util.spec_from_file_location("make_unicode_tables", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    assert module.main(["--check"]) == 0


@pytest.mark.slow
def test_categories_are_unicode_15_1():
    ucd = pytest.importorskip("unicodedata2")
    if ucd.unidata_version != "15.1.0":
        pytest.skip("another Unicode")
    for point in EVERY:
        wanted = ucd.category(chr(point))
        assert cp.category(point) == ("" if wanted == "Cn" else wanted[0]), hex(point)


@pytest.mark.parametrize("name", "LNMPSZC")
def test_class_ranges_say_what_category_says(name):
    matches = re.compile(f"[{cp.class_ranges(name)}]").match
    for point in range(0x10000):
        wanted = cp.category(point) == name and not 0xD800 <= point <= 0xDFFF
        assert bool(matches(chr(point))) == wanted, hex(point)


@pytest.mark.slow
def test_whitespace_is_25_code_points():
    matches = re.compile(f"[{cp.class_ranges('W')}]").match
    assert [p for p in EVERY if matches(chr(p))] == sorted(map(ord, cp.WHITESPACE))
    assert [p for p in EVERY if cp.is_whitespace(p)] == sorted(map(ord, cp.WHITESPACE))
    assert len(cp.WHITESPACE) == 25
    assert not any(map(cp.is_whitespace, range(0x1C, 0x20)))  # str.isspace takes these


@pytest.mark.parametrize(
    ("point", "wanted"),
    [(0x110000, ""), (0x378, ""), (0xD800, "C"), (0xE000, "C"), (0x10FFFF, ""), (0x10FFFD, "C"),
     (0xAD, "C"), (0x20000, "L"), (0x1F600, "S"), (0x2EBF0, "L"), (0x20, "Z"), (0, "C")],
)  # fmt: skip
def test_category_of(point, wanted):
    assert cp.category(point) == wanted


def test_lowercase_is_one_to_one():
    assert "ÀİΣß\u1e9e".translate(cp.lower_table()) == "àiσßß"
    assert cp.to_lower("\u0130") == "i"
    assert "ΑΣ".translate(cp.lower_table()) == "ασ"  # str.lower makes the last one final
    assert cp.to_lower("\U00010400") == "\U00010428"
    assert cp.to_lower("1") == "1"


def test_nfd_keeps_the_first_code_point():
    assert "éǖ각\u0344\u2f800".translate(cp.nfd_table()) == "eu\u1100\u0308\u2f800"
    assert cp.nfd_base("\U0002f800") == "\u4e3d"
    assert cp.nfd_base("e") == "e"


@pytest.mark.slow
def test_nfd_is_the_whole_of_unicode_15_1():
    ucd = pytest.importorskip("unicodedata2")
    table = cp.nfd_table()
    for point in EVERY:
        assert table.get(point, point) == ord(ucd.normalize("NFD", chr(point))[0]), hex(point)


def test_byte_characters_are_gpt_2s():
    assert len(set(cp.BYTE_TO_CHAR)) == 256
    assert cp.BYTE_TO_CHAR[0x20] == "Ġ"
    assert cp.BYTE_TO_CHAR[0x0A] == "Ċ"
    assert cp.BYTE_TO_CHAR[0xAD] == "\u0143"
    assert cp.BYTE_TO_CHAR[0x41] == "A"
    assert [cp.CHAR_TO_BYTE[char] for char in cp.BYTE_TO_CHAR] == list(range(256))


@given(texts)
def test_lenient_is_the_plain_decoder(text):
    wanted = plain_lenient(text.encode("utf-8", "surrogateescape"))
    assert [ord(char) for char in cp.lenient(text)] == [point for point, _ in wanted]
    assert cp.lenient_widths(text) == [width for _, width in wanted]


@given(texts)
def test_widths_are_the_bytes_of_each_character(text):
    assert cp.widths(text) == [len(char.encode("utf-8", "surrogateescape")) for char in text]


def test_lenient_leaves_good_text_alone():
    for text in ("", "plain", "żółć 😀 \ufffd"):
        assert cp.lenient(text) is text


@pytest.mark.parametrize(
    ("raw", "points"),
    [(b"\xc0\x80", [0]), (b"\xed\xa0\x80", [0xD800]), (b"\xf4\x90\x80\x80", [0xFFFD]),
     (b"\xe2\x28\xa1", [0xFFFD, 0x28, 0xFFFD]), (b"\xc3\xc3\xa9", [0xFFFD, 0xE9]),
     (b"\xf8\x88\x80\x80\x80", [0xFFFD] * 5), (b"\xf0\x82\x82\xac", [0x20AC])],
)  # fmt: skip
def test_lenient_of(raw, points):
    assert [ord(c) for c in cp.lenient(raw.decode("utf-8", "surrogateescape"))] == points
