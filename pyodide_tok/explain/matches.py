"""WordPiece, RWKV and the vocabularies without a tokenizer of their own, told as matches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property

from pyodide_tok.encoders.encoder import Encoder
from pyodide_tok.encoders.wordpiece import Normal
from pyodide_tok.explain.trace import Match, Word
from pyodide_tok.explain.words import Explainer, explained
from pyodide_tok.text.codepoints import lenient
from pyodide_tok.text.escapes import rwkv_unescape
from pyodide_tok.text.prefixes import Beginnings
from pyodide_tok.text.spaces import SPACE
from pyodide_tok.text.utf8 import utf8
from pyodide_tok.vocab.vocab import Vocab

_SPACES = b" \t\r\n"


class WordPieceExplainer:
    """WordPiece (WPM): in each word the longest token first; all or nothing.

    The first piece of a word has a U+2581 before it, as the vocabulary writes it.
    """

    def __init__(self, vocab: Vocab) -> None:
        self._ids = vocab.token_to_id
        self._unknown = vocab.special.get("unk")
        self._normal = Normal(vocab.flags.lowercase, vocab.flags.strip_accents)

    def words(self, text: str) -> Iterator[Word]:
        # not split(): it would cut at U+001C to U+001F, which are dropped instead
        chunks = filter(None, lenient(text).translate(self._normal).split(" "))
        return explained((SPACE + chunk for chunk in chunks), self._word)

    def _word(self, text: str) -> Word:
        steps: list[Match] = []
        at = 0
        while at < len(text):
            steps.append(self._match(text, at))
            if steps[-1].id is None:
                ids = () if self._unknown is None else (self._unknown,)
                return Word(text, ids, steps=tuple(steps), note="unknown")
            at += len(steps[-1].text)
        return Word(text, tuple(step.id for step in steps if step.id is not None), (), tuple(steps))

    def _match(self, text: str, at: int) -> Match:
        heads = (text[at:end] for end in range(len(text), at, -1))
        found = [(self._ids[head], head) for head in heads if head in self._ids]
        if not found:
            return Match(at, "", None, tried=len(text) - at)
        (token, head), *shorter = found
        tried = len(text) - at - len(head)
        return Match(at, head, token, tried, tuple(token for token, _ in shorter))


class RwkvExplainer:
    """RWKV: from left to right the longest token, over bytes.

    Here a word is the matches up to the next that starts with white space: for the eye only.
    """

    def __init__(self, vocab: Vocab) -> None:
        self._vocab = vocab
        self._unknown = vocab.special.get("unk")

    def words(self, text: str) -> Iterator[Word]:
        data = utf8(text)
        at = 0
        while at < len(data):
            start, steps = at, [self._match(data, at, at)]
            at += len(utf8(steps[0].text))
            while at < len(data) and data[at] not in _SPACES and len(steps) < 100:
                steps.append(self._match(data, at, start))
                at += len(utf8(steps[-1].text))
            ids = tuple(step.id for step in steps if step.id is not None)
            yield Word(data[start:at].decode("utf-8", "surrogateescape"), ids, (), tuple(steps))

    @cached_property
    def _ids(self) -> dict[bytes, int]:
        ids = {rwkv_unescape(text): id_ for id_, text in enumerate(self._vocab.texts)}
        ids.pop(b"", None)
        return ids

    @cached_property
    def _trie(self) -> Beginnings[bytes]:
        return Beginnings(self._ids)

    def _match(self, data: bytes, at: int, start: int) -> Match:
        longest, *shorter = list(self._tokens_at(data, at)) or [data[at : at + 1]]
        return Match(
            at - start,
            longest.decode("utf-8", "surrogateescape"),
            self._ids.get(longest, self._unknown),
            max(self._trie.shared(data, at) - len(longest), 0),
            tuple(self._ids[token] for token in shorter),
        )

    def _tokens_at(self, data: bytes, at: int) -> Iterator[bytes]:
        """The tokens that begin at a byte, longest first."""
        token = self._trie.longest(data, at)
        while token is not None:
            yield token
            token = self._trie.shorter(token)


class SpansExplainer:
    """What has no steps to tell: each token with the bytes that it stands for, a word each."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    def words(self, text: str) -> Iterator[Word]:
        data = utf8(text)
        for token, start, end in self._encoder.spans(text):
            part = data[start:end].decode("utf-8", "surrogateescape")
            yield Word(part, (token,), (), (Match(0, part, token),))


class DnaExplainer:
    """hybriddna: six bases a token between <dna> and </dna>, BPE elsewhere."""

    def __init__(self, encoder: Encoder, bpe: Explainer) -> None:
        self._dna = SpansExplainer(encoder)
        self._bpe = bpe

    def words(self, text: str) -> Iterator[Word]:
        for i, part in enumerate(re.split(r"(<dna>.*?(?:</dna>|\Z))", text, flags=re.DOTALL)):
            yield from (self._dna if i % 2 else self._bpe).words(part)


class PreparedExplainer:
    """What another explainer tells of the parts that `prepare` makes of a text."""

    def __init__(self, prepare: Callable[[str], list[str]], inner: Explainer) -> None:
        self._prepare = prepare
        self._inner = inner

    def words(self, text: str) -> Iterator[Word]:
        for part in self._prepare(text):
            yield from self._inner.words(part)
