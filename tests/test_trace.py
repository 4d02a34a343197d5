"""`explain`: the plain algorithms once more, step by step, and they end in the ids of `encode`."""

import json
import math
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, replace
from functools import lru_cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyodide_tok import GGUFFile, Tokenizer, TokError
from pyodide_tok.errors import NoVocabError
from pyodide_tok.explain.explainer import MAX_CHARACTERS, MAX_WORDS
from pyodide_tok.explain.trace import ByteFallback, Match, Merge
from pyodide_tok.explain.trace import Path as Way
from pyodide_tok.explain.words import LONGEST
from pyodide_tok.text.utf8 import utf8
from tests import small
from tests.platforms import examples
from tests.reference import sample_vocab, vocab_names, vocab_path, vocabs

WORDS = (
    *("Hello", " world", "antidisestablishment", "  ", "\n\n", "\t", "2024", "1,234", "it's"),
    *(
        "naïve",
        "é",
        "e\u0301",
        "你好",
        "中",
        "こんにちは",
        "Привет",
        "한국",
        "🙂",
        "👩‍👩‍👧",
        "𓀀",
        "İ",
        "ﬁ",
        "▁",
    ),
    *("<s>", "</s>", "[MASK]", "<|endoftext|>", "<dna>", "ACGTACGT", "</dna>", "<|plamo:x|>"),
    *("aaaa", "ab", "\0", "\x1c", "\ue000", "\uee00", "\ufeff", "x=1;", "!?", "<0x41>"),
)
UNITS = st.sampled_from(WORDS) | st.text(max_size=2)
TEXTS = st.lists(UNITS, max_size=8).map("".join)
BYTES = st.lists(UNITS.map(lambda t: t.encode("utf-8", "replace")) | small.NOT_UTF8, max_size=8)
ANY = TEXTS | BYTES.map(b"".join)
SWITCHES = st.fixed_dictionaries({"add_special": st.booleans(), "parse_special": st.booleans()})


@lru_cache(maxsize=1)
def loaded(name: str) -> Tokenizer | None:
    try:
        tok = Tokenizer.from_gguf(vocab_path(name))
    except TokError:  # damaged on purpose
        return None
    return None if tok.type == "NONE" else tok


def check(tok: Tokenizer, text: str | bytes, **switches: bool) -> None:
    trace = tok.explain(text, **switches)
    assert trace.complete
    assert trace.ids == tok.encode(text, **switches)
    json.dumps(trace.as_dict(), allow_nan=False)


@pytest.mark.parametrize("name", vocabs(*vocab_names()))
@given(text=ANY, switches=SWITCHES)
@examples(8)
def test_ids_are_those_of_encode(name: str, text: str | bytes, switches: dict[str, bool]) -> None:
    tok = loaded(name)
    if tok is not None:
        check(tok, text, **switches)


# -- small vocabularies: every path -------------------------------------------------------

SPM = ("<unk>", "a", "b", "ab", "ba", "aa", "aab", "▁", "▁a", "▁▁", "中", "中é", *small.BYTES)
PRES = ("gemma4", "mmbert", "sarvam-moe", "soprano", "whitespace", "llama-bpe", "superbpe")
MERGES = ("a b", "ab ▁", "▁ a", "a a", "b a", "aa b", "中 é", "Ġ a", "Ã ©", "\n \n")
BPE = ("a", "b", "ab", "ab▁", "▁", "▁a", "aa", "中", "Ġ", "Ġa", "Ã©", "\n\n", *small.BYTES)


@given(
    text=small.EITHER,
    scores=st.lists(st.sampled_from((-1.0, -2.0, -3.0, float("-inf"))), min_size=12, max_size=12),
)
def test_spm_of_any_scores(text: bytes, scores: list[float]) -> None:
    check(small.tokenizer("llama", SPM, scores=[*scores, *[-9.0] * 256]), text)


@pytest.mark.parametrize("pre", PRES)
@given(text=small.EITHER, merges=st.permutations(MERGES))
@examples(25)
def test_bpe_of_any_merges(pre: str, text: bytes, merges: list[str]) -> None:
    model = "whitespace" if pre == "whitespace" else "gpt2"
    check(small.tokenizer(model, BPE, merges=merges, pre=pre), text)


