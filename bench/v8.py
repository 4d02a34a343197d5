"""Node in another process, with Pyodide and the JavaScript contestants in it (v8.mjs)."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from functools import cached_property
from pathlib import Path
from typing import Any

from bench import convert
from pyodide_tok import Tokenizer

HERE = Path(__file__).parent
OURS = "pyodide_tok"
STATELESS = {"llama-tokenizer-js"}
FORMS = {"@huggingface/tokenizers": convert.tokenizer_json, "ai-tokenizer": convert.ranks_json}


class Node:
    """The process; started when it is first asked. Use as a context manager."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def __enter__(self) -> Node:
        return self

    def __exit__(self, *error: object) -> None:
        if "_process" in vars(self):
            self._process.communicate()

    @property
    def available(self) -> bool:
        """Whether `npm ci` was run, here and in the project's root."""
        folders = (HERE / "node_modules", HERE.parent / "node_modules" / "pyodide")
        return shutil.which("node") is not None and all(map(Path.is_dir, folders))

    @cached_property
    def _process(self) -> subprocess.Popen[bytes]:
        command = ["node", "--expose-gc", str(HERE / "v8.mjs")]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def call(self, op: str, **params: Any) -> Any:
        """What an operation of v8.mjs answers; RuntimeError with its stack when it fails."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps({"op": op, **params}).encode() + b"\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"Node ended with {self._process.wait()} when asked to {op}")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer["result"]

    def text(self, text: str) -> str:
        """The name under which Node knows a text."""
        if text not in self._texts:
            self._texts[text] = f"text {len(self._texts)}"
            self.call("text", name=self._texts[text], text=text)
        return self._texts[text]


class Remote:
    """A contestant in Node; the same methods as `native.Native`."""

    def __init__(self, node: Node, contestant: str, path: Path) -> None:
        self.stateless = contestant in STATELESS
        self._call = node.call
        self._text = node.text
        self._side = "ours" if contestant == OURS else "theirs"
        with tempfile.TemporaryDirectory() as folder:
            given = path
            if contestant in FORMS:
                given = Path(folder) / "vocabulary.json"
                given.write_text(FORMS[contestant](Tokenizer.from_gguf(path)), encoding="utf-8")
            self._call("open", side=self._side, contestant=contestant, path=str(given.resolve()))

    def fresh(self) -> None:
        self._call("fresh", side=self._side)

    def ids(self, text: str) -> list[int]:
        ids: list[int] = self._call("ids", side=self._side, text=self._text(text))
        return ids

    def seconds(self, text: str) -> float:
        seconds: float = self._call("seconds", side=self._side, text=self._text(text))
        return seconds

    def close(self) -> None:
        self._call("close", side=self._side)
