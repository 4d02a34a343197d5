"""The live reference: llama.cpp b11549, by ctypes on the shared object of the `xllamacpp` wheel.

    ref = Reference("model.gguf"); ref.tokenize(b"text"); ref.close()

llama.cpp ends the process on some inputs; `Live` asks it in another process.
"""

import ctypes
import importlib.util
import json
import os
import subprocess
import sys
from ctypes import POINTER, c_bool, c_char_p, c_float, c_int32, c_void_p
from functools import cache
from pathlib import Path
from typing import Any

IDS = (
    *("bos", "eos", "eot", "sep", "nl", "pad", "mask"),
    *("fim_pre", "fim_suf", "fim_mid", "fim_pad", "fim_rep", "fim_sep"),
)
FLAGS = ("add_bos", "add_eos", "add_sep")
TYPES = ("NONE", "SPM", "BPE", "WPM", "UGM", "RWKV", "PLAMO2", "TEST", "PLAMO3")
LOG = ctypes.CFUNCTYPE(None, c_int32, c_char_p, c_void_p)
SILENT = LOG(lambda level, text, data: None)


class ModelParams(ctypes.Structure):
    """struct llama_model_params of b11549, passed by value."""

    _fields_ = (
        *((name, c_void_p) for name in ("devices", "tensor_buft_overrides")),
        *((name, c_int32) for name in ("n_gpu_layers", "split_mode", "load_mode", "lazy_mode")),
        ("main_gpu", c_int32),
        *((name, c_void_p) for name in ("tensor_split", "progress", "progress_data", "overrides")),
        *((name, c_bool) for name in ("vocab_only", "check_tensors", "use_extra_bufts")),
        *((name, c_bool) for name in ("no_host", "no_alloc", "load_mtp")),
    )


SIGNATURES = {
    "llama_log_set": (None, LOG, c_void_p),
    "llama_backend_init": (None,),
    "llama_model_default_params": (ModelParams,),
    "llama_model_load_from_file": (c_void_p, c_char_p, ModelParams),
    "llama_model_free": (None, c_void_p),
    "llama_model_get_vocab": (c_void_p, c_void_p),
    "llama_vocab_type": (c_int32, c_void_p),
    "llama_vocab_n_tokens": (c_int32, c_void_p),
    "llama_vocab_get_text": (c_char_p, c_void_p, c_int32),
    "llama_vocab_get_score": (c_float, c_void_p, c_int32),
    "llama_vocab_get_attr": (c_int32, c_void_p, c_int32),
    "llama_vocab_get_suppress_tokens": (POINTER(c_int32), c_void_p, POINTER(c_int32)),
    "llama_vocab_is_eog": (c_bool, c_void_p, c_int32),
    "llama_tokenize": (
        *(c_int32, c_void_p, c_char_p, c_int32),
        *(POINTER(c_int32), c_int32, c_bool, c_bool),
    ),
    "llama_token_to_piece": (
        *(c_int32, c_void_p, c_int32, c_char_p),
        *(c_int32, c_int32, c_bool),
    ),
    **{f"llama_vocab_{name}": (c_int32, c_void_p) for name in IDS},
    **{f"llama_vocab_get_{name}": (c_bool, c_void_p) for name in FLAGS},
}


def shared_object() -> Path | None:
    spec = importlib.util.find_spec("xllamacpp")
    roots = spec.submodule_search_locations if spec else None
    return next((path for root in roots or () for path in Path(root).glob("*.so")), None)


def available() -> bool:
    return shared_object() is not None


@cache
def library() -> ctypes.CDLL:
    lib = ctypes.CDLL(str(shared_object()))
    for name, (result, *arguments) in SIGNATURES.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    lib.llama_log_set(SILENT, None)
    lib.llama_backend_init()
    return lib


