import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { setDefaultAutoSelectFamilyAttemptTimeout } from "node:net";
import { after, before, test } from "node:test";
import { RemoteFile } from "../../web/engine/remote.js";
import { readHead } from "../../web/engine/source.js";

const cases = JSON.parse(readFileSync(new URL("../data/addresses.json", import.meta.url), "utf8"));
const python = process.env.PYTHON ?? (process.platform === "win32" ? "python" : "python3");
setDefaultAutoSelectFamilyAttemptTimeout(10_000); // on a busy machine 250 ms are too few to connect
let server;
let site;
let header;

before(async () => {
  const cwd = new URL("../..", import.meta.url);
  server = spawn(python, ["-m", "tests.addresses"], { cwd, stdio: ["pipe", "pipe", "inherit"] });
  const [port] = await server.stdout.take(1).toArray();
  site = `localhost:${String(port).trim()}`;
  header = Buffer.from(await (await fetch(`http://${site}/file`)).arrayBuffer());
  Object.defineProperty(globalThis, "navigator", { value: { onLine: true }, configurable: true });
});

after(() => server.kill());

/** What bridge.py answers for a header that ends at `need`. */
const loader = (need) => async (head, complete) => {
  if (head.byteLength >= need) return { head };
  if (complete) throw new Error("The file ends inside its header");
  return { need };
};

for (const [number, { name, answer, drip, path = "model.gguf", user = "", need, sent }] of cases.entries()) {
  test(`an address: ${name}`, async () => {
    const url = new URL(`http://${user}${site}/${number}/${path}`);
    const reply = readHead(new RemoteFile(url, drip ? 1000 : 30_000), loader(need ?? header.length));
    if (answer !== "loads") return assert.rejects(reply, { message: new RegExp(answer) });
    const { head } = await reply;
    assert.ok(Buffer.from(head).subarray(0, header.length).equals(header));
    const asked = await (await fetch(`http://${site}/sent/${number}`)).json();
    assert.ok(asked.every((part) => part === (sent ?? "model.gguf")));
  });
}
