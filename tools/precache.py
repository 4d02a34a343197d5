"""Say which files the page is made of, for its service worker: writes dist/precache.js.

python tools/precache.py SITE
"""

from __future__ import annotations

import base64
import hashlib
import json
import sys
from pathlib import Path

NOT_KEPT = {"sw.js", "precache.js"}
COPIES = {".br", ".gz"}  # of files that are there without it, too
FOR_DEVELOPERS = {".map", ".ts"}
LARGEST_SAMPLE = 3_000_000  # bytes; a larger one is fetched when it is chosen
UNHASHED = {".gz"}  # a host may send it unpacked


def files_of(site: Path) -> dict[str, str]:
    """Path -> its hash as Subresource Integrity writes it, or ""; large samples are left out."""
    paths = (path for path in sorted(site.rglob("*")) if path.is_file())
    names = {path.relative_to(site).as_posix(): path for path in paths}
    return {
        name: "" if path.suffix in UNHASHED else integrity(path)
        for name, path in names.items()
        if name not in NOT_KEPT
        and path.suffix not in FOR_DEVELOPERS
        and not (name.startswith("samples/") and path.stat().st_size > LARGEST_SAMPLE)
        and not (path.suffix in COPIES and path.with_suffix("").exists())
    }


def integrity(path: Path) -> str:
    digest = hashlib.sha256(path.read_bytes()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def build_of(site: Path, files: dict[str, str]) -> str:
    """A name for this build, which no other content has."""
    digests = [files[name] or integrity(site / name) for name in files]
    return hashlib.sha256("\n".join([*files, *digests]).encode()).hexdigest()[:16]


def main(site: Path) -> None:
    files = files_of(site)
    told = json.dumps({"build": build_of(site, files), "files": files}, indent=1)
    (site / "precache.js").write_text(f"self.PRECACHE = {told};\n", encoding="utf8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
