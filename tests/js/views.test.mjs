import assert from "node:assert/strict";
import { test } from "node:test";
import { differing } from "../../web/tokens/boundaries.js";
import { FORMATS } from "../../web/tokens/formats.js";
import { characterOffsets, codePoints } from "../../web/tokens/positions.js";

const bytes = (...values) => Uint8Array.from(values);

test("positions are in code points; a lone surrogate is one", () => {
  assert.equal(codePoints("a🙂\ud800b"), 4);
  const columns = { starts: [0, 1, 1, 3, 4], ends: [1, 3, 3, 4, 5] };
  const want = [
    [0, 1],
    [1, 2],
    [1, 2],
    [2, 3],
    [3, 4],
  ];
  assert.deepEqual(characterOffsets("a🙂\ud800b", columns), want);
});

test("cuts that not all models make", () => {
  const a = { starts: [0, 2, 2, 4], ends: [2, 4, 4, 6] }; // the middle two share a character
  const b = { starts: [0, 0, 3], ends: [0, 3, 6] }; // the first is added
  const differs = differing(6, [a, b]);
  assert.deepEqual([0, 1, 2, 3, 4, 5, 6].filter(differs), [2, 3, 4]);
});

test("formats quote what they must", () => {
  const all = {
    ids: [1, 2],
    pieces: [bytes(34, 10), bytes(0xe5)],
    offsets: [
      [0, 2],
      [2, 3],
    ],
    text: 'it\'s "好"',
    addSpecial: false,
    parseSpecial: true,
    file: "my model.gguf",
    pre: "qwen2",
  };
  assert.equal(FORMATS.csv.write(all), 'id,piece,start,end\r\n1,"""\n",0,2\r\n2,0xe5,2,3');
  assert.deepEqual(JSON.parse(FORMATS.json.write(all))[1], { id: 2, piece: [0xe5], start: 2, end: 3 });
  const cli = `llama-tokenize -m 'my model.gguf' --ids --no-bos --no-escape -p 'it'\\''s "好"'`;
  assert.equal(FORMATS.cli.write(all), cli);
  assert.ok(FORMATS.python.write(all).includes('pre="qwen2"'));
});