@given(text=small.EITHER, unknown=st.booleans(), scheme=st.sampled_from(("", "first")))
@examples(40)
def test_what_is_put_before(text: bytes, unknown: bool, scheme: str) -> None:
    keys = {"metaspace__prepend_scheme": scheme, "normalizer__nfc": True}
    check(small.tokenizer("gemma4", BPE, merges=MERGES, **keys), text)
    tokens = ("<unk>", "▁", "a", "▁a", "ab", "e", "é")
    scores = [0.0, -2.0, -2.5, -3.0, -3.0, -4.0, -4.5]
    ids = {"unknown_token_id": 0} if unknown else {}
    check(small.tokenizer("t5", tokens, scores=scores, types={0: small.UNKNOWN}, **ids), text)


# -- steps --------------------------------------------------------------------------------


def replay(symbols: tuple[str, ...], merges: list[Merge]) -> Iterator[tuple[list[str], Merge]]:
    """The symbols before each merge; at last what is left."""
    now = list(symbols)
    for step in merges:
        yield list(now), step
        assert (now[step.position], now[step.position + 1]) == (step.left, step.right)
        assert step.text == step.left + step.right
        now[step.position : step.position + 2] = [step.text]
    yield now, Merge(0, "", "", "", None)


@pytest.mark.parametrize("name", ["gpt-2", "mistral-v1"])
@given(text=TEXTS)
@examples(40)
def test_each_merge_is_the_best_of_its_moment(name: str, text: str) -> None:
    tok = sample_vocab(name)
    ranks = {merge: rank for rank, merge in enumerate(tok.vocab.merges)}
    ids, scores = tok.vocab.token_to_id, tok.vocab.scores

    def cost(left: str, right: str) -> float | None:
        if tok.type == "BPE":
            return ranks.get(f"{left} {right}")
        return -scores[ids[left + right]] if left + right in ids else None

    for word in tok.explain(text).words:
        merges = [step for step in word.steps if isinstance(step, Merge)]
        known = {(pair.left, pair.right): pair for pair in word.pairs}
        for now, step in replay(word.symbols, merges):
            for left, right in pairwise(now):
                pair = known.get((left, right))
                told = pair and (pair.rank if pair.score is None else -pair.score)
                assert told == cost(left, right)
            pairs = [(cost(*now[i : i + 2]), i) for i in range(len(now) - 1)]
            best = min((pair for pair in pairs if pair[0] is not None), default=None)
            if step.text:
                mine = step.rank if step.score is None else -step.score
                assert best == (mine, step.position)
            else:
                assert best is None
                assert [ids[s] for s in now if s in ids] or not now or word.steps


def test_spm_and_bpe_side_by_side() -> None:
    bpe = sample_vocab("gpt-2").explain(" world")
    assert [word.text for word in bpe.words] == [" world"]
    assert [(s.left, s.right, s.rank) for s in bpe.words[0].steps][-1] == ("Ġwor", "ld", 739)
    spm = sample_vocab("mistral-v1").explain("world")
    (word,) = spm.words
    assert word.symbols == ("▁", "w", "o", "r", "l", "d")
    assert (word.steps[-1].left, word.steps[-1].right) == ("▁wor", "ld")
    assert word.steps[-1].score == sample_vocab("mistral-v1").vocab.scores[word.ids[0]]
    assert (spm.before, spm.fragments[0].prefix) == ((1,), " ")


def test_bytes_of_a_character_that_is_no_token() -> None:
    tok = sample_vocab("mistral-v1")
    *_, fallback = tok.explain("𓀀", add_special=False).words[0].steps
    assert isinstance(fallback, ByteFallback)
    assert bytes(fallback.bytes) == "𓀀".encode()
    assert [tok.id_to_token(i) for i in fallback.ids if i] == [
        "<0xF0>",
        "<0x93>",
        "<0x80>",
        "<0x80>",
    ]


def test_a_word_that_needs_no_merging() -> None:
    tok = small.tokenizer("gpt2", ("a", "b", "ab"), merges=(), pre="llama-bpe")
    (word,) = tok.explain("ab").words
    assert (word.note, word.ids, word.steps) == ("whole-word", (2,), ())


