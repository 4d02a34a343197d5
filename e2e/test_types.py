"""client.d.ts of the built site, as a TypeScript project uses it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tools.serve import ROOT

RIGHT = """
import { createTokenizer, Runtime, TokenizerError } from "./client.js";
const runtime = new Runtime();
const tok = await createTokenizer({ gguf: new URL("a.gguf", location.href), runtime });
const ids: Int32Array = await tok.encode("Hello", { addSpecial: false });
const { starts }: { starts: Uint32Array } = await tok.tokenize("Hello");
const onProgress = (bytes: number) => bytes;
const { cuts } = await tok.countFile(new Blob(), { split: 10, onProgress });
const text: string = await tok.decode(ids);
const code: string = new TokenizerError({ code: "file", message: text }).code;
export { code, cuts, starts };
"""
WRONG = """
// @ts-expect-error
createTokenizer({ gguf: 1 });
// @ts-expect-error
tok.encode(1);
// @ts-expect-error
tok.count("Hello", { add_special: true });
"""


def test_the_types_of_the_client(tmp_path: Path) -> None:
    dist = ROOT / "dist"
    for path in [dist / "client.d.ts", *(dist / "engine").glob("*.d.ts")]:
        copy = tmp_path / path.relative_to(dist)
        copy.parent.mkdir(exist_ok=True)
        copy.write_bytes(path.read_bytes())
    (tmp_path / "use.ts").write_text(RIGHT + WRONG, encoding="utf8")
    options = ["--strict", "--noEmit", "--target", "es2022", "--module", "esnext", "--types", ""]
    command = [str(ROOT / "node_modules" / ".bin" / "tsc"), "--ignoreConfig", *options, "use.ts"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == ""
