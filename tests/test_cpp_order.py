"""The orders of libstdc++, against what C++ programs printed.

The compiler was g++ 12.2 with libstdc++, on x86-64. HASHES is `std::hash<std::string>` of the
first n letters of LETTERS, n = 0, 1, 2, ... WALKS: for i = 0 .. size - 1, `m[word(i)] = i` with a
`std::unordered_map<std::string, int32_t> m`, then the words at five places in the order in which
a range-for met them.
"""

import pytest

from pyodide_tok.gguf.reader import GGUFFile
from pyodide_tok.vocab import cpp_order
from pyodide_tok.vocab.cpp_order import first_in_hash_order, longest_first
from tests import reference
from tests.reference import NEEDS_SHARED, vocab_path

LETTERS = "".join(chr(ord("a") + i * 5 % 26) for i in range(26))
HASHES = (
    0x553E93901E462A6E,
    0x454DDEE488C1ED6B,
    0x0C9E8B1FC26EB734,
    0x0191E46CB068EE3B,
    0x06711FFDD90439B1,
    0xE920EE79C6758391,
    0xB0E7181CCF4C3BBD,
    0x616CE60B74765A32,
    0x1B35018587C9A3CE,
    0xC7CAEF6CD3D32E83,
    0xBF1905BF87B72479,
    0x29BE7F2B04358B1C,
    0x6400D090590A4FB7,
    0x0F980F1BB0664C04,
    0xD4C130E125DB6052,
    0x644D4A64A50B90C2,
    0xCBFB479CA019254A,
    0xD6FEFFD2C8B868EA,
    0x6CA869A1FFA4A4F6,
    0x72370300EC92B872,
    0x72EBD97806218409,
    0xBA814FEDB3000417,
    0x7588F4D4731C6657,
    0x818C7B9DAC41EFE2,
    0xF309260762B01F9C,
    0x10CFD8A9E4CA92DE,
)
WALKS = (
    (1, (0,)),
    (2, (1, 0)),
    (13, (6, 3, 12, 9, 0)),
    (14, (13, 10, 0, 7, 3)),
    (29, (28, 21, 14, 0, 7)),
    (30, (7, 0, 15, 29, 22)),
    (59, (58, 14, 0, 44, 29)),
    (60, (59, 30, 45, 0, 15)),
    (127, (63, 95, 31, 0, 126)),
    (128, (127, 64, 32, 0, 96)),
    (257, (192, 128, 64, 0, 256)),
    (258, (257, 193, 0, 129, 64)),
    (541, (405, 270, 0, 135, 540)),
    (542, (541, 135, 0, 271, 406)),
    (1109, (554, 831, 1108, 0, 277)),
    (1110, (277, 0, 1109, 555, 832)),
    (2357, (1767, 2356, 1178, 0, 589)),
    (2358, (2357, 589, 0, 1179, 1768)),
    (5087, (5086, 2543, 3815, 0, 1271)),
    (5088, (1272, 5087, 0, 2544, 3816)),
    (10273, (10272, 7704, 5136, 0, 2568)),
    (10274, (10273, 7705, 0, 2568, 5137)),
    (20000, (19999, 0, 5000, 15000, 10000)),
)


def word(i: int) -> str:
    return "\u2581" * (i % 4) + str(i * i % 7919) + "\udcff" * (i % 3) + "<|x|>" * (i % 5)


@pytest.mark.parametrize("length", range(len(HASHES)))
def test_string_hash(length: int) -> None:
    assert cpp_order._hashes([LETTERS[:length]]) == [HASHES[length]]


def test_string_hashes_together() -> None:
    texts = [LETTERS[:length] for length in range(len(HASHES))]
    assert tuple(cpp_order._hashes(texts * 3)) == HASHES * 3


@pytest.mark.parametrize(("size", "walk"), WALKS)
def test_walk(size: int, walk: tuple[int, ...]) -> None:
    texts = [word(i) for i in range(size)]
    for start, first in enumerate(walk):
        candidates = {texts[i] for i in walk[start:]}
        assert first_in_hash_order(texts, candidates) == texts[first]


def test_text_that_comes_again_is_not_inserted() -> None:
    texts = [word(i) for i in range(100)]
    again = [text for i, text in enumerate(texts) for text in (text, texts[i // 2])]
    for start in range(0, 100, 7):
        candidates = texts[start : start + 7]
        assert first_in_hash_order(again, candidates) == first_in_hash_order(texts, candidates)


@NEEDS_SHARED
@pytest.mark.parametrize(
    ("name", "candidates"),
    [
        ("hybriddna", ("<|im_end|>", "<|endoftext|>")),
        ("llama-bpe", ("<|eot_id|>", "<|end_of_text|>")),
        ("phi-3", ("<|end|>", "<|endoftext|>")),
        ("qwen2", ("<|im_end|>", "<|endoftext|>")),
        ("spm-ugly", ("<|im_end|>", "<|end|>", "<|endoftext|>")),
    ],
)
def test_end_of_turn_of_real_files(name: str, candidates: tuple[str, ...]) -> None:
    special = reference.rows(reference.FULL, name)[0]["special"]
    texts = GGUFFile.open(vocab_path(name)).metadata["tokenizer.ggml.tokens"]
    assert texts.index(first_in_hash_order(texts, candidates)) == special["eot"]


# -- the order of std::sort ----------------------------------------------------------------


def test_order_is_by_falling_size() -> None:
    sizes = [i * 7919 % 13 for i in range(500)]
    order = longest_first(sizes)
    assert sorted(order) == list(range(500))
    assert [sizes[i] for i in order] == sorted(sizes, reverse=True)


def test_few_equals_stay_in_order() -> None:
    assert longest_first([1] * 16) == list(range(16))


def test_many_equals_do_not() -> None:
    """As a program of g++ 12 printed them."""
    assert longest_first([1] * 17) == [8, 16, 15, 14, 13, 12, 11, 10, 9, 0, 7, 6, 5, 4, 3, 2, 1]
    # sizes i * 7919 % 13 of 500
    order = longest_first([i * 7919 % 13 for i in range(500)])
    assert order[:10] == [461, 188, 357, 71, 227, 383, 32, 162, 279, 435]
    assert order[-10:] == [52, 208, 455, 390, 286, 39, 351, 221, 468, 117]
