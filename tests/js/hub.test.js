import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { setDefaultAutoSelectFamilyAttemptTimeout } from "node:net";
import { after, before, test } from "node:test";
import { choose, hubFiles, hubName } from "../../web/shell/hub.js";

const table = JSON.parse(readFileSync(new URL("../data/hub.json", import.meta.url), "utf8"));
const python = process.env.PYTHON ?? (process.platform === "win32" ? "python" : "python3");
setDefaultAutoSelectFamilyAttemptTimeout(10_000); // on a busy machine 250 ms are too few to connect
let server;
let endpoint;

before(async () => {
  const cwd = new URL("../..", import.meta.url);
  server = spawn(python, ["-m", "tests.hub"], { cwd, stdio: ["pipe", "pipe", "inherit"] });
  const [port] = await server.stdout.take(1).toArray();
  endpoint = `http://localhost:${String(port).trim()}`;
});

after(() => server.kill());

for (const { typed, repo, quant = "", revision = "main", path = "" } of table.names) {
  test(`a name on the Hub: ${typed}`, () => {
    assert.deepEqual(hubName(typed), repo && { repo, quant, revision, path });
  });
}

for (const { files, quant = "", choice, says } of table.choices) {
  test(`the file that llama.cpp chooses: ${says ?? choice}`, () => {
    const chosen = () => choose(files, { repo: "a/b", quant });
    if (choice) assert.equal(chosen(), choice);
    else assert.throws(chosen, (error) => error.message.includes(says));
  });
}

test("in the page the prefix may be left out", () => {
  assert.equal(hubName("Qwen/Qwen3-8B-GGUF").repo, "Qwen/Qwen3-8B-GGUF");
  assert.equal(hubName("Qwen/Qwen3-8B-GGUF:Q8_0").quant, "Q8_0");
  for (const typed of ["a", "a/b/c", "./a/b", "./a", "../a"]) assert.equal(hubName(typed), null, typed);
});

test("the files of a model, the default first, or the one of a quant", async () => {
  const names = async (typed) => (await hubFiles(hubName(typed), endpoint)).map(({ name }) => name);
  const split = "m-Q8_0-00001-of-00002.gguf";
  assert.deepEqual(await names("me/model"), ["m-Q4_K_M.gguf", split]);
  assert.deepEqual(await names("me/model:Q8_0"), [split]);
  const [{ url }] = await hubFiles(hubName("me/model"), endpoint);
  const header = await fetch(url, { headers: { Range: "bytes=0-3" } });
  assert.equal(await header.text(), "GGUF");
});

test("a model that cannot be opened is explained", async () => {
  const files = (typed, at = endpoint) => hubFiles(hubName(typed), at);
  await assert.rejects(files("me/original"), /no GGUF file, only a tokenizer\.json/);
  await assert.rejects(files("me/none"), /status 401/);
  await assert.rejects(files("me/page"), /no GGUF file\. /);
  await assert.rejects(files("me/model", "http://localhost:1"), /does not answer/);
});
