r"""Pre-tokenizers by the PyPI engine `regex`: stages as llama.cpp runs them, classes its own.

Each stage cuts every piece that is there at both ends of each match. `\p{..}` is whatever Unicode
version `regex` has, so texts are kept to code points whose class is as in Unicode 15.1 (`settled`).
A test that comes to a pattern is skipped where there is no `regex`.
The stages are written down again here, by groups of names, from llama.cpp b11549's table.
"""

import re
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from pyodide_tok.text.codepoints import WHITESPACE, category

SPACES = "".join(f"\\U{ord(char):08x}" for char in WHITESPACE)
FAR_SPACES = re.compile("[" + "".join(char for char in WHITESPACE if char > "\x7f") + "]")

CONTRACTION = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
TAIL = r"\s+(?!\S)|\s+"
LINES = r"\s*[\r\n]+|" + TAIL
WORD = r"[^\r\n\p{L}\p{N}]?\p{L}+"
PUNCT = r" ?[^\s\p{L}\p{N}]+"
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+|" + f"{PUNCT}|{TAIL}"
LLAMA3 = rf"{CONTRACTION}|{WORD}|\p{{N}}{{1,3}}|{PUNCT}[\r\n]*|{LINES}"
QWEN2 = rf"{CONTRACTION}|{WORD}|\p{{N}}|{PUNCT}[\r\n]*|{LINES}"
NEWLINES = r"[^\n]+|[\n]+"
CJK = "[一-龥\u3040-ゟ゠-ヿ]+"
CJK_WIDE = "[一-龥ࠀ-一가-\ud7ff]+"
ASCII_WORD = r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+"
MARKED = r"[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
DEEPSEEK3 = rf"{ASCII_WORD}|{MARKED}| ?[\p{{P}}\p{{S}}]+[\r\n]*|{LINES}"
BLOOM = r" ?[^(\s|.,!?…。，、।۔،)]+"
DEEPSEEK_LETTERS = (
    "A-Za-z\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf\u01c4-\u0293\u0295-"
    "\u02af\u0370-\u0373\u0376\u0377\u037b-\u037d\u037f\u0386\u0388-\u038a\u038c\u038e-\u03a1"
    "\u03a3-\u03f5\u03f7-\u0481\u048a-\u052f\u0531-\u0556\u10a0-\u10c5\u13a0-\u13f5\u13f8-"
    "\u13fd\u1c90-\u1cba\u1cbd-\u1cbf\u1d00-\u1d2b\u1d6b-\u1d77\u1d79-\u1d9a\u1e00-\u1f15"
    "\u1f18-\u1f1d\u1f20-\u1f45\u1f48-\u1f4d\u1f50-\u1f57\u1f59\u1f5b\u1f5d\u1f5f-\u1f7d"
    "\u1f80-\u1fb4\u1fb6-\u1fbc\u1fbe\u1fc2-\u1fc4\u1fc6-\u1fcc\u1fd0-\u1fd3\u1fd6-\u1fdb"
    "\u1fe0-\u1fec\u1ff2-\u1ff4\u1ff6-\u1ffc\u2102\u2107\u210a-\u2113\u2115\u2119-\u211d"
    "\u2124\u2126\u2128\u212a-\u212d\u212f-\u2134\u2139\u213c-\u213f\u2145-\u2149\u214e\u2183"
    "\u2184\u2c00-\u2c7b\u2c7e-\u2ce4\u2ceb-\u2cee\u2cf2\u2cf3\ua640-\ua66d\ua680-\ua69b"
    "\ua722-\ua76f\ua771-\ua787\ua78b-\ua78e\uab70-\uabbf\ufb00-\ufb06\ufb13-\ufb17\uff21-"
    "\uff3a\uff41-\uff5a\U00010400-\U0001044f\U000104b0-\U000104d3\U000104d8-\U000104fb"
    "\U00010c80-\U00010cb2\U00010cc0-\U00010cf2\U000118a0-\U000118df\U0001e900-\U0001e943"
)
ASIAN = (
    "[一-鿿㐀-䶿\u8c48-\ufaff\u3040-ゟ゠-ヿ･-ﾟ⼀-\u2fdf\u0e40-\u0e7f\u0e80-\u0eff"
    "ក-\u17ffက-႟ꩠ-ꩿꧠ-\ua9ff가-\ud7afᄀ-ᇿ]+"
)
HAN = (
    "\u4e00-\u9fff\u3400-\u4dbf\U00020000-\U0002a6df\U0002a700-\U0002b73f"
    "\U0002b740-\U0002b81f\U0002b820-\U0002ceaf\U0002ceb0-\U0002ebef\uf900-\ufaff"
    "\U0002f800-\U0002fa1f"
)


