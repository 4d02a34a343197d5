import assert from "node:assert/strict";
import { test } from "node:test";
import { fragment, isTrue, readAddress } from "../../web/shell/address.js";
import { agreeing, plainTokens } from "../../web/tokens/boundaries.js";
import { specialIn } from "../../web/tokens/specials.js";
import { sharesOf } from "../../web/views/chat/shares.js";
import { parameterOf, specOf } from "../../web/views/compare/specs.js";
import { sniff, sorted } from "../../web/views/files/sniff.js";
import { parseIds } from "../../web/views/vocabulary/ids.js";
import { matchIn } from "../../web/views/vocabulary/match.js";

test("ids as logs and code print them", () => {
  const same = [
    "[15496, 995]",
    "15496 995",
    "array([15496,   995], dtype=int32)",
    "tensor([15496, 995])",
    "tensor([[15496, 995]], device='cuda:0')",
    "Int32Array(2) [15496, 995]",
    " 15496 -> 'Hello'\n   995 -> ' world'",
    "[ 'Hello':15496, ' world':995 ]",
  ];
  for (const text of same) assert.deepEqual(parseIds(text), { ids: [15496, 995] }, text);
  assert.deepEqual(parseIds(""), { ids: [] });
});

test("what is not an id is named", () => {
  const words = { "1 0x3C88": "0x3C88", "15496.0": "15496.0", "1, dtype=int32": "dtype=int32", "-1": "-1" };
  for (const [text, word] of Object.entries(words)) assert.deepEqual(parseIds(text), { word }, text);
});

test("binary files are told by their first bytes, UTF-16 by its BOM", () => {
  const of = (...bytes) => sniff(Uint8Array.from(bytes));
  assert.deepEqual(of(0x89, 0x50, 0x4e, 0x47), { binary: "a PNG image" });
  assert.deepEqual(of(0x41, 0, 0x42), { binary: "a binary file" });
  assert.deepEqual(of(0xff, 0xfe, 0x41, 0), { encoding: "utf-16le" });
  assert.deepEqual(of(0xfe, 0xff, 0, 0x41), { encoding: "utf-16be" });
  assert.deepEqual(of(0x63, 0xe9), { encoding: "utf-8" });
});

test("rows without a value come last in both directions", () => {
  const rows = [{ n: 2 }, {}, { n: 1 }];
  const order = (descending) => sorted(rows, ({ n }) => n, descending).map(({ n }) => n);
  assert.deepEqual(order(false), [1, 2, undefined]);
  assert.deepEqual(order(true), [2, 1, undefined]);
});

test("a link says what the page shows, and an address that does not is known", () => {
  const switches = { addSpecial: true, parseSpecial: false };
  const page = { view: "see", text: "a b&c", source: { key: "t5", builtin: true }, pre: "qwen2", switches };
  const asked = readAddress(fragment({ ...page, more: { column: ["a", "b"] } }));
  assert.deepEqual([asked.view, asked.text, asked.model, asked.pre], ["see", "a b&c", "t5", "qwen2"]);
  assert.deepEqual(asked.more.getAll("column"), ["a", "b"]);
  assert.ok(isTrue(asked, page));
  assert.ok(!isTrue(asked, { ...page, text: "a" }));
  assert.ok(!isTrue(asked, { ...page, pre: null }));
  assert.ok(!isTrue(asked, { ...page, source: { key: "url u", url: "u" } }));
  assert.ok(!isTrue(asked, { ...page, switches: { ...switches, parseSpecial: true } }));
});

test("a link names a local file", () => {
  const source = { key: "file a.gguf 1 2", name: "a.gguf" };
  const link = fragment({ view: "see", text: "", source, switches: {} });
  assert.equal(readAddress(link).file, "a.gguf");
});

test("columns in a link", () => {
  const specs = [
    { key: "gpt-2", name: "gpt-2", builtin: true, pre: null },
    { key: "url https://a/b.gguf", name: "b.gguf", url: "https://a/b.gguf", pre: "qwen2" },
    { key: "file m 1 2", name: "my model.gguf", pre: null },
  ];
  const back = specs.map((spec) => specOf(parameterOf(spec)));
  assert.deepEqual(
    back.map(({ name, url, pre }) => [name ?? url, pre]),
    [
      ["gpt-2", null],
      ["https://a/b.gguf", "qwen2"],
      ["my model.gguf", null],
    ],
  );
});

test("spans that all models have, and tokens that count in a comparison", () => {
  const a = { starts: [0, 0, 2], ends: [0, 2, 4], attrs: [8, 4, 4] };
  const b = { starts: [0, 2, 3], ends: [2, 3, 4], attrs: [4, 4, 8] };
  const agrees = agreeing([a, b]);
  assert.ok(agrees(0, 2));
  assert.ok(!agrees(2, 4) && !agrees(2, 3));
  assert.deepEqual([plainTokens(a), plainTokens(b)], [2, 2]);
});

test("a special token in a text is found", () => {
  assert.equal(specialIn("a <|im_start|>user", {}), "<|im_start|>");
  assert.equal(specialIn("a </s> b", { 2: "</s>" }), "</s>");
  assert.equal(specialIn("a < b | c >", { 2: "</s>" }), "");
});

test("tokens of each message, the rest is the template's", () => {
  const text = "<u>hi<a>hi";
  const columns = { starts: [0, 3, 4, 5, 8], ends: [3, 4, 5, 8, 10] };
  const messages = [{ content: " hi " }, { content: "hi" }, { content: "not there" }];
  assert.deepEqual(sharesOf(text, columns, messages), [
    { message: 0, tokens: 2 },
    { message: 1, tokens: 1 },
    { message: null, tokens: 2 },
  ]);
});

test("the part of a token that fits a search", () => {
  assert.deepEqual(matchIn("Ġworld", " world", "contains"), { start: 0, end: 6 });
  assert.deepEqual(matchIn("anana", "ana", "ends"), { start: 2, end: 5 });
  assert.deepEqual(matchIn("abc123", "[0-9]+", "regex"), { start: 3, end: 6 });
  assert.equal(matchIn("abc", "(?P<a>b)", "regex"), null);
  assert.equal(matchIn("abc", "61", "bytes"), null);
});