class Reference:
    """The vocabulary of a GGUF file as llama.cpp has it; ValueError when llama.cpp refuses it."""

    def __init__(self, path: str | Path) -> None:
        self.lib: Any = library()
        params = self.lib.llama_model_default_params()
        params.vocab_only = True
        self.model = self.lib.llama_model_load_from_file(str(path).encode(), params)
        if not self.model:
            raise ValueError(f"llama.cpp refuses {path}")
        self.vocab = self.lib.llama_model_get_vocab(self.model)
        self.type = TYPES[self.lib.llama_vocab_type(self.vocab)]
        self.n_tokens: int = self.lib.llama_vocab_n_tokens(self.vocab)

    def close(self) -> None:
        self.lib.llama_model_free(self.model)

    def tokenize(
        self, data: bytes, add_special: bool = False, parse_special: bool = False
    ) -> list[int]:
        size = len(data) + 16
        while True:
            ids = (c_int32 * size)()
            n = self.lib.llama_tokenize(
                self.vocab, data, len(data), ids, size, add_special, parse_special
            )
            if n >= 0:
                return ids[:n]
            size = -n

    def piece(self, token: int, special: bool = True) -> bytes:
        size = 64
        while True:
            buffer = ctypes.create_string_buffer(size)
            n = self.lib.llama_token_to_piece(self.vocab, token, buffer, size, 0, special)
            if n >= 0:
                return buffer.raw[:n]
            size = -n

    def attr(self, token: int) -> int:
        return int(self.lib.llama_vocab_get_attr(self.vocab, token))

    def score(self, token: int) -> float:
        return float(self.lib.llama_vocab_get_score(self.vocab, token))

    def text(self, token: int) -> bytes:
        """Up to the first zero byte: the C API gives no length."""
        return bytes(self.lib.llama_vocab_get_text(self.vocab, token))

    def is_eog(self, token: int) -> bool:
        return bool(self.lib.llama_vocab_is_eog(self.vocab, token))

    @property
    def special(self) -> dict[str, int | bool]:
        """Special ids (-1: none) and add_bos, add_eos, add_sep."""
        ids = {name: getattr(self.lib, f"llama_vocab_{name}")(self.vocab) for name in IDS}
        flags = {name: getattr(self.lib, f"llama_vocab_get_{name}")(self.vocab) for name in FLAGS}
        return ids | flags

    @property
    def suppress_tokens(self) -> list[int]:
        n = c_int32()
        found = self.lib.llama_vocab_get_suppress_tokens(self.vocab, ctypes.byref(n))
        return list(found[: n.value])


class Live:
    """llama.cpp in a process of its own. The answer is None to a question that ends the process."""

    def __init__(self, path: str | Path) -> None:
        self.path = path
        self.process: subprocess.Popen[str] | None = None

    def tokenize(self, data: bytes, add_special: bool, parse_special: bool) -> list[int] | None:
        ids: list[int] | None = self._ask("tokenize", data.hex(), add_special, parse_special)
        return ids

    def token(self, token: int) -> list[Any] | None:
        """The token's piece in hexadecimal, its plain piece, its attributes."""
        facts: list[Any] | None = self._ask("token", token)
        return facts

    def load(self) -> None:
        """Read the file again."""
        if self.process is None:
            self.process = self._start()
        if not self._tell("load", str(self.path)):
            raise ValueError(f"llama.cpp refuses {self.path}")

    def close(self) -> None:
        if self.process is not None:
            self.process.communicate()
            self.process = None

    def _ask(self, *question: object) -> Any:
        if self.process is None:
            self.load()
        return self._tell(*question)

    def _tell(self, *question: object) -> Any:
        assert self.process and self.process.stdin and self.process.stdout
        try:
            self.process.stdin.write(json.dumps(question) + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            self.close()
            return None
        return json.loads(answer)

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "GGML_NO_BACKTRACE": "1"},
            text=True,
        )


def serve() -> None:
    """Answer the questions of a `Live`, a line each."""
    reference: Reference | None = None
    for line in sys.stdin:
        method, first, *flags = json.loads(line)
        answer: object = "loaded"
        if method == "load":
            if reference:
                reference.close()
            reference = Reference(first)
        elif method == "tokenize":
            assert reference
            answer = reference.tokenize(bytes.fromhex(first), *flags)
        else:
            assert reference
            pieces = [reference.piece(first, special).hex() for special in (True, False)]
            answer = [*pieces, reference.attr(first)]
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    serve()