def test_special_tokens_are_cut_out_first() -> None:
    tok = sample_vocab("mistral-v1")
    trace = tok.explain("a</s> b", parse_special=True)
    assert [(f.start, f.end, f.token) for f in trace.fragments] == [
        (0, 1, None),
        (1, 5, 2),
        (5, 7, None),
    ]
    assert trace.fragments[1].words == ()


def test_wordpiece_takes_the_longest_and_all_or_nothing() -> None:
    tok = sample_vocab("bert-bge")
    word, unknown = tok.explain("Tokenization ☂☂", add_special=False).words
    assert [step.text for step in word.steps] == ["▁token", "ization"]
    assert word.steps[0].tried == len("▁tokenization") - len("▁token")
    for step in word.steps:
        shorter = [tok.id_to_token(i) for i in step.shorter]
        assert all(step.text.startswith(text) and text != step.text for text in shorter)
        assert shorter == sorted(shorter, key=len, reverse=True)
    assert (unknown.note, unknown.ids) == ("unknown", (tok.special_ids["unk"],))
    assert unknown.steps[-1].id is None


@lru_cache(maxsize=1)
def pieces_of(name: str) -> list[bytes]:
    tok = sample_vocab(name)
    return [tok.token_to_piece(token) for token in range(len(tok.vocab))]


def test_rwkv_matches_cover_the_bytes() -> None:
    trace = sample_vocab("rwkv").explain("naïve 你好 \n\n x")
    steps = [step for word in trace.words for step in word.steps if isinstance(step, Match)]
    assert b"".join(utf8(step.text) for step in steps) == "naïve 你好 \n\n x".encode()
    assert all(step.id is not None for step in steps)
    pieces = pieces_of("rwkv")
    begins = {data[:n] for data in pieces for n in range(1, len(data) + 1)}
    rest = "naïve 你好 \n\n x".encode()
    for step in steps:
        longest = utf8(step.text)
        walked = max(n for n in range(len(rest) + 1) if n == 0 or rest[:n] in begins)
        assert step.tried == walked - len(longest)
        shorter = [pieces[token] for token in step.shorter]
        heads = [longest[:n] for n in range(len(longest) - 1, 0, -1)]
        assert shorter == [head for head in heads if head in pieces]
        rest = rest[len(longest) :]
    for word in trace.words:
        at = 0
        for step in word.steps:
            assert step.position == at
            at += len(utf8(step.text))


# -- paths --------------------------------------------------------------------------------


def ways_of(tok: Tokenizer, text: str) -> list[tuple[float, tuple[str, ...]]]:
    """Every way to cut a word into tokens that are not unknown, with its score."""
    if not text:
        return [(0.0, ())]
    ids, scores = tok.vocab.token_to_id, tok.vocab.scores
    heads = [text[:n] for n in range(1, len(text) + 1) if text[:n] in ids]
    return [
        (scores[ids[head]] + score, (head, *rest))
        for head in heads
        for score, rest in ways_of(tok, text[len(head) :])
    ]


def cut(way: Way) -> tuple[str, ...]:
    return tuple(part.text for part in way.parts)


@given(
    text=st.text("abc", min_size=1, max_size=7),
    scores=st.lists(st.integers(-40, -1), min_size=9, max_size=9),
)
@pytest.mark.parametrize("model", ["t5", "plamo2"])
def test_the_two_best_of_all_ways(model: str, text: str, scores: list[int]) -> None:
    tokens = ["a", "b", "c", "ab", "bc", "abc", "ca", "aa", "cab"]
    flags = {"add_space_prefix": False, "remove_extra_whitespaces": False}
    fill = [("<unk>", *small.BYTES), [-99.0] * 257, dict.fromkeys(range(1, 257), small.BYTE)]
    tok = small.tokenizer(
        model, [*fill[0], *tokens], scores=[*fill[1], *map(float, scores)], types=fill[2], **flags
    )
    best, *others = sorted((-score, way) for score, way in ways_of(tok, text))
    (word,) = tok.explain(text, add_special=False).words
    sign = 1 if model == "t5" else -1e-4
    assert word.best is not None
    assert sign * word.best.score == -best[0]
    if others:
        assert word.runner_up is not None
        assert cut(word.runner_up) != cut(word.best)
        assert sign * word.runner_up.score == pytest.approx(-others[0][0])
    for way in filter(None, (word.best, word.runner_up)):
        assert "".join(cut(way)) == text
        assert sum(part.score for part in way.parts) == pytest.approx(way.score)
    known = {(arc.start, arc.end): arc.ids for arc in word.arcs if arc.score * sign > -99}
    places = ((a, b) for a in range(len(text)) for b in range(a + 1, len(text) + 1))
    ids = tok.vocab.token_to_id
    assert known == {(a, b): (ids[text[a:b]],) for a, b in places if text[a:b] in ids}