def cased(upper: str, lower: str, rest: str) -> str:
    head = r"[^\r\n\p{L}\p{N}]?"
    return f"{head}{upper}*{lower}+{rest}|{head}{upper}+{lower}*{rest}"


def slashed(words: str, digits: str) -> str:
    return rf"{words}|\p{{N}}{digits}|{PUNCT}[\r\n/]*|{LINES}"


UPPER, LOWER = r"(?:(?=\p{L})[^a-z])", r"(?:(?=\p{L})[^A-Z])"
UPPER_M, LOWER_M = r"(?:(?=[\p{L}\p{M}])[^a-z])", r"(?:(?=[\p{L}\p{M}])[^A-Z])"
ANY_CASE = cased(r"[\p{L}\p{M}]", r"[\p{L}\p{M}]", CONTRACTION + "?")

# names -> stages
TABLE = (
    (
        "llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano"
        " dbrx smaug-bpe chatglm-bpe glm4 glm5",
        [LLAMA3],
    ),
    (
        "minicpm5",
        [r"\p{N}{1,3}", rf"{CONTRACTION}|{WORD}|\p{{N}}+|{PUNCT}[\r\n]*|{LINES}"],
    ),
    (
        "jais-2",
        [
            rf"{CONTRACTION}|{WORD}|\p{{N}}{{1,3}}|{PUNCT}[\r\n]*|\s*[\r\n]+"
            r"|\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)"
            r"|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1}"
        ],
    ),
    (
        "deepseek-llm",
        [
            "[\r\n]",
            rf"\s?[{DEEPSEEK_LETTERS}]+",
            r"\s?[!-/:-~！-／：-～‘-‟　-。]+",
            r"\s+\Z",
            CJK_WIDE,
            r"\p{N}+",
        ],
    ),
    ("deepseek-coder", ["[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", CJK_WIDE, r"\p{N}"]),
    ("deepseek-v3 hunyuan-dense joyai-llm hy_v4", [r"\p{N}{1,3}", CJK, DEEPSEEK3]),
    (
        "spark2_5",
        [
            r"\p{N}{1,3}",
            CJK,
            rf"{ASCII_WORD}|{MARKED}| ?[\p{{P}}\p{{S}}]+|[\r\n]|{TAIL}",
            r"\p{N}",
        ],
    ),
    (
        "youtu",
        [
            f"[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+|{CJK}",
            rf"{ANY_CASE}|\p{{N}}|{PUNCT}[\r\n/]*|{LINES}",
        ],
    ),
    ("falcon", [r"[\p{P}\$\+<=>\^~\|`]+", GPT2, "[0-9][0-9][0-9]"]),
    (
        "starcoder refact command-r smollm codeshell exaone minerva-7b mellum2",
        [r"\p{N}", GPT2],
    ),
    (
        "gpt-2 phi-2 jina-es jina-de gigachat jina-v2-es jina-v2-de a.x-4.0 mellum modern-bert"
        " mpt olmo jais trillion granite-docling jina-v1-en jina-v2-code roberta-bpe exaone4",
        [GPT2],
    ),
    (
        "qwen2 deepseek-r1-qwen kormo f2llmv2 megrez stablelm2 hunyuan solar-open grok-2",
        [QWEN2],
    ),
    (
        "qwen35",
        [
            rf"{CONTRACTION}|[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}\p{{M}}]+|\p{{N}}"
            rf"| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{LINES}"
        ],
    ),
    ("poro-chat bloom gpt3-finnish", [BLOOM]),
    ("viking", [BLOOM, r"\p{N}"]),
    ("tekken", [slashed(cased(UPPER, LOWER, ""), "")]),
    (
        "chameleon",
        [
            "<sentinel:[0-9]+>",
            "(?:IMGIMG)(?:(?:A|B|C|D|E|F|G|H|I){1,4})Z",
            r"(?:[\t\n]|    |  )",
            r"\p{N}",
            r"[\p{P}!-/:-@\[-`{-~]",
            GPT2,
        ],
    ),
    (
        "gpt-4o llama4 kanana2 talkie minimax-m2",
        [slashed(cased(UPPER, LOWER, CONTRACTION + "?"), "{1,3}")],
    ),
    (
        "granite-embed-multi-97m",
        [slashed(cased(UPPER_M, LOWER_M, CONTRACTION + "?"), "{1,3}")],
    ),
    ("tiny_aya cohere2moe", ["right-aligned digits", slashed(ANY_CASE, "{1,3}")]),
    (
        "kimi-k2",
        [
            rf"[{HAN}]+|[^\r\n\p{{L}}\p{{N}}]?(?:(?=\p{{L}})[^{HAN}])+{CONTRACTION}?"
            rf"|\p{{N}}{{1,3}}|{PUNCT}[\r\n]*|{LINES}"
        ],
    ),
    ("superbpe", [r"\p{N}+", r"(?=([0-9]{3})+(?![0-9]))"]),
    (
        "bailingmoe bailingmoe2 llada-moe",
        [
            rf"'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|{WORD}|\p{{N}}|{PUNCT}[\r\n]*"
            rf"|\s*[\r\n]|{TAIL}"
        ],
    ),
    (
        "seed-coder",
        [rf"{CONTRACTION}|{WORD}|\p{{N}}{{1}}| ?[^\s\p{{L}}\p{{N}}\r\n]+|{LINES}"],
    ),
    ("ufakzeka", [rf"{WORD}|\p{{N}}|{PUNCT}[\r\n]*|{LINES}"]),
    ("afmoe", ["right-aligned digits", ASIAN, DEEPSEEK3]),
    ("laguna", [NEWLINES, QWEN2]),
    (
        "exaone-moe",
        [
            rf"{CONTRACTION}|[^\r\n\p{{L}}\p{{N}}]?(?:\p{{L}}\p{{M}}*(?: \p{{L}}\p{{M}}*)*)+"
            rf"|\p{{N}}|{PUNCT}[\r\n/]?|\s*[\r\n]|{TAIL}"
        ],
    ),
    ("gemma4 granite-embed-multi-311m sarvam-moe mmbert", [NEWLINES]),
    (
        "k2-horizon",
        [
            r"'[sSſ]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD]"
            r"|[^\r\n\p{L}\p{N}]?(?:\p{L}|\p{M}|\u200C|\u200D)+"
            rf"|\p{{N}}{{1,3}}|{PUNCT}[\r\n]*|{LINES}"
        ],
    ),
    ("whitespace", [r"\S+"]),
    ("default", [r"[\p{P}\$\+<=>\^~\|]+", GPT2, r"\p{N}+", "[0-9][0-9][0-9]"]),
)
STAGES = {name: tuple(stages) for names, stages in TABLE for name in names.split()}


