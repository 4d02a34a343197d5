"""Metadata -> a frozen `Vocab`, as llama.cpp's loader makes it (llama-vocab.cpp, `impl::load`)."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Any

from pyodide_tok.errors import Notice, VocabError
from pyodide_tok.text.utf8 import utf8
from pyodide_tok.vocab.cpp_order import first_in_hash_order
from pyodide_tok.vocab.families import DNA_MARKER, FAMILIES, KEY
from pyodide_tok.vocab.specials import EOG_TEXTS, SPECIAL_ID_KEYS, TEXTS_OF, USER_DEFINED_TEXTS
from pyodide_tok.vocab.vocab import (
    BYTE,
    CONTROL,
    LSTRIP,
    NORMAL,
    RSTRIP,
    SPECIAL,
    UNDEFINED,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    Flags,
    Vocab,
    tokens_with,
)

# llama_token_type (the file's numbers, index) -> llama_token_attr
_ATTR_OF_TYPE = (UNDEFINED, NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE)

MAX_DUMMIES = 1 << 19  # tokens of a model without vocabulary: twice what any has

_FLAG_KEYS = {
    "add_bos": "add_bos_token",
    "add_eos": "add_eos_token",
    "add_sep": "add_sep_token",
    "add_space_prefix": "add_space_prefix",
    "remove_extra_whitespaces": "remove_extra_whitespaces",
    "lowercase": "normalizer.lowercase",
    "strip_accents": "normalizer.strip_accents",
    "nfc": "normalizer.nfc",
}


def load_vocab(
    metadata: Mapping[str, Any], pre: str, pre_flags: Mapping[str, bool], model: str
) -> Vocab:
    """Build the `Vocab` of a file's metadata.

    `model` is `model_of(metadata)`; `pre` and `pre_flags` are the pre-tokenizer's name and the
    flags it sets (empty for types other than BPE). Raises `VocabError`.
    """
    return _Loader(metadata, pre, pre_flags, model).vocab()


class _Loader:
    """The steps of `impl::load`, in its order: later steps see what earlier ones retyped."""

    def __init__(
        self, metadata: Mapping[str, Any], pre: str, pre_flags: Mapping[str, bool], model: str
    ) -> None:
        self.metadata = metadata
        self.family = FAMILIES[model]
        self.model = model
        self.pre = pre
        self.notices: list[Notice] = []
        self.texts = self._texts()
        self.token_to_id = dict(zip(self.texts, range(len(self.texts)), strict=True))
        self.attrs = self._attrs()
        self.file_attrs = self.attrs[:]
        self.flags = self._flags(pre_flags)
        self.special = self._special_ids(pre_flags)
        self._note_missing()
        self.eot_candidates: tuple[str, ...] = ()
        self.eog: set[int] = set()

    def vocab(self) -> Vocab:
        if len(self.token_to_id) < len(self.texts):
            self._note_duplicates()
        scores = self._scores()
        for step in (self._find_special_texts, self._mark_unused, self._find_eog, self._strip):
            if self.family.tokens == "file":
                step()
        return Vocab(
            family=self.family,
            model=self.model,
            pre=self.pre,
            texts=self._without_dna_markers(),
            scores=scores,
            attrs=self.attrs,
            file_attrs=self.file_attrs,
            token_to_id=self.token_to_id,
            merges=self._merges(),
            special=self.special,
            eot_candidates=self.eot_candidates,
            eog=frozenset(self.eog),
            suppress_tokens=self._suppress_tokens(),
            flags=self.flags,
            precompiled_charsmap=self._charsmap(),
            token_type_count=int(self._get("token_type_count", int, 0)),
            warnings=tuple(self.notices),
        )

    # -- reading the file -----------------------------------------------------------------

    def _note(self, code: str, message: str) -> None:
        self.notices.append(Notice(code, message))

    def _get(self, name: str, kind: type, default: Any) -> Any:
        value = self.metadata.get(KEY + name, default)
        if not isinstance(value, kind):
            raise VocabError(
                f"{KEY}{name} is a {type(value).__name__}, but should be a {kind.__name__}"
            )
        return value

    def _column(self, name: str, formats: str) -> Any:
        """A numeric array as long as the tokens, or None; `formats` are struct letters."""
        column = self.metadata.get(KEY + name)
        if column is None:
            return None
        if not isinstance(column, memoryview) or column.format not in formats:
            raise VocabError(f"{KEY}{name} is not an array of the number type that it should be")
        if len(column) < len(self.texts):
            raise VocabError(
                f"{KEY}{name} has {len(column)} values for {len(self.texts)} tokens: the file was"
                " written wrongly; convert the model again"
            )
        return column[: len(self.texts)]

    def _strings(self, name: str) -> tuple[str, ...]:
        """An array of strings, each up to its first NUL: llama.cpp reads them as C strings."""
        value = self.metadata.get(KEY + name, ())
        if isinstance(value, str | bytes | memoryview) or not isinstance(value, Sequence):
            raise VocabError(f"{KEY}{name} is not an array of strings")
        if len(value) and not isinstance(value[0], str):
            raise VocabError(f"{KEY}{name} is not an array of strings")
        texts = tuple(value[:])  # a StringArray gives its own
        if "\0" not in "".join(texts):
            return texts
        return tuple([text.split("\0", 1)[0] for text in texts])

    def _texts(self) -> tuple[str, ...]:
        if self.family.tokens == "dummies":
            return self._dummies()
        if self.family.tokens == "bytes":
            self._note("no-tokens", "the file has no tokens; each byte of a text is a token")
            return tuple([chr(byte) if byte < 0x80 else chr(0xDC00 + byte) for byte in range(256)])
        if not self.metadata.get(KEY + "model"):
            self._note("missing-model", f"{KEY}model is missing; taken as {self.model!r}")
        texts = self._strings("tokens")
        return self._named(texts) if "" in texts else texts

    def _named(self, texts: tuple[str, ...]) -> tuple[str, ...]:
        """`texts`, with names for the empty ones."""
        count, first = texts.count(""), texts.index("")
        named = tuple([text or f"[EMPTY_{i}]" for i, text in enumerate(texts)])
        which = f"token {first} has" if count == 1 else f"{count} tokens, from {first} on, have"
        self._note("empty-token", f"{which} no text; shown as {named[first]}")
        return named

    def _dummies(self) -> tuple[str, ...]:
        size = self.metadata.get(f"{self.metadata.get('general.architecture')}.vocab_size", 0)
        if not isinstance(size, int) or not 0 <= size <= MAX_DUMMIES:
            return ()
        return tuple([f"[DUMMY_{i}]" for i in range(size)])

    def _attrs(self) -> array[int]:
        default = BYTE if self.family.tokens == "bytes" else NORMAL
        types = None
        if self.family.tokens == "file":
            types = self._column("token_type", "il")
        if types is None:
            return array("H", [default]) * len(self.texts)
        try:
            # a negative index would be a valid one, so it is looked for first
            if min(types, default=0) >= 0:
                return array("H", map(_ATTR_OF_TYPE.__getitem__, types))
        except IndexError:
            pass
        known = range(len(_ATTR_OF_TYPE))
        return array("H", (_ATTR_OF_TYPE[t] if t in known else UNDEFINED for t in types))

    def _scores(self) -> memoryview:
        scores = None
        if self.family.tokens == "file":
            scores = self._column("scores", "fil")
        if scores is None:
            return memoryview(array("f", bytes(4 * len(self.texts))))
        return scores if scores.format == "f" else memoryview(array("f", scores))

    def _merges(self) -> tuple[str, ...]:
        missing = self.family.has_merges and KEY + "merges" not in self.metadata
        if missing and self.pre != "kimi-k2":  # Kimi-K2 goes without
            raise VocabError(f"{KEY}merges is missing: a BPE vocabulary cannot work without it")
        return self._strings("merges") if self.family.has_merges else ()

    def _charsmap(self) -> bytes:
        value = self.metadata.get(KEY + "precompiled_charsmap")
        if value is None or not self.family.has_charsmap:
            return b""
        if not isinstance(value, memoryview) or value.format not in "bB":
            raise VocabError(f"{KEY}precompiled_charsmap is not an array of int8 or uint8")
        return value.tobytes()

    def _suppress_tokens(self) -> tuple[int, ...]:
        value = self.metadata.get(KEY + "suppress_tokens")
        if value is None:
            return ()
        if not isinstance(value, memoryview) or value.format not in "il":
            raise VocabError(f"{KEY}suppress_tokens is not an array of int32")
        return tuple(i for i in value if 0 <= i < len(self.texts))

    # -- flags and special ids ------------------------------------------------------------

    def _flags(self, pre_flags: Mapping[str, bool]) -> Flags:
        names = Flags.__dataclass_fields__
        values = dict(self.family.flags) | {k: v for k, v in pre_flags.items() if k in names}
        for name, key in _FLAG_KEYS.items():
            if KEY + key in self.metadata:
                values[name] = bool(self._get(key, int, False))
        values.setdefault("strip_accents", values.get("lowercase", True))
        escaped_bpe = self.family.has_merges and values["escape_whitespaces"]
        scheme = self._get("metaspace.prepend_scheme", str, "")
        values["prepend_first"] = escaped_bpe and scheme == "first"
        # llama.cpp's workaround for files converted with add_bos_token = false
        if pre_flags.get("needs_bos") and not values.get("add_bos"):
            values["add_bos"] = True
            self._note("add-bos-forced", f"{KEY}add_bos_token is taken as true for Gemma 4")
        return Flags(**values)

    def _special_ids(self, pre_flags: Mapping[str, bool]) -> dict[str, int]:
        ids = dict(self.family.special)
        if self.family.tokens != "file":
            return ids
        if pre_flags.get("no_bos"):
            ids.pop("bos", None)
        for name, key in SPECIAL_ID_KEYS:
            if ids.get(name, -1) >= len(self.texts):
                self._note("special-id-disabled", f"default {name} {ids.pop(name)} is no token")
            value = self._get(key.removeprefix(KEY), int, None) if key in self.metadata else None
            if value is None:
                continue
            if 0 <= value < len(self.texts):
                ids[name] = value
            else:
                self._note("special-id-out-of-range", f"{key} = {value} is no token; ignored")
        return ids

    def _note_missing(self) -> None:
        """llama.cpp ends the process when it shall add a token that is not there."""
        family, flags = self.family, self.flags
        for name, wanted in (
            (family.before, flags.add_bos or family.added_always),
            (family.after, flags.add_eos or family.added_always),
        ):
            if name and wanted and name not in self.special:
                self._note(f"missing-{name}", f"the model wants a {name} token and has none")

    # -- retyping by text -----------------------------------------------------------------

    def _as_control(self, token: int) -> None:
        if not self.attrs[token] & CONTROL:
            self.attrs[token] |= CONTROL
            self._note(
                "retyped-control",
                f"token {token} {self.texts[token]!r} looks like a control token; taken as one",
            )

    def _find_special_texts(self) -> None:
        for name, texts in TEXTS_OF.items():
            found = tuple(text for text in texts if text in self.token_to_id)
            if name in self.special or not found:
                continue
            if name == "eot" and len(found) > 1:
                # all of them end generation and are retyped below, so which one is "the" EOT
                # can wait until somebody asks: the answer takes a walk over the vocabulary
                self.eot_candidates = found
                continue
            text = found[0] if len(found) == 1 else first_in_hash_order(self.texts, found)
            self.special[name] = self.token_to_id[text]
            self._as_control(self.special[name])

    def _mark_unused(self) -> None:
        for token in tokens_with(self.attrs, CONTROL):
            if "unused" in self.texts[token].split("\0", 1)[0]:  # the C string ends at a NUL
                self.attrs[token] |= UNUSED

    def _ids_of(self, *texts: str) -> list[int]:
        return [self.token_to_id[text] for text in texts if text in self.token_to_id]

    def _find_eog(self) -> None:
        special = self.special
        self.eog |= {special[n] for n in ("fim_pad", "fim_rep", "fim_sep") if n in special}
        for token in self._ids_of(*EOG_TEXTS):
            self.eog.add(token)
            self._as_control(token)
        for token in self._ids_of(*USER_DEFINED_TEXTS):
            self.attrs[token] = USER_DEFINED
            self._note("retyped-user-defined", f"token {token} {self.texts[token]!r} is rendered")
        for name in ("eos", "eot", "eom"):
            if name in special and special[name] not in self.eog:
                self.eog.add(special[name])
                self._note("eog-added", f"the {name} token is not known to end a generation")
        self._unmark_end()
        self._unmark_s()

    def _eog_texts(self) -> set[str]:
        return {self.texts[token] for token in self.eog}

    def _unmark_end(self) -> None:
        """o200k_harmony and solar-open: "<|end|>" ends a message there, not the generation."""
        texts = self._eog_texts()
        calls = texts & {"<|call|>", "<|calls|>"}
        if "<|end|>" in texts and calls and texts & {"<|return|>", "<|flush|>"}:
            self._drop_eog("<|end|>", USER_DEFINED)

    def _unmark_s(self) -> None:
        """Gemma 4 and PLaMo: "</s>" is a normal token there."""
        texts = self._eog_texts()
        if "</s>" in texts and texts & {"<|tool_response>", "<|plamo:eos|>"}:
            self._drop_eog("</s>", NORMAL)

    def _drop_eog(self, text: str, attr: int) -> None:
        token = self.token_to_id[text]
        self.eog.discard(token)
        self.attrs[token] = attr
        self._note("eog-removed", f"token {token} {text!r} does not end a generation here")

    # -- LSTRIP and RSTRIP, which no file holds ---------------------------------------------

    def _strip(self) -> None:
        arch = str(self.metadata.get("general.architecture", ""))
        name = _ascii_lower(str(self.metadata.get("general.name", "")))
        pre = self.pre
        if not self.family.has_merges or self.family.forced_pre:  # then the file's own counts here
            pre = str(self.metadata.get(KEY + "pre", ""))
        pres = ("jina-v2-de", "jina-v2-es", "jina-v2-code", "mmbert")
        if any(p in pre for p in pres) or "nomic-bert-moe" in arch or "jina-bert-v3" in arch:
            self._lstrip_mask("<mask>")
        elif "phi-3" in name or "phi3" in name:
            self._rstrip_phi3()
        elif "modern-bert" in name:
            self._lstrip_mask("[MASK]")

    def _lstrip_mask(self, text: str) -> None:
        if text not in self.token_to_id:
            self._note("missing-mask", f"the vocabulary has no {text} token; convert it again")
            return
        self.attrs[self.token_to_id[text]] |= LSTRIP

    def _rstrip_phi3(self) -> None:
        for token in tokens_with(self.attrs, SPECIAL):
            self.attrs[token] |= RSTRIP
        for token in self._ids_of("</s>"):
            self.attrs[token] |= RSTRIP
        for token in self._ids_of("<unk>", "<s>", "<|endoftext|>"):
            self.attrs[token] &= ~RSTRIP

    # -- oddities -------------------------------------------------------------------------

    def _note_duplicates(self) -> None:
        count = len(self.texts) - len(self.token_to_id)
        self._note(
            "duplicate-tokens",
            f"{count} token texts stand more than once (llama.cpp refuses such a file);"
            " the later id is used",
        )

    def _without_dna_markers(self) -> tuple[str, ...]:
        """hybriddna: 6-mers, which stand after <oov>, are decoded without their marker."""
        if self.model != "hybriddna" or "<oov>" not in self.token_to_id:
            return self.texts
        first = self.token_to_id["<oov>"] + 1
        rest = [
            text[:-1] if text.endswith(DNA_MARKER) and len(text) > 1 else text
            for text in self.texts[first:]
        ]
        return (*self.texts[:first], *rest)


def _ascii_lower(text: str) -> str:
    return utf8(text).lower().decode("utf-8", "surrogateescape")
