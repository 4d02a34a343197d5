"""A text -> its `Trace`: which explainer a vocabulary has, and how much of a text is explained."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from pyodide_tok.encoders.encoder import Encoder
from pyodide_tok.encoders.preparing import RewritingEncoder, WhitespaceEncoder
from pyodide_tok.encoders.spm import has_nan
from pyodide_tok.explain.matches import (
    DnaExplainer,
    PreparedExplainer,
    RwkvExplainer,
    SpansExplainer,
    WordPieceExplainer,
)
from pyodide_tok.explain.merges import BpeExplainer, SpmExplainer
from pyodide_tok.explain.paths import PlamoExplainer, UnigramExplainer
from pyodide_tok.explain.trace import FragmentTrace, Trace, Word
from pyodide_tok.explain.words import LONGEST, Explainer
from pyodide_tok.pretokenize.table import PreTokenizer
from pyodide_tok.vocab.partition import Fragment
from pyodide_tok.vocab.vocab import Vocab

MAX_WORDS = 400
MAX_CHARACTERS = 10_000

_ONLY_WORDS = f"only the first {MAX_WORDS} words or {MAX_CHARACTERS} characters are explained"
_TOO_LONG = f"explained up to a word of more than {LONGEST} characters"


def explainer(vocab: Vocab, pre: PreTokenizer | None, encoder: Encoder) -> Explainer:
    """The explainer of a vocabulary; `pre` is of BPE, `encoder` what shall be explained."""
    if isinstance(encoder, RewritingEncoder):
        inner = explainer(vocab, pre, encoder.inner)
        return PreparedExplainer(lambda text: [encoder.rewritten(text)], inner)
    if pre is None:
        make = _EXPLAINERS.get(vocab.type)
        return (make and make(vocab)) or SpansExplainer(encoder)
    bpe = BpeExplainer(vocab, pre)
    if isinstance(encoder, WhitespaceEncoder):
        return PreparedExplainer(encoder.words, bpe)
    has_dna = {"<dna>", "</dna>", "<oov>"} <= vocab.token_to_id.keys()
    return DnaExplainer(encoder, bpe) if vocab.family.preparation == "dna" and has_dna else bpe


def _spm(vocab: Vocab) -> Explainer | None:
    """None for scores of NaN: pairs then merge in the order of a heap, which is no explanation."""
    return None if has_nan(vocab) else SpmExplainer(vocab)


_EXPLAINERS: dict[str, Callable[[Vocab], Explainer | None]] = {
    "SPM": _spm,
    "WPM": WordPieceExplainer,
    "UGM": UnigramExplainer,
    "RWKV": RwkvExplainer,
    "PLAMO2": PlamoExplainer,
    "PLAMO3": PlamoExplainer,
}


def explain(
    kind: str,
    fragments: Iterable[tuple[Fragment, str]],
    added: tuple[list[int], list[int]],
    words_of: Explainer,
) -> Trace:
    """The trace of a text, of which at most MAX_WORDS words are explained.

    fragments: as the tokenizer cuts them, each with what is put before it. added: the special
    tokens before and after the text.
    """
    room = _Room()
    done = []
    for fragment, prefix in fragments:
        words: tuple[Word, ...] = ()
        if fragment.token is None:
            words = tuple(room.take(words_of.words(prefix + fragment.text)))
        done.append(FragmentTrace(fragment.start, fragment.end, fragment.token, prefix, words))
        if room.note:
            break
    return Trace(kind, tuple(added[0]), tuple(done), tuple(added[1]), room.note)


class _Room:
    """How much may still be explained; `note` says why no more is."""

    def __init__(self) -> None:
        self._words, self._characters = MAX_WORDS, MAX_CHARACTERS
        self.note = ""

    def take(self, words: Iterator[Word]) -> Iterator[Word]:
        for word in words:
            self._words -= 1
            self._characters -= len(word.text)
            if word.note == "too-long":
                self.note = _TOO_LONG
            elif min(self._words, self._characters) < 0:
                self.note = _ONLY_WORDS
            else:
                yield word
                continue
            return
