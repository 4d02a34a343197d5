"""What holds of every text, for every type of vocabulary."""

import hashlib
import json
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyodide_tok import Encoding, Tokenizer
from pyodide_tok.encoding import as_text
from tests import everything, small
from tests.everything import NAMES, UNITS, fresh, tokenizer
from tests.platforms import PROCESSES, THREADS, examples

BITS = st.sampled_from(UNITS)
TEXTS = st.lists(BITS | st.text(max_size=4), max_size=20).map("".join) | st.text()
DATA = st.lists(BITS.map(str.encode) | small.NOT_UTF8 | st.binary(max_size=3), max_size=20).map(
    b"".join
)
OPTIONS = st.fixed_dictionaries({"add_special": st.booleans(), "parse_special": st.booleans()})
EXAMPLES = 40


@pytest.mark.parametrize("name", NAMES)
@examples(EXAMPLES)
@given(text=TEXTS | DATA, options=OPTIONS)
def test_any_text_has_ids_that_all_ways_agree_on(name, text, options) -> None:
    tok = tokenizer(name)
    ids = tok.encode(text, **options)
    assert all(0 <= id < tok.n_vocab for id in ids)
    assert tok.encode_batch([text, "", text], **options)[::2] == [ids, ids]
    assert tok.count(text, **options) == len(ids)
    assert tok.tokenize(text, **options).ids == ids
    trace = tok.explain(text, **options)
    assert trace.ids == (ids if trace.complete else ids[: len(trace.ids)])


@pytest.mark.parametrize("name", NAMES)
@examples(EXAMPLES)
@given(data=st.data())
def test_any_ids_have_a_text_that_a_stream_agrees_on(name, data) -> None:
    tok = tokenizer(name)
    ids = data.draw(st.lists(st.integers(0, tok.n_vocab - 1), max_size=20))
    for unparse in (False, True):
        stream = tok.stream_decoder(unparse_special=unparse)
        parts = [*map(stream.feed, ids), stream.flush()]
        assert "".join(parts) == tok.decode(ids, unparse_special=unparse)
        assert not any("\ud800" <= char <= "\udfff" for part in parts for char in part)


# -- there and back -----------------------------------------------------------------------

# Types whose tokens can stand for every byte, and what comes back of a text.  Exceptions, all of
# them llama.cpp's: U+2581 is how SentencePiece writes a space; bytes that are no UTF-8 come back
# as U+FFFD where the text is read as characters; PLaMo 2 drops a byte order mark at the start and
# PLaMo 3 every U+EE00.
RAW_BYTES = ("rwkv", "byte")
THERE_AND_BACK = {
    **dict.fromkeys(("gpt-2", "llama3", "probe", *RAW_BYTES), lambda text: text),
    "mistral-v1": lambda text: text.replace(small.SPACE, " "),
    "plamo2": lambda text: text.removeprefix("\ufeff"),
    "plamo3": lambda text: text.replace("\uee00", ""),
}


@pytest.mark.parametrize("name", THERE_AND_BACK)
@examples(4 * EXAMPLES)
@given(text=TEXTS | DATA)
def test_there_and_back(name, text) -> None:
    """Of pieces, before `decode` tidies spaces as the model wants (clean_spaces)."""
    tok = tokenizer(name)
    ids = tok.encode(text, add_special=False)
    pieces = b"".join(map(tok.token_to_piece, ids))
    if name in RAW_BYTES:
        assert pieces == as_text(text).encode("utf-8", "surrogateescape")
        return
    text = as_text(text)
    if any("\udc80" <= char <= "\udcff" for char in text):
        return
    added = b" " if tok.type == "SPM" and text else b""
    assert pieces == added + THERE_AND_BACK[name](text).encode()


@pytest.mark.parametrize("name", ["mistral-v1", "plamo3", "rwkv", "byte"])
@examples(2 * EXAMPLES)
@given(text=TEXTS)
def test_decode_gives_the_text_back(name, text) -> None:
    """Where no spaces are tidied; SentencePiece's added space is taken away again.

    RWKV finds control tokens too, which are hidden unless they are asked for.
    """
    text = as_text(text)
    tok = tokenizer(name)
    ids = tok.encode(text, add_special=False)
    assert tok.decode(ids, unparse_special=True) == THERE_AND_BACK[name](text)


