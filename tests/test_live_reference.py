"""Random texts and vocabularies against the live llama.cpp.

HYPOTHESIS_PROFILE=long tries many more of them.
"""

import os
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pyodide_tok import Tokenizer
from tests import gguf_writer as gguf
from tests import llama_ref
from tests.reference import SHARED, vocab_path, vocabs

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
EXAMPLES = 2000 if LONG else 30
# Of every type, with what a type has of variants.
NAMES = (
    *("llama-spm", "mistral-v3", "baichuan", "gemma3-270m"),
    *("gpt-2", "llama-bpe", "deepseek-coder", "falcon", "gpt2-oddmerges"),
    *("gemma-4", "hybriddna", "whitespace"),
    *("bert-bge", "bert-cased", "t5", "ugm-odd"),
    *("rwkv", "plamo2-edge", "plamo3", "test"),
)
MORE = (
    *("aquila", "command-r", "deepseek-llm", "deepseek-r1-distill-qwen", "gpt-neox", "mpt"),
    *("mistral-tekken", "qwen2", "qwen35", "refact", "starcoder", "hybriddna-user"),
    *("mistral-v1", "phi-3", "bert-keep-accents", "nomic-bert-moe", "ugm-small"),
    *("ugm-nocharsmap", "plamo2"),
)
UNITS = (
    *("the", "Hello", "World", "tokenization", "def", "straße", "École", "İstanbul", "ΣΊΣΥΦΟΣ"),
    *(
        "'s",
        "'LL",
        "don't",
        "I’m",
        "'re",
        "привет",
        "Ёлка",
        "中文",
        "的世界",
        "您好。",
        "，",
        "𠮷野家",
    ),
    *("ひらがな", "カタカナ", "한국어", "ภาษาไทย", "ก็", "हिन्दी", "क्षि", "עברית", "العربية", "ﷺ"),
    *(
        "😀",
        "👩‍👩‍👧‍👦",
        "🇩🇪",
        "❤️",
        "👍🏽",
        "e\u0301",
        "\u0301\u0323",
        "q\u0308",
        "Å",
        "ﬁ",
        "½",
        "Ⅷ",
    ),
    *("0", "12", "345", "2024", "1234567", "٣٤", "①", "3.14", "0x1F", "1,000"),
    *(" ", "  ", "    ", "\t", "\n", "\n\n", "\r\n", " \n ", "\u00a0", "\u3000", "\u2028", "\x85"),
    *(
        "\0",
        "\x01",
        "\x1c",
        "\x1f",
        "\x7f",
        "\x80",
        "\u200b",
        "\u200d",
        "\ufeff",
        "\ufffd",
        "\ue000",
    ),
    *(".", "...", ",", "!?", "(", ")", "==", "{}", "//", "--", "_", "#", "$", "\\", "`", "|", "~"),
    *("▁", "▁▁", "Ġ", "Ċ", "ĠĠ", "\uee00", "<0x0A>", "<0xE4>", "<dna>ACGTNNACGTA</dna>", "ACGTAC"),
    *("<|plamo:x|>", "aaaa", "[MASK]", "[UNK]", "<s>", "</s>", "<unk>", "<|endoftext|>", "<mask>"),
    *("<|im_start|>", "<start_of_turn>", "[INST]", "<|eot_id|>", "<|plamo:"),
)
# Lone and missing continuation bytes, overlong forms, an encoded surrogate.
BROKEN = (
    b"\x80",
    b"\xbf",
    b"\xc3",
    b"\xe4\xb8",
    b"\xf0\x9f\x98",
    b"\xff",
    b"\xc0\xaf",
    b"\xed\xa0\x80",
)
BOTH = list(product((False, True), repeat=2))

pytestmark = pytest.mark.skipif(not llama_ref.available(), reason="needs xllamacpp")


@pytest.fixture(scope="module", params=vocabs(*NAMES, *(MORE if LONG else ())))
def both(request):
    """(our tokenizer, the live one)."""
    path = vocab_path(request.param)
    live = llama_ref.Live(path)
    yield Tokenizer.from_gguf(path), live
    live.close()


def special_texts(tok):
    """Of UNKNOWN, CONTROL and USER_DEFINED tokens."""
    special = [id_ for id_, attr in enumerate(tok.vocab.attrs) if attr & (1 | 8 | 16)]
    return st.sampled_from(special or [0]).map(tok.token_to_piece)


def corpus():
    files = sorted((SHARED / "corpus").glob("*.txt"))
    return [path.read_text(encoding="utf8") for path in files] or [""]


@st.composite
def windows(draw, size=60):
    """A stretch of one of the corpus's files."""
    text = draw(st.sampled_from(CORPUS))
    start = draw(st.integers(0, len(text)))
    return text[start : start + draw(st.integers(0, size))].encode()


