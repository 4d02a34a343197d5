"""Copy the freely licensed sample vocabularies into web/samples (see the README there).

python tools/make_samples.py [FOLDER]      FOLDER holds NAME.gguf; by default ../shared/vocabs
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
SAMPLES = ("gpt-2", "mistral-v1", "qwen2", "mistral-tekken", "phi-3", "bert-bge", "t5", "rwkv")


def main(folder: Path) -> None:
    for name in SAMPLES:
        target = ROOT / "web" / "samples" / f"{name}.gguf"
        shutil.copyfile(folder / f"{name}.gguf", target)
        print(f"{target.relative_to(ROOT)}: {target.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT.parent / "shared" / "vocabs")