def test_unigram_tells_the_runner_up() -> None:
    word = sample_vocab("t5").explain("tokenization", add_special=False).words[0]
    assert word.best is not None
    assert word.runner_up is not None
    assert (cut(word.best), cut(word.runner_up)) == (
        ("▁token", "ization"),
        ("▁to", "ken", "ization"),
    )
    assert word.best.score > word.runner_up.score


def test_unigram_word_without_a_usable_path_is_unknown() -> None:
    tokens, scores = ["<pad>", "</s>", "<unk>", small.SPACE, "a"], [0.0, 0.0, 0.0, -1.0, -math.inf]
    tok = small.tokenizer("t5", tokens, scores=scores, types={2: small.UNKNOWN})
    trace = tok.explain("b", add_special=False)
    assert list(trace.ids) == tok.encode("b", add_special=False)


@pytest.mark.parametrize("name", ["plamo2", "plamo3"])
def test_a_code_point_beyond_unicode_is_its_bytes(name: str) -> None:
    tok = sample_vocab(name)
    data = b"ab\xf4\x90\x80\x80cd\xf5\x80\x80\x80"
    trace = tok.explain(data, add_special=False)
    assert list(trace.ids) == tok.encode(data, add_special=False)
    assert b"\xf4\x90\x80\x80" in [utf8(word.text) for word in trace.words]


@pytest.mark.parametrize("name", ["t5", "plamo2"])
def test_arcs_lie_in_the_bytes_of_the_word(name: str) -> None:
    tok = sample_vocab(name)
    (word,) = tok.explain("é你好🙂ab", add_special=False).words
    data = utf8(word.text)
    known = {(data[arc.start : arc.end].decode(), arc.ids, arc.score) for arc in word.arcs}
    assert word.best is not None
    assert {(part.text, part.ids, part.score) for part in word.best.parts} <= known


# -- limits -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["gpt-2", "mistral-v1", "bert-bge", "t5", "rwkv"])
def test_of_a_long_text_the_first_words(name: str) -> None:
    tok = sample_vocab(name)
    text = "some words here. " * MAX_WORDS
    trace = tok.explain(text)
    assert not trace.complete
    assert str(MAX_WORDS) in trace.note
    assert len(trace.words) <= MAX_WORDS
    assert len(trace.ids) > 200
    assert trace.ids == tok.encode(text)[: len(trace.ids)]
    assert sum(len(word.text) for word in trace.words) <= MAX_CHARACTERS


@pytest.mark.parametrize("name", ["gpt-2", "mistral-v1", "bert-bge", "t5", "plamo2"])
def test_a_word_may_be_too_long(name: str) -> None:
    tok = sample_vocab(name)
    text = "one two " + "好" * LONGEST + "x" * (LONGEST + 1)
    trace = tok.explain(text)
    assert str(LONGEST) in trace.note or str(MAX_WORDS) in trace.note
    assert trace.ids == tok.encode(text)[: len(trace.ids)]


def test_the_longest_words_take_no_time() -> None:
    text = "好" * LONGEST  # 6000 symbols for gpt-2
    tok = sample_vocab("gpt-2")
    assert tok.explain(text).ids == tok.encode(text)


def test_results_are_frozen_and_plain() -> None:
    trace = sample_vocab("gpt-2").explain("Hi")
    with pytest.raises(FrozenInstanceError):
        trace.type = "SPM"  # type: ignore[misc]
    plain = trace.as_dict()
    assert (plain["type"], plain["ids"], plain["complete"]) == ("BPE", trace.ids, True)
    assert plain["fragments"][0]["words"][0]["steps"][0]["kind"] == "merge"


def test_no_vocabulary() -> None:
    gguf = GGUFFile.open(vocab_path("none"))
    with pytest.raises(NoVocabError):
        Tokenizer(replace(gguf)).explain("a")