CORPUS = corpus()
units = st.lists(st.sampled_from(UNITS), max_size=12).map("".join).map(str.encode)
any_text = st.text(max_size=10).map(lambda text: text.encode("utf-8", "replace"))
broken = st.sampled_from(BROKEN)
lively = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@lively
@given(st.data())
def test_ids(both, data):
    tok, live = both
    known = st.integers(0, tok.n_vocab - 1).map(tok.token_to_piece)
    part = st.one_of(units, windows(), special_texts(tok), any_text, known, broken)
    text = b"".join(data.draw(st.lists(part, min_size=1, max_size=6)))
    for flags in BOTH:
        wanted = live.tokenize(text, *flags)
        got = tok.encode(text, add_special=flags[0], parse_special=flags[1])
        assert wanted is None or got == wanted, (text, flags)


@lively
@given(st.data())
def test_pieces(both, data):
    tok, live = both
    id_ = data.draw(st.integers(0, tok.n_vocab - 1))
    pieces = [tok.token_to_piece(id_, special=special).hex() for special in (True, False)]
    assert [*pieces, tok.vocab.attrs[id_]] == live.token(id_)


# --- vocabularies that nobody has thought of ---

NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6
BYTES = [(f"<0x{byte:02X}>", BYTE) for byte in range(256)]
HEADS = {  # the tokens that a model cannot do without, and the characters of the others
    "llama": ([("<unk>", UNKNOWN), ("<s>", CONTROL), ("</s>", CONTROL), *BYTES], "ab▁é"),
    "gpt2": ([(char, NORMAL) for char in "abĠĊÃ©"], "abĠÃ©"),
    "bert": ([("[UNK]", NORMAL), ("[CLS]", CONTROL), ("[SEP]", CONTROL)], "ab▁é"),
    "t5": ([("<pad>", CONTROL), ("</s>", CONTROL), ("<unk>", UNKNOWN)], "ab▁é"),
    "rwkv": ([(f"\\x{byte:02x}", NORMAL) for byte in range(256)], ["a", "b", " ", "é", "\\xc3"]),
    "plamo2": ([("<unk>", UNKNOWN), *BYTES], "ab é"),
    "plamo3": ([("<unk>", UNKNOWN), *BYTES], "ab é"),
}
SCORES = [-1.0, -1.0, -2.0, -2.5, -3.0, 0.5, -1000.0]


@st.composite
def vocabularies(draw, model):
    """The bytes of a GGUF file with a few short tokens, for BPE with merges as they come."""
    head, alphabet = HEADS[model]
    texts = st.lists(st.sampled_from(alphabet), min_size=1, max_size=4).map("".join)
    body = draw(st.lists(texts, max_size=16))
    tokens = dict(head) | {text: NORMAL for text in body if text not in dict(head)}
    some = st.sampled_from([text for text in tokens if len(text) < 5] or list(tokens))
    merges = draw(st.lists(st.tuples(some, some).map(" ".join), min_size=1, max_size=16))
    scores = [draw(st.sampled_from(SCORES)) for _ in range(len(tokens) - len(head))]
    return gguf.write(
        [
            gguf.Entry("general.architecture", gguf.STRING, "llama"),
            gguf.Entry("tokenizer.ggml.model", gguf.STRING, model),
            gguf.Entry("tokenizer.ggml.pre", gguf.STRING, "gpt-2"),
            gguf.Entry("tokenizer.ggml.tokens", gguf.ARRAY, (gguf.STRING, list(tokens))),
            gguf.Entry("tokenizer.ggml.token_type", gguf.ARRAY, (gguf.INT32, tokens.values())),
            gguf.Entry(
                "tokenizer.ggml.scores",
                gguf.ARRAY,
                (gguf.FLOAT32, [0.0] * len(head) + scores),
            ),
            gguf.Entry("tokenizer.ggml.merges", gguf.ARRAY, (gguf.STRING, merges)),
            *(
                gguf.Entry(f"tokenizer.ggml.{name}_token_id", gguf.UINT32, id_)
                for id_, name in enumerate(("unknown", "bos", "seperator"))
                if model == "bert"
            ),
        ]
    )


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    live = llama_ref.Live(tmp_path_factory.mktemp("live") / "small.gguf")
    yield live
    live.close()


small_texts = st.lists(st.text("aab é\nx", max_size=12), min_size=4, max_size=8)


@pytest.mark.parametrize("model", HEADS)
@lively
@given(st.data())
def test_small_vocabularies(scratch, model, data):
    file = data.draw(vocabularies(model))
    scratch.path.write_bytes(file)
    tok = Tokenizer.from_gguf(file)
    scratch.load()
    for text in data.draw(small_texts):
        wanted = scratch.tokenize(text.encode(), True, False)
        assert wanted is None or tok.encode(text) == wanted, text
