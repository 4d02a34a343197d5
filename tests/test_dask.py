"""docs/dask.md: the program that stands there, as it stands, on a small cluster of processes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pyodide_tok import Tokenizer
from tests import reference
from tests.platforms import PROCESSES
from tests.reference import ROOT, vocab_path

PAGE = ROOT / "docs" / "dask.md"


def corpus(folder: Path) -> list[str]:
    """Texts, written as JSON lines into three files."""
    texts = reference.texts(reference.SAMPLE)
    for i in range(3):
        lines = [json.dumps({"text": text}) + "\n" for text in texts[i::3]]
        (folder / f"{i}.jsonl").write_text("".join(lines))
    return texts


@pytest.mark.slow
@PROCESSES
@pytest.mark.skipif(not PAGE.exists(), reason="docs/ is not part of a source distribution")
@pytest.mark.parametrize("name", ["gpt-2", "mistral-v1"])
def test_a_cluster_counts_as_a_loop_does(name: str, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    program = PAGE.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    (tmp_path / "count_corpus.py").write_text(program)
    texts = corpus(tmp_path)
    command = [sys.executable, "count_corpus.py", str(vocab_path(name)), "*.jsonl"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    tok = Tokenizer.from_gguf(vocab_path(name))
    counts = [tok.count(text, add_special=False) for text in texts]
    want = {"documents": len(texts), "tokens": sum(counts), "longest": max(counts)}
    assert json.loads(done.stdout) == want
