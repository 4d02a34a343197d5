r"""BPE pre-tokenizers: `tokenizer.ggml.pre` name -> how a text is split into words, and flags.

The patterns are facts of the models' own tokenizer.json files and of llama.cpp b11549.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import NamedTuple

from pyodide_tok.errors import UnknownPreTokenizerError
from pyodide_tok.pretokenize.splitting import (
    AstralRanges,
    Pattern,
    Stage,
    cut_before_thousands,
    right_aligned_digits,
)


class Lines(NamedTuple):
    r"""Where words border on newlines.

    chunks: a pattern, in the dialect of stages, for parts of a text of about a line each, which
    split on their own as they do in the text; "" if no rule is known.
    before: a newline after what is not white space always starts a word, and nothing before it
    changes how white space is split.
    after: what is neither white space nor a slash always starts a word after a newline.
    """

    chunks: str = ""
    before: bool = False
    after: bool = False


NO_LINES = Lines()  # no rule is known


@dataclass(frozen=True, slots=True)
class PreTokenizer:
    """The stages of a pre-tokenizer, and what else its name decides.

    flags: the loader's, where they differ from those of every BPE vocabulary. Beside `Flags` these
    are no_bos (the default BOS id does not hold) and needs_bos (add_bos, whatever the file says).
    """

    stages: tuple[Stage, ...]
    lines: Lines = NO_LINES
    flags: Mapping[str, bool] = field(default_factory=dict)
    byte_encode: bool = True  # words become GPT-2's printable bytes before merging
    newline_words: bool = False  # a word of newlines that is a token needs no merges
    cut_at_spaces: bool = False  # words are lines: where U+2581 is in no merge, they can be cut
    metaspace_words: bool = False  # every U+2581 starts a word, and so does a line
    astral: AstralRanges | None = ()  # looked at before the classes; see Splitter


# -- patterns -----------------------------------------------------------------------------

_CONTRACTION = "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
_SPACES = r"\s+(?!\S)|\s+"
_LINES = r"\s*[\r\n]+|" + _SPACES
_WORD = r"[^\r\n\p{L}\p{N}]?\p{L}+"
_PUNCT = r" ?[^\s\p{L}\p{N}]+[\r\n]*"
# letters that are not ASCII lowercase, and not ASCII uppercase
_UPPER, _LOWER = r"(?:(?![a-z])\p{L})", r"(?:(?![A-Z])\p{L})"
_UPPER_M, _LOWER_M = r"(?:(?![a-z])[\p{L}\p{M}])", r"(?:(?![A-Z])[\p{L}\p{M}])"
_ASCII_PUNCT_WORD = r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+"
_MARKED_WORD = r"[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
_CJK = "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"
# U+3000 and the other spaces in these ranges count as whitespace and nothing else
_CJK_WIDE = (
    "[\u4e00-\u9fa5\u0800-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e"
    "\u2060-\u2fff\u3001-\u4e00\uac00-\ud7ff]+"
)
_DEEPSEEK_LETTERS = (
    "A-Za-z\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf\u01c4-\u0293"
    "\u0295-\u02af\u0370-\u0373\u0376\u0377\u037b-\u037d\u037f\u0386\u0388-\u038a\u038c"
    "\u038e-\u03a1\u03a3-\u03f5\u03f7-\u0481\u048a-\u052f\u0531-\u0556\u10a0-\u10c5"
    "\u13a0-\u13f5\u13f8-\u13fd\u1c90-\u1cba\u1cbd-\u1cbf\u1d00-\u1d2b\u1d6b-\u1d77"
    "\u1d79-\u1d9a\u1e00-\u1f15\u1f18-\u1f1d\u1f20-\u1f45\u1f48-\u1f4d\u1f50-\u1f57\u1f59"
    "\u1f5b\u1f5d\u1f5f-\u1f7d\u1f80-\u1fb4\u1fb6-\u1fbc\u1fbe\u1fc2-\u1fc4\u1fc6-\u1fcc"
    "\u1fd0-\u1fd3\u1fd6-\u1fdb\u1fe0-\u1fec\u1ff2-\u1ff4\u1ff6-\u1ffc\u2102\u2107"
    "\u210a-\u2113\u2115\u2119-\u211d\u2124\u2126\u2128\u212a-\u212d\u212f-\u2134\u2139"
    "\u213c-\u213f\u2145-\u2149\u214e\u2183\u2184\u2c00-\u2c7b\u2c7e-\u2ce4\u2ceb-\u2cee"
    "\u2cf2\u2cf3\ua640-\ua66d\ua680-\ua69b\ua722-\ua76f\ua771-\ua787\ua78b-\ua78e"
    "\uab70-\uabbf\ufb00-\ufb06\ufb13-\ufb17\uff21-\uff3a\uff41-\uff5a"
)
_DEEPSEEK_ASTRAL = tuple(
    (first, last, "µ")
    for first, last in (
        (0x10400, 0x1044F),
        (0x104B0, 0x104D3),
        (0x104D8, 0x104FB),
        (0x10C80, 0x10CB2),
        (0x10CC0, 0x10CF2),
        (0x118A0, 0x118DF),
        (0x1E900, 0x1E943),
    )
)
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
# unassigned code points at the end of a block are Han all the same, but no letters; so is U+FA6E
_HAN_ASTRAL = (
    *((0x2B73A, 0x2B73F, "\ufa6e"), (0x2B81E, 0x2B81F, "\ufa6e"), (0x2CEA2, 0x2CEAF, "\ufa6e")),
    *((0x2EBE1, 0x2EBEF, "\ufa6e"), (0x2FA1E, 0x2FA1F, "\ufa6e")),
    *((0x20000, 0x2A6DF, "一"), (0x2A700, 0x2EBEF, "一"), (0x2F800, 0x2FA1F, "一")),
)


def _cover(*alternatives: str) -> Pattern:
    return Pattern("|".join(alternatives), covers=True)


_GPT2 = _cover(r"'s|'t|'re|'ve|'m|'ll|'d", r" ?\p{L}+", r" ?\p{N}+", r" ?[^\s\p{L}\p{N}]+", _SPACES)
_LLAMA3 = _cover(_CONTRACTION, _WORD, r"\p{N}{1,3}", _PUNCT, _LINES)
_QWEN2 = _cover(_CONTRACTION, _WORD, r"\p{N}", _PUNCT, _LINES)
_LINE_RUNS = _cover(r"[^\n]+|\n+")
_DIGIT, _DIGITS_3 = Pattern(r"\p{N}"), Pattern(r"\p{N}{1,3}")
_ASCII_3 = Pattern("[0-9][0-9][0-9]")
_NEWLINE = Pattern(r"[\r\n]")
_BLOOM = Pattern(r" ?[^(\s|.,!?\u2026\u3002\uff0c\u3001\u0964\u06d4\u060c)]+")


def _cased(upper: str, lower: str, suffix: str = "") -> str:
    """Mixed-case words, a capital starting a new one (tekken, gpt-4o)."""
    head = r"[^\r\n\p{L}\p{N}]?"
    return f"{head}{upper}*{lower}+{suffix}|{head}{upper}+{lower}*{suffix}"


_SLASH_PUNCT = r" ?[^\s\p{L}\p{N}]+[\r\n/]*"
_TEKKEN = _cover(_cased(_UPPER, _LOWER), r"\p{N}", _SLASH_PUNCT, _LINES)
_GPT4O = _cover(_cased(_UPPER, _LOWER, _CONTRACTION + "?"), r"\p{N}{1,3}", _SLASH_PUNCT, _LINES)
_GRANITE = _cover(
    _cased(_UPPER_M, _LOWER_M, _CONTRACTION + "?"), r"\p{N}{1,3}", _SLASH_PUNCT, _LINES
)
# llama.cpp takes \p{Lu}, \p{Ll} and so on for \p{L}
_ANY_CASE = _cased(r"[\p{L}\p{M}]", r"[\p{L}\p{M}]", _CONTRACTION + "?")
_TINY_AYA = _cover(_ANY_CASE, r"\p{N}{1,3}", _SLASH_PUNCT, _LINES)
_YOUTU = _cover(_ANY_CASE, r"\p{N}", _SLASH_PUNCT, _LINES)
_DEEPSEEK3 = Pattern("|".join((_ASCII_PUNCT_WORD, _MARKED_WORD, r" ?[\p{P}\p{S}]+[\r\n]*", _LINES)))
_SPARK = Pattern(
    "|".join((_ASCII_PUNCT_WORD, _MARKED_WORD, r" ?[\p{P}\p{S}]+", r"[\r\n]", _SPACES))
)
_JAIS2_SPACES = "|".join(rf"\s{{{n}}}(?!\S)" for n in (512, 256, 128, 64, 32, 16, 8, 4))
_AFMOE_ASIAN = (
    "[\u4e00-\u9fff\u3400-\u4dbf\u8c48-\ufaff\u3040-\u309f\u30a0-\u30ff\uff65-\uff9f"
    "\u2f00-\u2fdf\u0e40-\u0e7f\u0e80-\u0eff\u1780-\u17ff\u1000-\u109f\uaa60-\uaa7f"
    "\ua9e0-\ua9ff\uac00-\ud7af\u1100-\u11ff]+"
)
_YOUTU_ASIAN = (
    "[\uac00-\ud7a3\u3131-\u318e]+|[\uff01\u2026\u201c\u201d\u2018\u2019\u2014\uff1a\uff1b"
    "\uff0c\u3001-\u303f\ufe30-\ufe4f]+|[\u3105-\u312f]+|[\u4e00-\u9fa5\u3040-\u309f"
    "\u30a0-\u30ff]+"
)
_KIMI = _cover(
    f"[{_HAN}]+",
    rf"[^\r\n\p{{L}}\p{{N}}]?(?:(?![{_HAN}])\p{{L}})+{_CONTRACTION}?",
    r"\p{N}{1,3}",
    _PUNCT,
    _LINES,
)
_K2_HORIZON = _cover(
    "(?:'[sS\u017f]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])",
    r"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}\u200c\u200d]+",
    r"\p{N}{1,3}",
    _PUNCT,
    _LINES,
)


# -- lines --------------------------------------------------------------------------------

_ARE_WORDS = Lines(r"[^\n]+|\n+", after=True)  # lines and runs of newlines
_NEWLINES_ARE_WORDS = Lines(r"[^\n]*\n|[^\n]+", after=True)  # one by one
# white space up to a newline belongs to what follows
_LEAD = Lines(r"\s*+\S(?:[^\n]*\S)?|\s+", before=True)
_LEAD_SOMETIMES = Lines(before=True)
# white space ends at its last newline; a slash may follow one in the same word
_LINE = r"[^\n]*\n(?:\s*[\r\n])?"
_TRAIL = Lines(rf"{_LINE}(?:(?=/){_LINE})*(?:(?=/)[^\n]+)?|[^\n]+", after=True)


# -- the table ----------------------------------------------------------------------------


def _named(pre: PreTokenizer, *names: str) -> dict[str, PreTokenizer]:
    return dict.fromkeys(names, pre)


def _pre(lines: Lines, *stages: Stage, **flags: bool) -> PreTokenizer:
    return PreTokenizer(stages, lines, flags)


def _tidy(lines: Lines, *stages: Stage, **flags: bool) -> PreTokenizer:
    """A pre-tokenizer whose decoded text keeps its spaces."""
    return PreTokenizer(stages, lines, {"clean_spaces": False, **flags})


_LLAMA3_PRE = _pre(_TRAIL, _LLAMA3, ignore_merges=True, add_bos=True)
_DIGITS_PRE = _pre(_LEAD, _DIGIT, _GPT2)
_DIGITS_TIDY = _tidy(_LEAD, _DIGIT, _GPT2)
_GPT2_PRE = _pre(_LEAD, _GPT2)
_QWEN2_TIDY = _tidy(_TRAIL, _QWEN2)
_DEEPSEEK3_PRE = _tidy(_TRAIL, _DIGITS_3, Pattern(_CJK), _DEEPSEEK3)
_BAILING = _tidy(
    NO_LINES,
    _cover(
        "'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])",
        _WORD,
        r"\p{N}",
        _PUNCT,
        r"\s*[\r\n]|" + _SPACES,
    ),
)
_UTF8_LINES = PreTokenizer(
    (_LINE_RUNS,), _ARE_WORDS, {"escape_whitespaces": True}, byte_encode=False, cut_at_spaces=True
)
_GEMMA4 = replace(
    _UTF8_LINES, flags={"escape_whitespaces": True, "needs_bos": True}, newline_words=True
)

PRE_TOKENIZERS: dict[str, PreTokenizer] = {
    "default": _pre(
        _LEAD_SOMETIMES,
        *(Pattern(r"[\p{P}\$\+<=>\^~\|]+"), _GPT2, Pattern(r"\p{N}+"), _ASCII_3),
    ),
    **_named(_LLAMA3_PRE, "llama3", "llama-v3", "llama-bpe", "falcon3", "falcon-h1", "pixtral"),
    **_named(_LLAMA3_PRE, "midm-2.0", "lfm2", "jina-v5-nano"),
    **_named(_pre(_TRAIL, _LLAMA3), "dbrx", "smaug-bpe"),
    "chatglm-bpe": _pre(_TRAIL, _LLAMA3, no_bos=True),
    **_named(_pre(_TRAIL, _LLAMA3, ignore_merges=True, no_bos=True), "glm4", "glm5"),
    "minicpm5": _pre(
        _TRAIL,
        _DIGITS_3,
        _cover(_CONTRACTION, _WORD, r"\p{N}+", _PUNCT, _LINES),
        ignore_merges=True,
    ),
    "jais-2": _pre(
        NO_LINES,
        _cover(
            _CONTRACTION,
            _WORD,
            r"\p{N}{1,3}",
            _PUNCT,
            r"\s*[\r\n]+",
            _JAIS2_SPACES,
            r"\s{1,2}(?!\S)|\s",
        ),
    ),
    "deepseek-llm": PreTokenizer(
        (
            _NEWLINE,
            Pattern(rf"\s?[{_DEEPSEEK_LETTERS}]+"),
            Pattern(r"\s?[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3001\u3002]+"),
            Pattern(r"(?<!\s)\s+\Z"),
            Pattern(_CJK_WIDE),
            Pattern(r"\p{N}+"),
        ),
        _NEWLINES_ARE_WORDS,
        {"clean_spaces": False},
        astral=_DEEPSEEK_ASTRAL,
    ),
    "deepseek-coder": _tidy(
        _NEWLINES_ARE_WORDS,
        *(_NEWLINE, Pattern(r"\s?\p{L}+"), Pattern(r"\s?\p{P}+"), Pattern(_CJK_WIDE), _DIGIT),
    ),
    **_named(_DEEPSEEK3_PRE, "deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4"),
    "spark2_5": _tidy(NO_LINES, _DIGITS_3, Pattern(_CJK), _SPARK, _DIGIT),
    "youtu": _tidy(_TRAIL, Pattern(_YOUTU_ASIAN), _YOUTU, ignore_merges=True),
    "falcon": _pre(_LEAD_SOMETIMES, Pattern(r"[\p{P}\$\+<=>\^~\|`]+"), _GPT2, _ASCII_3),
    **_named(_DIGITS_PRE, "starcoder", "refact", "codeshell", "exaone", "minerva-7b", "mellum2"),
    **_named(_DIGITS_TIDY, "command-r", "smollm"),
    **_named(_GPT2_PRE, "gpt-2", "phi-2", "jina-es", "jina-de", "gigachat", "jina-v2-es"),
    **_named(_GPT2_PRE, "jina-v2-de", "a.x-4.0", "mellum", "modern-bert", "mpt", "olmo", "jais"),
    **_named(_GPT2_PRE, "exaone4"),
    **_named(_tidy(_LEAD, _GPT2), "trillion", "granite-docling"),
    **_named(_pre(_LEAD, _GPT2, add_sep=True), "jina-v1-en", "jina-v2-code", "roberta-bpe"),
    **_named(_QWEN2_TIDY, "qwen2", "deepseek-r1-qwen", "kormo", "f2llmv2", "hunyuan"),
    **_named(_QWEN2_TIDY, "solar-open", "grok-2"),
    **_named(_pre(_TRAIL, _QWEN2), "stablelm2", "megrez"),
    "qwen35": _tidy(
        _TRAIL,
        _cover(
            _CONTRACTION,
            r"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+",
            r"\p{N}",
            r" ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*",
            _LINES,
        ),
    ),
    "ufakzeka": _tidy(_TRAIL, _cover(_WORD, r"\p{N}", _PUNCT, _LINES)),
    "seed-coder": _tidy(
        _TRAIL, _cover(_CONTRACTION, _WORD, r"\p{N}", r" ?[^\s\p{L}\p{N}\r\n]+", _LINES)
    ),
    **_named(_BAILING, "bailingmoe", "bailingmoe2", "llada-moe"),
    "laguna": _tidy(_TRAIL, _LINE_RUNS, _QWEN2),
    "exaone-moe": _pre(
        NO_LINES,
        _cover(
            _CONTRACTION,
            r"[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+",
            r"\p{N}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]?",
            r"\s*[\r\n]|" + _SPACES,
        ),
    ),
    "poro-chat": _tidy(NO_LINES, _BLOOM),
    **_named(_pre(NO_LINES, _BLOOM), "bloom", "gpt3-finnish"),
    "viking": _tidy(NO_LINES, _BLOOM, _DIGIT),
    "tekken": _tidy(_TRAIL, _TEKKEN, ignore_merges=True, add_bos=True),
    **_named(_tidy(_TRAIL, _GPT4O), "gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"),
    "granite-embed-multi-97m": _tidy(_TRAIL, _GRANITE, ignore_merges=True),
    **_named(_tidy(NO_LINES, right_aligned_digits, _TINY_AYA), "tiny_aya", "cohere2moe"),
    "chameleon": _tidy(
        _LEAD,
        Pattern("<sentinel:[0-9]+>"),
        Pattern("IMGIMG[A-I]{1,4}Z"),
        Pattern(r"[\t\n]|    |  "),
        _DIGIT,
        Pattern(r"[\p{P}!-/:-@\[-`{-~]"),
        _GPT2,
        add_bos=True,
    ),
    "kimi-k2": PreTokenizer((_KIMI,), _TRAIL, {"clean_spaces": False}, astral=_HAN_ASTRAL),
    "k2-horizon": _tidy(_TRAIL, _K2_HORIZON),
    "superbpe": _tidy(NO_LINES, Pattern(r"\p{N}+"), cut_before_thousands),
    "afmoe": _tidy(
        NO_LINES,
        right_aligned_digits,
        Pattern(_AFMOE_ASIAN),
        Pattern("|".join((_ASCII_PUNCT_WORD, _MARKED_WORD, r" ?[\p{P}\p{S}]+[\r\n]*", _LINES))),
    ),
    **_named(_GEMMA4, "gemma4", "granite-embed-multi-311m"),
    "mmbert": replace(_UTF8_LINES, newline_words=True, metaspace_words=True),
    "sarvam-moe": replace(_UTF8_LINES, flags={"clean_spaces": False, "escape_whitespaces": True}),
    "whitespace": PreTokenizer(
        (Pattern(r"\S+"),), NO_LINES, {"lowercase": False}, byte_encode=False
    ),
    # Later than the reference build and not checked against one: known from a published reading
    # of llama.cpp only, which does not give its pattern.
    "soprano": PreTokenizer((_cover("(?s:.+)"),), NO_LINES, {"raw_words": True}, byte_encode=False),
}


def pre_tokenizer(name: str) -> PreTokenizer:
    """The pre-tokenizer of that name. Raises `UnknownPreTokenizerError`, with near names."""
    if name in PRE_TOKENIZERS:
        return PRE_TOKENIZERS[name]
    near = tuple(get_close_matches(name.strip().lower(), PRE_TOKENIZERS, n=4))
    hint = f" Near names: {', '.join(near)}." if near else ""
    raise UnknownPreTokenizerError(
        f"tokenizer.ggml.pre is {name!r}, which is not a pre-tokenizer that is known here.{hint}"
        " Pass pre= with the name of one that fits, or pre='default'.",
        pre=name,
        near=near,
    )