def words(pre: str, text: str) -> list[str]:
    pieces = [text]
    for stage in STAGES[pre]:
        pieces = [word for piece in pieces for word in run(stage, piece)]
    return pieces


def run(stage: str, piece: str) -> list[str]:
    if stage == "right-aligned digits":  # what stands before the first group stays with it
        found = engine().finditer(r"\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))", piece)
        return cut(piece, {match.end() for match in found})
    # llama.cpp runs a stage without classes over wide characters, with every white space above
    # ASCII replaced by a vertical tab
    read = piece if r"\p{" in stage else FAR_SPACES.sub("\v", piece)
    found = list(compiled(stage).finditer(read))
    return cut(piece, {m.start() for m in found} | {m.end() for m in found})


def cut(text: str, places: Iterable[int]) -> list[str]:
    edges = sorted({0, len(text), *places})
    return [text[a:b] for a, b in pairwise(edges)]


def engine() -> Any:
    return pytest.importorskip("regex")


@cache
def compiled(stage: str) -> Any:
    r"""With llama.cpp's `\s`: 25 code points, U+001C..U+001F not among them."""
    pattern, inside = "", False
    for token in re.findall(r"\\p\{\w\}|\\.|.", stage, re.DOTALL):
        if token == r"\s":
            token = SPACES if inside else f"[{SPACES}]"
        elif token == r"\S":
            token = f"[^{SPACES}]"
        inside = (inside or token == "[") and token != "]"
        pattern += token
    return engine().compile(pattern)


@cache
def settled(char: str) -> bool:
    """Whether `regex` and Unicode 15.1 agree on the class of a character."""
    name = category(ord(char))
    return bool(engine().match(rf"\p{{{name or 'Cn'}}}", char))
