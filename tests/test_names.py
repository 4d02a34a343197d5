"""Models by the names that people use: on the Hub, in Ollama, and in the usual folders."""

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pyodide_tok import Tokenizer
from pyodide_tok.cli.main import main
from pyodide_tok.errors import ModelNotFoundError
from pyodide_tok.gguf.hub import HubName, choose, hub_name
from pyodide_tok.gguf.remote import RemoteError
from pyodide_tok.gguf.stores import stored
from tests import hub
from tests.gguf_writer import STRING, Entry, write
from tests.platforms import SERVERS
from tests.reference import DATA, vocab_path

TABLE = json.loads((DATA / "hub.json").read_text(encoding="utf-8"))
VARIABLES = """HF_ENDPOINT HF_TOKEN HF_HOME HF_HUB_CACHE HUGGINGFACE_HUB_CACHE HF_HUB_OFFLINE
LLAMA_CACHE OLLAMA_MODELS XDG_CACHE_HOME LOCALAPPDATA"""


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty home, and no variables from outside."""
    for name in VARIABLES.split():
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    return tmp_path


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with hub.serve() as server:
        address = f"http://localhost:{server.server_port}"
        monkeypatch.setenv("HF_ENDPOINT", address + "/")
        yield address
        server.shutdown()


# -- the Hub ------------------------------------------------------------------------------


@pytest.mark.parametrize("row", TABLE["names"], ids=lambda row: row["typed"])
def test_a_name_on_the_hub(row: dict[str, Any]) -> None:
    """tests/js/hub.test.js has the same test, and the next."""
    defaults = {"quant": "", "revision": "main", "path": ""}
    details = {key: row.get(key, default) for key, default in defaults.items()}
    wanted = HubName(row["repo"], **details) if row["repo"] else None
    assert hub_name(row["typed"]) == wanted


@pytest.mark.parametrize("row", TABLE["choices"], ids=lambda row: row.get("says") or row["choice"])
def test_the_file_that_llama_cpp_chooses(row: dict[str, Any]) -> None:
    name = HubName("a/b", row.get("quant", ""))
    if row["choice"]:
        assert choose(row["files"], name) == row["choice"]
    else:
        with pytest.raises(ModelNotFoundError) as caught:
            choose(row["files"], name)
        assert row["says"] in str(caught.value)


@pytest.mark.parametrize("typed", ["hf:", "hf:model", "hf:a/b/c", "hf:a/b:Q4:x", "hf:a/b c"])
def test_what_names_no_model(typed: str) -> None:
    with pytest.raises(ModelNotFoundError, match="Write hf:user/repo"):
        Tokenizer.from_gguf(typed)


@SERVERS
@pytest.mark.parametrize(
    ("source", "type"),
    [
        ("hf:me/model", "TEST"),
        ("hf:me/model:Q8_0", "BPE"),
        ("{}/me/model", "TEST"),
        ("{}/me/model/tree/main", "TEST"),
        ("{}/me/model/blob/main/m-Q4_K_M.gguf", "TEST"),
        ("{}/me/model/resolve/main/m-Q8_0-00002-of-00002.gguf", "BPE"),
    ],
)
def test_a_model_of_the_hub(endpoint: str, source: str, type: str) -> None:
    wanted = Tokenizer.from_gguf(vocab_path("test" if type == "TEST" else "whitespace"))
    tok = Tokenizer.from_gguf(source.format(endpoint))
    assert (tok.type, tok.n_vocab) == (wanted.type, wanted.n_vocab)


@SERVERS
def test_a_token_opens_what_is_private(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for source in ("hf:me/secret", f"{endpoint}/me/secret/blob/main/m.gguf"):
        with pytest.raises(ModelNotFoundError, match="private or gated: then set HF_TOKEN"):
            Tokenizer.from_gguf(source)
    monkeypatch.setenv("HF_TOKEN", "secret")
    assert Tokenizer.from_gguf("hf:me/secret").type == "PLAMO2"


@SERVERS
def test_answers_that_are_of_no_use(endpoint: str) -> None:
    for repo, words in {"broken": "not the Hub's list", "page": "not JSON"}.items():
        with pytest.raises(RemoteError, match=words):
            Tokenizer.from_gguf(f"hf:me/{repo}")
    with pytest.raises(RemoteError, match="answered 503") as caught:
        Tokenizer.from_gguf("hf:me/busy")
    assert caught.value.status == 503
    with pytest.raises(ModelNotFoundError, match="me/original has no GGUF file, only a tokeniz"):
        Tokenizer.from_gguf("hf:me/original")


def snapshot(cache: Path, repo: str = "me/model") -> Path:
    folder = cache / f"models--{repo.replace('/', '--')}"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text(hub.COMMIT)
    (folder / "snapshots" / hub.COMMIT).mkdir(parents=True)
    return folder / "snapshots" / hub.COMMIT


@SERVERS
def test_the_cache_saves_a_request(
    endpoint: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    shutil.copy(vocab_path("test"), snapshot(tmp_path / "hub") / "m-Q4_K_M.gguf")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    assert Tokenizer.from_gguf("hf:me/model").type == "TEST"
    assert hub.Handler.asked == ["/api/models/me/model/revision/main"]


@SERVERS
def test_the_cache_without_a_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://localhost:1")
    with pytest.raises(RemoteError, match="there is no such server"):
        Tokenizer.from_gguf("hf:me/model")
    folder = snapshot(tmp_path)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    (folder / "Q8").mkdir()
    shutil.copy(vocab_path("test"), folder / "Q8" / "m-Q8_0.gguf")
    assert Tokenizer.from_gguf("hf:me/model").type == "TEST"
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert Tokenizer.from_gguf("hf:me/model").type == "TEST"
    with pytest.raises(ModelNotFoundError, match="me/other is not in the cache"):
        Tokenizer.from_gguf("hf:me/other")
    with pytest.raises(ModelNotFoundError, match=r"x\.gguf is not in the cache"):
        Tokenizer.from_gguf("http://localhost:1/me/model/blob/main/x.gguf")


# -- Ollama -------------------------------------------------------------------------------

DIGEST = "sha256:" + "0a" * 32


def in_ollama(models: Path, name: str, layers: Any, vocab: str = "test") -> None:
    manifest = models / "manifests" / name
    manifest.parent.mkdir(parents=True, exist_ok=True)
    manifest.write_text(json.dumps({"layers": layers}))
    (models / "blobs").mkdir(exist_ok=True)
    shutil.copy(vocab_path(vocab), models / "blobs" / DIGEST.replace(":", "-"))


def layer(digest: str, kind: str = "model") -> dict[str, str]:
    return {"mediaType": f"application/vnd.ollama.image.{kind}", "digest": digest}


def test_a_model_of_ollama(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    models = home / ".ollama" / "models"
    in_ollama(
        models, "host.example/library/llama3.2/latest", [layer("x", "template"), layer(DIGEST)]
    )
    in_ollama(models, "host.example/me/own/1b", [layer(DIGEST)])
    for name in ("llama3.2", "llama3.2:latest", "library/llama3.2", "host.example/me/own:1b"):
        assert Tokenizer.from_gguf(f"ollama:{name}").type == "TEST"
    monkeypatch.setenv("OLLAMA_MODELS", str(home / "elsewhere"))
    with pytest.raises(ModelNotFoundError, match=r"Ollama has no model 'llama3.2' in .*elsewhere"):
        Tokenizer.from_gguf("ollama:llama3.2")


@pytest.mark.parametrize(
    "layers",
    [
        [],
        5,
        [{}],
        [layer("sha256:../../../etc/passwd")],
        [layer("sha256:" + "0b" * 32)],
        [layer("x", "projector")],
    ],
)
def test_a_manifest_without_a_model(home: Path, layers: Any) -> None:
    in_ollama(home / ".ollama" / "models", "host.example/library/m/latest", layers)
    with pytest.raises(ModelNotFoundError, match="OLLAMA_MODELS"):
        Tokenizer.from_gguf("ollama:m")


@pytest.mark.parametrize("name", ["", "..", "../m", "a/b/c/d", "m:", "*", "a b"])
def test_what_is_not_a_name_in_ollama(name: str) -> None:
    with pytest.raises(ModelNotFoundError, match="Write ollama:model"):
        Tokenizer.from_gguf(f"ollama:{name}")


# -- what is on this machine --------------------------------------------------------------


def fill(home: Path) -> None:
    cached = snapshot(home / ".cache" / "huggingface" / "hub")
    shutil.copy(vocab_path("test"), cached / "m-00001-of-00002.gguf")
    shutil.copy(vocab_path("test"), cached / "m-00002-of-00002.gguf")
    studio = home / ".lmstudio" / "models" / "me"
    studio.mkdir(parents=True)
    shutil.copy(vocab_path("spm-dup"), studio / "dup.gguf")
    (studio / "cut.gguf").write_bytes(b"GGUF")
    (studio / "folder.gguf").mkdir()
    old = write([Entry("general.architecture", STRING, "llama")], version=1)
    (studio / "old.gguf").write_bytes(old)
    models = home / ".ollama" / "models"
    in_ollama(models, "host.example/library/llama3.2/1b", [layer(DIGEST)])
    in_ollama(models, "host.example/me/own/1b", [layer(DIGEST)])
    in_ollama(models, "host.example/me/gone/1b", [])


def test_models_of_this_machine(home: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    fill(home)
    assert main(["models", "--json"]) == 0
    rows = json.loads(capsysbinary.readouterr().out)
    found = [
        (r["store"], Path(r["model"]).name, r["type"], r["tokens"], len(r["problems"]))
        for r in rows
    ]
    assert found == [
        ("Hugging Face", "m-00001-of-00002.gguf", "TEST", 1000, 0),
        ("LM Studio", "cut.gguf", None, None, 1),
        ("LM Studio", "dup.gguf", "SPM", 600, 1),
        ("LM Studio", "old.gguf", "BYTE", 256, 2),
        ("Ollama", "ollama:llama3.2:1b", "TEST", 1000, 0),
    ]
    assert main(["models"]) == 0
    lines = capsysbinary.readouterr().out.decode().splitlines()
    assert [" ".join(line.split()[1:]) for line in lines if "m-0" in line] == [
        "Hugging Face TEST 1,000 no problems"
    ]
    assert "error gguf-truncated" in lines[2]
    assert lines[3].endswith("error duplicate-tokens")
    assert lines[4].endswith("error no-tokens and 1 more")
    assert main(["models", "--format", "csv"]) == 0
    assert capsysbinary.readouterr().out.startswith(b"model,store,type,pre,tokens,verdict\n")


def test_a_machine_without_models(
    monkeypatch: pytest.MonkeyPatch, home: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setenv("OLLAMA_MODELS", str(home))  # not those of a service on this machine
    assert main(["models"]) == 0
    assert capsysbinary.readouterr().out.startswith(b"No GGUF files in the folders of Hugging Face")


@pytest.mark.parametrize(
    ("platform", "folder"),
    [("linux", ".cache"), ("darwin", "Library/Caches"), ("win32", ".cache")],
)
def test_the_folder_of_llama_cpp(
    monkeypatch: pytest.MonkeyPatch, home: Path, platform: str, folder: str
) -> None:
    (home / folder / "llama.cpp").mkdir(parents=True)
    shutil.copy(vocab_path("test"), home / folder / "llama.cpp" / "x.gguf")
    monkeypatch.setenv("OLLAMA_MODELS", str(home))
    monkeypatch.setattr(sys, "platform", platform)
    assert [model.store for model in stored()] == ["llama.cpp"]


def test_llama_cpp_in_a_named_folder(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    shutil.copy(vocab_path("test"), snapshot(home / "llama") / "x.gguf")
    monkeypatch.setenv("LLAMA_CACHE", str(home / "llama"))
    monkeypatch.setenv("OLLAMA_MODELS", str(home))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert [model.store for model in stored()] == ["llama.cpp"]
    assert Tokenizer.from_gguf("hf:me/model").type == "TEST"
