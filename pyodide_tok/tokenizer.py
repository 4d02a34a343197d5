"""The public face: a GGUF file's tokenizer, with llama.cpp's ids."""

from __future__ import annotations

import re
from array import array
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

from pyodide_tok.decoding import Pieces, StreamDecoder
from pyodide_tok.encoders.boundaries import border_of
from pyodide_tok.encoders.table import encoder_of
from pyodide_tok.encoding import Encoding, Places, as_items, as_text
from pyodide_tok.errors import EncodeError, Notice
from pyodide_tok.gguf.reader import GGUFFile
from pyodide_tok.gguf.source import Source, path_of, read_gguf
from pyodide_tok.parts import Parts
from pyodide_tok.pretokenize.patterns import choose_pre
from pyodide_tok.text.utf8 import char_positions
from pyodide_tok.vocab.contents import model_name
from pyodide_tok.vocab.loader import load_vocab
from pyodide_tok.vocab.partition import Partition

if TYPE_CHECKING:  # imported when they are first used
    from pyodide_tok.batch import Batch
    from pyodide_tok.chat.templates import ChatTemplates
    from pyodide_tok.explain.trace import Trace
    from pyodide_tok.explain.words import Explainer


class Tokenizer:
    """Text to llama.cpp's token ids and back.

    >>> tok = Tokenizer.from_gguf("web/samples/gpt-2.gguf")
    >>> tok.encode("Hello world")
    [15496, 995]
    >>> tok.decode([15496, 995])
    'Hello world'

    Threads may share one; its memo tables are all that changes. It pickles as the path of its
    file, or without one as its `GGUFFile`. `gguf` is the file's metadata and tensors.
    """

    def __init__(
        self, gguf: GGUFFile, pre: str | None = None, pre_patterns: Sequence[str] | None = None
    ) -> None:
        model = model_name(gguf)
        metadata = gguf.metadata
        self.gguf = gguf
        self._path, self._options = "", (pre, pre_patterns)
        self._pre_notices, name, splitting = choose_pre(metadata, model, pre, pre_patterns)
        self._splitting = splitting
        flags = splitting.flags if splitting else {}
        self.vocab = load_vocab(metadata, name, flags, model)
        self._pieces = Pieces(self.vocab)
        self._partition = Partition(self.vocab)
        self._encoder = encoder_of(self.vocab, splitting)

    @classmethod
    def from_gguf(
        cls, source: Source, pre: str | None = None, pre_patterns: Sequence[str] | None = None
    ) -> Tokenizer:
        """The tokenizer of a GGUF file.

        source: a path, an http(s) address, a name (hf:user/repo, hf:user/repo:quant,
        ollama:model), the file's bytes (its head is enough: up to the tensor data) or a
        `GGUFFile`. pre: overrides `tokenizer.ggml.pre`, the BPE pre-tokenizer's name.
        pre_patterns: regular expressions instead of that pre-tokenizer's own (see `patterns`).
        Raises `GGUFError`, `TruncatedError` (more bytes are needed), `VocabError`, `PatternError`.
        """
        tokenizer = cls(read_gguf(source), pre, pre_patterns)
        tokenizer._path = path_of(source)
        return tokenizer

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._path or self.gguf, self._options)

    # -- encoding -------------------------------------------------------------------------

    def encode(
        self, text: str | bytes, *, add_special: bool = True, parse_special: bool = False
    ) -> list[int]:
        """The token ids of a text; bytes are UTF-8 and need not be valid.

        add_special: with the BOS, EOS or SEP that the model wants. parse_special: texts of
        control tokens in `text` become those tokens; user-defined ones do in any case.
        Raises `NoVocabError` for a model without vocabulary, `EncodeError` for what is no text.
        """
        before, after = self.added_ids(add_special)
        return before + self.parts(parse_special=parse_special).encode(as_text(text)) + after

    @overload
    def encode_batch(
        self, texts: Iterable[str | bytes], *, add_special: bool = ..., parse_special: bool = ...
    ) -> list[list[int]]: ...
    @overload
    def encode_batch(
        self, texts: Iterable[str | bytes], *, return_tensors: Literal["np"], **options: Any
    ) -> Batch: ...
    def encode_batch(
        self,
        texts: Iterable[str | bytes],
        *,
        add_special: bool = True,
        parse_special: bool = False,
        return_tensors: Literal["np"] | None = None,
        **arrays: Any,
    ) -> list[list[int]] | Batch:
        """`encode` of each text; return_tensors="np" gives a `Batch` of arrays instead of lists.

        Further options and errors are then those of `batch.as_arrays`: padding, padding_side.
        """
        options = {"add_special": add_special, "parse_special": parse_special}
        rows = [self.encode(text, **options) for text in as_items(texts, "texts")]
        if return_tensors is None and not arrays:
            return rows
        from pyodide_tok.batch import as_arrays

        return as_arrays(rows, self.vocab, return_tensors, **arrays)

    def count(
        self, text: str | bytes, *, add_special: bool = True, parse_special: bool = False
    ) -> int:
        """How many tokens `encode` gives; arguments and errors are as there."""
        return len(self.encode(text, add_special=add_special, parse_special=parse_special))

    def tokenize(
        self, text: str | bytes, *, add_special: bool = True, parse_special: bool = False
    ) -> Encoding:
        """The tokens of a text with their pieces, places and attributes; else as `encode`."""
        before, after = self.added_ids(add_special)
        source = as_text(text)
        places = Places(source)
        for token in before:
            places.add(token, 0, 0)
        self.parts(parse_special=parse_special).place(source, places)
        for token in after:
            places.add(token, places.size, places.size)
        warnings = self._double_special(places.ids, before, after)
        if not places.is_complete:
            warnings += (Notice("text-left-out", _LEFT_OUT),)
        attrs = self.vocab.attrs
        char_starts, char_ends = char_positions(source, places.starts, places.ends)
        return Encoding(
            ids=places.ids,
            byte_starts=places.starts,
            byte_ends=places.ends,
            char_starts=char_starts,
            char_ends=char_ends,
            attrs=array("H", [attrs[token] for token in places.ids]),
            warnings=warnings,
            piece_of=self._pieces.piece,
        )

    @cached_property
    def border(self) -> re.Pattern[str] | None:
        """Where a text can be cut into parts: see `boundaries.border_of`."""
        if self._partition.cuts_characters:
            return None
        return border_of(self.vocab, self._splitting)

    def parts(self, *, parse_special: bool = False) -> Parts:
        """An encoder of one text that comes in parts, each of which ends at a `border`."""
        return Parts(self.vocab, self._partition, self._encoder, parse_special)

    def added_ids(self, add_special: bool = True) -> tuple[list[int], list[int]]:
        """The tokens before and after a text (llama.cpp: per type, in `impl::tokenize`)."""
        if not add_special:
            return [], []
        family, flags = self.vocab.family, self.vocab.flags
        wanted = (
            (family.before, flags.add_bos or family.added_always),
            (family.after, flags.add_eos or family.added_always),
        )
        special = self.vocab.special
        before, after = ([special[n]] if on and n in special else [] for n, on in wanted)
        return before, after

    def _double_special(
        self, ids: list[int], before: list[int], after: list[int]
    ) -> tuple[Notice, ...]:
        family = self.vocab.family
        # a type that checks EOS looks when it is added already, so it sees one more token
        seen = ids if family.checks_eos else ids[: len(ids) - len(after)]
        notices = []
        if family.checks_bos and before and seen[1:2] == before:
            notices.append(Notice("double-bos", _DOUBLE.format("BOS", "starts")))
        if family.checks_eos and after and seen[-2:-1] == after:
            notices.append(Notice("double-eos", _DOUBLE.format("EOS", "ends")))
        return tuple(notices)

    def explain(
        self, text: str | bytes, *, add_special: bool = True, parse_special: bool = False
    ) -> Trace:
        """How a text is split, step by step: for people, not for speed.

        A long text is explained in part, and `Trace.note` says so; arguments are as of `encode`.
        """
        from pyodide_tok.explain.explainer import explain

        fragments = self.parts(parse_special=parse_special).fragments(as_text(text))
        return explain(self.type, fragments, self.added_ids(add_special), self._explainer)

    @cached_property
    def _explainer(self) -> Explainer:
        from pyodide_tok.explain.explainer import explainer

        return explainer(self.vocab, self._splitting, self._encoder)

    # -- decoding -------------------------------------------------------------------------

    def decode(
        self,
        ids: Iterable[int],
        *,
        remove_special: bool = False,
        unparse_special: bool = False,
        errors: str = "replace",
    ) -> str:
        """The text of ids. `errors` is as of `bytes.decode`; the rest as of `decode_bytes`.

        Raises `EncodeError` for an id that is no token, or for bytes that `errors` does not allow.
        """
        data = self.decode_bytes(
            ids, remove_special=remove_special, unparse_special=unparse_special
        )
        try:
            return data.decode("utf-8", errors)
        except (UnicodeDecodeError, LookupError, TypeError) as error:
            raise EncodeError(f"the ids' bytes cannot be decoded: {error}") from error

    def decode_bytes(
        self, ids: Iterable[int], *, remove_special: bool = False, unparse_special: bool = False
    ) -> bytes:
        """The bytes of ids, as llama_detokenize gives them.

        remove_special: without the BOS and EOS that the model adds. unparse_special: control
        tokens are written out. Raises `EncodeError` for an id that is no token.
        """
        return self._pieces.decode(as_items(ids, "ids"), remove_special, unparse_special)

    def stream_decoder(self, *, unparse_special: bool = False) -> StreamDecoder:
        """A decoder for ids that come one by one: `.feed(id) -> str`, `.flush() -> str`."""
        return self._pieces.stream(unparse_special)

    def token_to_piece(self, id: int, *, special: bool = True) -> bytes:
        """A token's bytes; special=False hides control, unknown ones. Raises `EncodeError`."""
        return self._pieces.piece(id, special)

    def id_to_token(self, id: int) -> str:
        """The text that the file has for a token. Raises `EncodeError` for no token."""
        return self.vocab.texts[self.vocab.checked(id)]

    def token_to_id(self, text: str | bytes) -> int | None:
        """The id of a token text as it stands in the file, or None."""
        return self.vocab.token_to_id.get(text if isinstance(text, str) else as_text(text))

    # -- what the file says ---------------------------------------------------------------

    @property
    def type(self) -> str:
        """SPM, BPE, WPM, UGM, RWKV, PLAMO2, PLAMO3, TEST, NONE or BYTE."""
        return self.vocab.type

    @property
    def pre(self) -> str:
        """The pre-tokenizer's name; empty for types other than BPE."""
        return self.vocab.pre

    @property
    def n_vocab(self) -> int:
        """How many tokens there are; ids go from 0 to one less."""
        return len(self.vocab)

    @cached_property
    def special_ids(self) -> Mapping[str, int]:
        """The special ids that are set: bos eos eot eom unk sep pad mask fim_pre and so on."""
        return self.vocab.special_ids

    @property
    def eog_ids(self) -> frozenset[int]:
        """The tokens that end a generation."""
        return self.vocab.eog

    def is_eog(self, id: int) -> bool:
        """Whether a token ends a generation."""
        return isinstance(id, Hashable) and id in self.vocab.eog

    @property
    def suppress_tokens(self) -> tuple[int, ...]:
        """Tokens that the file wants never to be sampled."""
        return self.vocab.suppress_tokens

    @property
    def chat_template(self) -> str | None:
        """The file's default chat template, in Jinja; None if it has none."""
        template = self.gguf.metadata.get("tokenizer.chat_template")
        return template if isinstance(template, str) else None

    @cached_property
    def chat_templates(self) -> ChatTemplates:
        """The file's templates by name: `chat_template` is "default"."""
        from pyodide_tok.chat.templates import ChatTemplates

        return ChatTemplates(self.gguf.metadata, self.vocab)

    def render_chat(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        add_generation_prompt: bool = True,
        tools: Sequence[Mapping[str, Any]] | None = None,
        template: str | None = None,
        **variables: Any,
    ) -> str:
        """A chat as text, by the file's own template: see `ChatTemplates.render`.

        Encode it with add_special=False, parse_special=True: it has its special tokens in it.
        """
        variables |= {"add_generation_prompt": add_generation_prompt, "tools": tools}
        return self.chat_templates.render(messages, template, variables)

    @cached_property
    def warnings(self) -> tuple[Notice, ...]:
        """What llama.cpp would log when it loads this file; each a `str` with a `.code`."""
        return self._pre_notices + self.vocab.warnings + self._newline_notice()

    def _newline_notice(self) -> tuple[Notice, ...]:
        newlines = self.vocab.family.newlines
        if newlines is None:
            return ()
        missing = self.vocab.token_to_id.keys().isdisjoint(newlines)
        if missing and not newlines:
            missing = not self._encoder.encode("\n")
        message = "the vocabulary has no newline token; the padding token stands for it"
        return (Notice("missing-newline", message),) if missing else ()


_DOUBLE = "the model adds a {0} token and the text {1} with one too: are two what you want?"
_LEFT_OUT = (
    "part of the text is missing from the ids: no token stands for it, not even an unknown one"
)


def _restored(source: str | GGUFFile, options: tuple[Any, Any]) -> Tokenizer:
    return Tokenizer.from_gguf(source, *options)