# -- places -------------------------------------------------------------------------------


def holes(encoding: Encoding, data: bytes) -> list[bytes]:
    """What no token stands for."""
    at, found = 0, []
    for start, end in encoding.byte_offsets:
        assert at <= start <= end <= len(data)
        found.append(data[at:start])
        at = end
    return [hole for hole in (*found, data[at:]) if hole]


COVERED = ("gpt-2", "llama3", "mistral-v1", "rwkv", "byte", "test", "probe", "gemma4", "soprano")
COVERED += ("spm-ugly", "spm-notypes", "mmbert")


@pytest.mark.parametrize("name", COVERED)
@examples(2 * EXAMPLES)
@given(text=TEXTS, options=OPTIONS)
def test_places_cover_the_text(name, text, options) -> None:
    data = as_text(text).encode()
    assert holes(tokenizer(name).tokenize(text, **options), data) == []


def is_dropped(char: str) -> bool:
    """Whether BERT's normalisation leaves nothing of it."""
    normal = tokenizer("bert-bge")._encoder._normal
    return not char.translate(normal).strip()


HOLES = {  # where a text may not be covered: by what
    "bert-bge": is_dropped,
    "plamo2": "\ufeff".__contains__,
    "plamo3": "\uee00".__contains__,
}


@pytest.mark.parametrize("name", HOLES)
@examples(2 * EXAMPLES)
@given(text=TEXTS)
def test_what_no_token_stands_for(name, text) -> None:
    text = as_text(text)
    found = holes(tokenizer(name).tokenize(text), text.encode())
    for hole in found:
        assert all(map(HOLES[name], hole.decode()))


# -- nothing else matters -----------------------------------------------------------------


def some_texts(name: str, n: int) -> list[str]:
    pick = random.Random(name)
    return ["".join(pick.choices(UNITS, k=pick.randrange(1, 30))) for _ in range(n)]


@pytest.mark.parametrize("name", NAMES)
def test_what_was_encoded_before_does_not_matter(name) -> None:
    texts = some_texts(name, 60)
    first, second = fresh(name), fresh(name)
    forwards = [first.encode(text) for text in texts]
    second.tokenize("".join(texts))
    backwards = [second.encode(text) for text in reversed(texts)]
    assert forwards == backwards[::-1] == [first.encode(text) for text in texts]


@pytest.mark.slow
@THREADS
@pytest.mark.parametrize("name", NAMES)
def test_threads_do_not_matter(name) -> None:
    """Eight threads that begin with a tokenizer whose tables are not made yet."""
    texts = some_texts(name, 24)
    alone = [(tokenizer(name).encode(text), tokenizer(name).decode([0, 1])) for text in texts]
    tok: Tokenizer = fresh(name)

    def ask(turn: int) -> list[tuple[list[int], str]]:
        turned = [(i + 3 * turn) % len(texts) for i in range(len(texts))]
        answers = {i: (tok.tokenize(texts[i]).ids, tok.decode([0, 1])) for i in turned}
        tok.explain(texts[turned[0]], parse_special=True)
        return [answers[i] for i in range(len(texts))]

    with ThreadPoolExecutor(8) as pool:
        for answers in pool.map(ask, range(8)):
            assert answers == alone


def answers() -> str:
    """A digest of what all tokenizers say."""
    digest = hashlib.sha256()
    for name in NAMES:
        tok = tokenizer(name)
        ids = [tok.encode(text, parse_special=True) for text in some_texts(name, 20)]
        about = [dict(tok.special_ids), sorted(tok.eog_ids), list(map(str, tok.warnings))]
        digest.update(json.dumps([name, ids, about]).encode())
    return digest.hexdigest()


@pytest.mark.slow
@PROCESSES
def test_the_hash_seed_does_not_matter() -> None:
    found = {answers()}
    for seed in ("0", "1", "2024"):
        command = [sys.executable, "-c", "import test_properties as t; print(t.answers())"]
        path = os.pathsep.join((str(everything.ROOT), str(everything.ROOT / "tests")))
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path}
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        found.add(run.stdout.strip())
    assert len(found) == 1
