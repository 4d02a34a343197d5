"""Which encoder a vocabulary has."""

from __future__ import annotations

from collections.abc import Callable

from pyodide_tok.encoders.bpe import BpeEncoder
from pyodide_tok.encoders.encoder import Encoder
from pyodide_tok.encoders.plamo import PlamoEncoder
from pyodide_tok.encoders.preparing import (
    HybridDnaEncoder,
    WhitespaceEncoder,
    nfc,
    soprano,
)
from pyodide_tok.encoders.raw import ByteEncoder, NoVocabEncoder, TestEncoder
from pyodide_tok.encoders.rwkv import RWKVEncoder
from pyodide_tok.encoders.spm import SpmEncoder
from pyodide_tok.encoders.unigram import UnigramEncoder
from pyodide_tok.encoders.wordpiece import WordPieceEncoder
from pyodide_tok.pretokenize.table import PreTokenizer
from pyodide_tok.vocab.vocab import Vocab


def encoder_of(vocab: Vocab, pre: PreTokenizer | None) -> Encoder:
    """The encoder of a vocabulary; `pre` is of BPE. Raises `VocabError`."""
    encoder = _bpe(vocab, pre) if pre else _ENCODERS[vocab.type](vocab)
    return nfc(encoder) if vocab.flags.nfc else encoder


def _bpe(vocab: Vocab, pre: PreTokenizer) -> Encoder:
    bpe = BpeEncoder(vocab, pre)
    prepared = _PREPARED.get(vocab.family.preparation)
    if prepared:
        return prepared(vocab, bpe)
    return soprano(bpe) if vocab.flags.raw_words else bpe


_PREPARED: dict[str, Callable[[Vocab, BpeEncoder], Encoder]] = {
    "dna": HybridDnaEncoder,
    "whitespace": WhitespaceEncoder,
}


_ENCODERS: dict[str, Callable[[Vocab], Encoder]] = {
    "SPM": SpmEncoder,
    "WPM": WordPieceEncoder,
    "UGM": UnigramEncoder,
    "RWKV": RWKVEncoder,
    "PLAMO2": PlamoEncoder,
    "PLAMO3": PlamoEncoder,
    "TEST": TestEncoder,
    "BYTE": ByteEncoder,
    "NONE": NoVocabEncoder,
}
