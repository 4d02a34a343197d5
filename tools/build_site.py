"""Build dist/: the page, Pyodide, our wheel, the memory snapshot; nothing else is needed to serve.

python tools/build_site.py      after `npm ci`; needs the packages of the `site` group
"""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from pathlib import Path

import brotli

ROOT = Path(__file__).parent.parent
PYODIDE = ROOT / "node_modules" / "pyodide"
PYODIDE_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
TSC = ROOT / "node_modules" / ".bin" / "tsc"
LICENSES = {"jinja": "@huggingface/jinja", "fflate": "fflate"}  # bundled packages
SOURCES = {".css", ".js"}  # and the tsconfig files
UNBUNDLED = {"example.js"}  # the example that people read
DEFAULT_SAMPLE = "gpt-2"
COMPRESSED = {".css", ".gguf", ".html", ".js", ".json", ".mjs", ".svg", ".wasm"}


def main() -> None:
    site = ROOT / "build" / "site"
    shutil.rmtree(site, ignore_errors=True)
    copy_static(ROOT / "web", site)
    run_script("bundle.mjs", ROOT / "web", site)
    write_types(site)
    copy_licenses(site / "licenses")
    copy_pyodide(site / "pyodide")
    wheel = build_wheel(site / "pyodide")
    run_tool("lock_wheel.py", wheel)
    sample = ROOT / "web" / "samples" / f"{DEFAULT_SAMPLE}.gguf"
    run_script("make_snapshot.mjs", wheel, sample, site / "snapshot.bin.gz")
    run_script("prerender.mjs", site, wheel, sample)
    build_docs(site / "docs")
    for path in sorted(site.rglob("*")):
        if path.suffix in COMPRESSED:
            compress(path)
    run_tool("precache.py", site)
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    site.rename(ROOT / "dist")
    report(ROOT / "dist")


def copy_static(web: Path, site: Path) -> None:
    """Everything except the scripts and style sheets, which are bundled."""
    for path in sorted(web.rglob("*")):
        target = site / path.relative_to(web)
        is_source = path.suffix in SOURCES or path.match("*tsconfig.json")
        if path.is_file() and (not is_source or path.name in UNBUNDLED):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


def write_types(site: Path) -> None:
    """client.d.ts and what it imports, from the JSDoc of the sources."""
    subprocess.run([TSC, "-p", ROOT / "web" / "client.tsconfig.json", "--outDir", site], check=True)


def copy_licenses(target: Path) -> None:
    target.mkdir()
    for name, package in LICENSES.items():
        source = ROOT / "node_modules" / package / "LICENSE"
        shutil.copyfile(source, target / f"{name}.txt")


def copy_pyodide(target: Path) -> None:
    """The core, and its lock file without the packages: we serve none but our own."""
    target.mkdir()
    for name in PYODIDE_FILES:
        shutil.copyfile(PYODIDE / name, target / name)
    lock = json.loads((PYODIDE / "pyodide-lock.json").read_text(encoding="utf8"))
    slim = json.dumps({"info": lock["info"], "packages": {}})
    (target / "pyodide-lock.json").write_text(slim, encoding="utf8")


def build_wheel(target: Path) -> Path:
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(target)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return next(target.glob("pyodide_tok-*.whl"))


def run_tool(name: str, argument: Path) -> None:
    subprocess.run([sys.executable, str(ROOT / "tools" / name), str(argument)], check=True)


def run_script(name: str, *arguments: Path) -> None:
    subprocess.run(["node", str(ROOT / "tools" / name), *map(str, arguments)], check=True)


def build_docs(target: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(target)]
    subprocess.run(command, cwd=ROOT, check=True)


def compress(path: Path) -> None:
    """Write .gz and .br beside a file, for hosts that serve such."""
    data = path.read_bytes()
    path.with_name(path.name + ".gz").write_bytes(gzip.compress(data, 9, mtime=0))
    path.with_name(path.name + ".br").write_bytes(brotli.compress(data, quality=9))


def report(site: Path) -> None:
    files = [path for path in site.rglob("*") if path.is_file()]
    total = sum(path.stat().st_size for path in files)
    print(f"dist: {len(files)} files, {total / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
