import assert from "node:assert/strict";
import { test } from "node:test";
import { countBlob } from "../../web/engine/countblob.js";
import { fileAddress } from "../../web/engine/remote.js";

test("a Hugging Face page about a file means the file", () => {
  const page = new URL("https://huggingface.co/a/b/blob/main/c/d.gguf");
  assert.equal(String(fileAddress(page)), "https://huggingface.co/a/b/resolve/main/c/d.gguf");
  const part = new URL("https://huggingface.co/a/b/blob/main/d-00002-of-00003.gguf");
  assert.match(String(fileAddress(part)), /resolve\/main\/d-00001-of-00003\.gguf$/);
});

test("the worker drops the counter of a file that cannot be read", async () => {
  const calls = [];
  const call = async (method, params) => {
    calls.push([method, params.counter]);
    return 7;
  };
  const arrayBuffer = () => Promise.reject(new Error("gone"));
  const broken = { size: 1, slice: () => ({ arrayBuffer }) };
  await assert.rejects(countBlob(call, broken, {}), { code: "file" });
  assert.deepEqual(calls, [
    ["count_begin", undefined],
    ["count_drop", 7],
  ]);
});
