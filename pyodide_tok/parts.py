"""A text to ids, one part after the other: special tokens cut out, the rest encoded."""

from __future__ import annotations

from collections.abc import Iterator

from pyodide_tok.encoders.alignment import NO_TOKEN
from pyodide_tok.encoders.encoder import Encoder
from pyodide_tok.encoding import Places
from pyodide_tok.text.spaces import SPACE
from pyodide_tok.text.utf8 import is_utf8, utf8
from pyodide_tok.vocab.partition import Fragment, Partition
from pyodide_tok.vocab.vocab import Vocab


class Parts:
    """Encodes the parts of one text in their order; each but the last ends at a border.

    (See `Tokenizer.border`.) A part that ends with a special token, or with white space that one
    swallowed, changes how the next one begins, so an object is for one text only.
    """

    __slots__ = ("_after_special", "_begun", "_encoder", "_parse_special", "_partition", "_vocab")

    def __init__(
        self, vocab: Vocab, partition: Partition, encoder: Encoder, parse_special: bool
    ) -> None:
        self._vocab = vocab
        self._partition = partition
        self._encoder = encoder
        self._parse_special = parse_special
        self._begun = False
        self._after_special = True  # as llama.cpp has it at the start

    def fragments(self, part: str) -> Iterator[tuple[Fragment, str]]:
        """The fragments of the next part, each with what is put before it."""
        for fragment in self._partition.split(part, self._parse_special):
            is_plain = fragment.token is None
            yield fragment, self._prefix(fragment.text) if is_plain else ""
            self._begun, self._after_special = True, not is_plain

    def _prefix(self, text: str) -> str:
        if self._vocab.flags.prepend_first and not self._begun:
            return "" if text.startswith((" ", SPACE)) else SPACE  # not checked against a build
        return " " if self._vocab.spaces_fragments and self._after_special else ""

    def encode(self, part: str) -> list[int]:
        """The ids of the next part."""
        ids: list[int] = []
        for fragment, prefix in self.fragments(part):
            if fragment.token is None:
                ids += self._encoder.encode(prefix + fragment.text)
            else:
                ids.append(fragment.token)
        return ids

    def place(self, part: str, places: Places) -> None:
        """Adds the tokens of the next part to `places`, which are of this part."""
        base = 0
        for fragment, prefix in self.fragments(part):
            base += fragment.gap
            size = len(utf8(fragment.text))
            if fragment.token is None:
                self._place(places, prefix, fragment.text, base)
            else:
                places.add(fragment.token, base, base + size)
            base += size

    def _place(self, places: Places, prefix: str, piece: str, base: int) -> None:
        text = prefix + piece
        added = len(utf8(prefix))
        lengths = self._encoder.lengths
        if lengths is not None and is_utf8(text):
            ids = self._encoder.encode(text)
            widths = [lengths[token] for token in ids]
            if sum(widths) == len(utf8(text)):
                places.add_covering(ids, widths, base, added)
                return
        for token, start, end in self._encoder.spans(text):
            if token == NO_TOKEN:
                places.is_complete = False
            else:
                places.add(token, base + max(start - added, 0), base + max(end - added, 0))
