// The lesson's pictures, drawn from the traces in tests/data/traces.json (test_trace_samples.py).

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { difference } from "../../web/views/explain/difference.js";
import { search } from "../../web/views/explain/lattice.js";
import { lessonOf } from "../../web/views/explain/lesson.js";
import { escapedBytes, labelOf, ruleLabel, scoreLabel } from "../../web/views/explain/reading.js";
import { sideBySide, textWidth } from "../../web/views/explain/scene.js";
import { grow } from "../../web/views/explain/tree.js";
import { rowsOf } from "../../web/views/explain/window.js";
import { wordAt } from "../../web/views/explain/word.js";

const SAMPLES = JSON.parse(readFileSync(new URL("../data/traces.json", import.meta.url), "utf8"));
const NAMES = { "gpt-2": "GPT-2", "mistral-v1": "Mistral", t5: "T5", "bert-bge": "BGE", rwkv: "RWKV" };

function sample(name, text) {
  return SAMPLES.find((one) => one.name === name && one.text === text);
}

function lesson(name, text) {
  const { trace, pieces, unknown } = sample(name, text);
  return lessonOf(trace, (id) => Uint8Array.from(Buffer.from(pieces[id], "hex")), unknown ?? undefined);
}

const side = (name, text) => ({ name: NAMES[name], lesson: lesson(name, text) });
const seen = (scene, step) => scene.shapes.filter(({ from, until }) => from <= step && step < until);
const texts = (shapes, look) =>
  shapes.filter((one) => one.text && one.look.includes(look)).map(({ text }) => text);
const last = ({ steps }) => steps.length - 1;
const isLone = (text) => /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(text);

for (const { name, text } of SAMPLES) {
  test(`${name} on ${JSON.stringify(text)}: a picture that ends in the ids, with no text that cannot be shown`, () => {
    const { scene, tokens } = lesson(name, text);
    assert.deepEqual(
      tokens.map(({ id }) => id),
      sample(name, text).trace.ids,
    );
    assert.ok(scene.shapes.length > 0, "an empty stage");
    assert.ok(seen(scene, last(scene)).length > 0);
    for (const one of scene.shapes) {
      assert.ok(!isLone(one.text) && !isLone(one.title), one.text);
      assert.ok(one.until > one.from && one.from <= last(scene), JSON.stringify(one));
      for (const value of Object.values(one.at))
        assert.ok(!/NaN|undefined|Infinity/.test(String(value)), JSON.stringify(one));
    }
    for (const step of scene.steps) assert.ok(step.says && step.what && !isLone(step.says + step.what));
  });

  test(`${name} on ${JSON.stringify(text)}: every shape is inside the picture`, () => {
    const { scene } = lesson(name, text);
    for (const { tag, at } of scene.shapes) {
      const [x, y] = [Number(at.x ?? at.cx ?? 0), Number(at.y ?? at.cy ?? 0)];
      const [width, height] = tag === "rect" ? [Number(at.width), Number(at.height)] : [0, 0];
      assert.ok(x >= 0 && x + width <= scene.width + 1, `${tag} ${JSON.stringify(at)} of ${scene.width}`);
      assert.ok(y >= 0 && y + height <= scene.height + 1, `${tag} ${JSON.stringify(at)} of ${scene.height}`);
    }
  });
}

test("merge tree: the lowest rank is lit, and is the bracket of the next step", () => {
  const { scene } = lesson("gpt-2", " unbelievable");
  for (let step = 0; step < last(scene); step++) {
    const shown = seen(scene, step).filter(({ look, text }) => text && look.includes("candidate"));
    const lit = shown.filter((one) => one.lit === step);
    assert.equal(lit.length, 1);
    const rank = (text) => Number(text.replace(/[#,]/g, ""));
    const ranks = shown.filter(({ look }) => !look.includes("none")).map(({ text }) => rank(text));
    assert.equal(rank(lit[0].text), Math.min(...ranks));
    const made = seen(scene, step + 1).filter((one) => one.from === step + 1 && one.look.includes("rule"));
    assert.deepEqual(
      made.map(({ text }) => text),
      [lit[0].text],
    );
  }
  assert.deepEqual(texts(seen(scene, last(scene)), "candidate"), []);
});

test("merge tree: neighbors without a rule say so, and end it", () => {
  const { scene } = lesson("mistral-v1", "unbelievable");
  assert.deepEqual(texts(seen(scene, last(scene)), "candidate none"), ["no rule", "no rule", "no rule"]);
  assert.match(scene.steps[9].says, /4 tokens remain/);
});

test("merge tree: pills of one moment do not lie upon each other", () => {
  const { scene } = lesson("gpt-2", " unbelievable");
  for (let step = 0; step <= last(scene); step++) {
    const pills = seen(scene, step).filter(({ tag, look }) => tag === "rect" && look.includes("pill"));
    for (const [i, { at: a }] of pills.entries()) {
      for (const { at: b } of pills.slice(0, i)) {
        const apart = a.x + a.width <= b.x || b.x + b.width <= a.x || Math.abs(a.y - b.y) >= 16;
        assert.ok(apart, `step ${step}: ${JSON.stringify([a, b])}`);
      }
    }
  }
});

test("merge tree: characters stand above their bytes, a space is a dot", () => {
  const { scene } = lesson("gpt-2", "你好");
  const words = scene.shapes.filter(({ text, from }) => text && from === 0);
  const row = (text) => words.find((one) => one.text === text)?.at.y;
  assert.ok(row("你") < row("E4") && row("E4") === row("A0"));
  assert.ok(!scene.shapes.some(({ text }) => /[Ġä½]/.test(text)));
  const spaced = lesson("gpt-2", " unbelievable").scene.shapes.find(({ text }) => text === "·u");
  assert.match(spaced.title, /Ġu/);
});

test("merge tree: a character without a token falls to its bytes", () => {
  const { scene, tokens } = lesson("mistral-v1", "a𓀀");
  assert.deepEqual(
    texts(seen(scene, last(scene)), "").filter((text) => /^[0-9A-F]{2}$/.test(text)),
    ["F0", "93", "80", "80"],
  );
  assert.match(scene.steps.at(-1).says, /no token for “𓀀”, so it becomes its UTF-8 bytes: F0 93 80 80/);
  assert.equal(tokens.length, 5);
});

test("merge tree: a word of the vocabulary needs no merge", () => {
  const word = { ...PLAIN, text: "ab", ids: [2], symbols: ["a", "b"], note: "whole-word" };
  const { scene } = lessonOf(traceOf("BPE", [word]), () => Uint8Array.of(97, 98));
  assert.deepEqual(texts(seen(scene, 0), "leaf").length, 0);
  assert.deepEqual(texts(seen(scene, 1), "rule"), ["whole word"]);
  assert.match(scene.steps[1].says, /entire word is in the vocabulary/);
  assert.deepEqual(texts(scene.shapes, "candidate"), []);
});

const PLAIN = { symbols: [], steps: [], best: null, runner_up: null, pairs: [], arcs: [], note: "" };
const traceOf = (type, words, note = "") => ({
  ...{ type, before: [], after: [], note, complete: !note, ids: words.flatMap(({ ids }) => ids) },
  fragments: [{ start: 0, end: 1, token: null, prefix: "", words }],
});

test("a tree knows when neighbors meet, merge and part", () => {
  const pair = (left, right, rank) => ({ left, right, rank, score: null });
  const steps = [
    { kind: "merge", position: 1, left: "b", right: "c", text: "bc", id: 3, rank: 5, score: null },
  ];
  const word = {
    ...PLAIN,
    text: "abc",
    ids: [1, 3],
    symbols: ["a", "b", "c"],
    steps,
    pairs: [pair("b", "c", 5)],
  };
  const { candidates, now } = grow(word);
  const told = candidates.map(({ left, right, from, until, lit, rule }) => [
    left.text + right.text,
    from,
    until,
    lit,
    rule?.rank,
  ]);
  assert.deepEqual(told, [
    ["ab", 0, 1, -1, undefined],
    ["bc", 0, 1, 0, 5],
    ["abc", 1, Infinity, -1, undefined],
  ]);
  assert.deepEqual(
    now.map(({ text }) => text),
    ["a", "bc"],
  );
});

test("special tokens have their text, and are cut out first", () => {
  const { tokens, scene } = lesson("gpt-2", "Hi<|endoftext|>");
  assert.deepEqual(tokens.at(-1), {
    id: 50256,
    label: "<|endoftext|>",
    tint: tokens.at(-1).tint,
    special: true,
  });
  assert.ok(scene.shapes.some(({ text, look }) => text === "<|endoftext|>" && look === ""));
});

test("Unigram ends on the winner: best path bold, runner-up dashed", () => {
  const { scene, legend } = lesson("t5", "tokenization");
  const end = seen(scene, last(scene));
  const arcs = (look) => end.filter((one) => one.look === `arc ${look}`).map(({ title }) => title);
  assert.deepEqual(arcs("best"), ["·token −12.08", "ization −9.97"]);
  assert.deepEqual(arcs("runner-up"), ["·to −4.45", "ken −10.24"]);
  assert.match(
    scene.steps.at(-1).says,
    /^The best path is ·token \+ ization: total score −22.05. The runner-up, ·to \+ ken/,
  );
  assert.deepEqual(
    legend.map(({ text }) => text.split(";")[0]),
    ["Best path: −22.05", "Runner-up: −24.67", "Other candidates"],
  );
});

test("a lattice's search finds the path that Python found", () => {
  for (const { name, trace } of SAMPLES.filter(({ name }) => name === "t5")) {
    for (const { arcs, best, text } of trace.fragments[0].words) {
      const end = new TextEncoder().encode(text).length;
      assert.ok(Math.abs(search(arcs, end, 1).best.get(end).sum - best.score) < 1e-9, name);
    }
  }
  const arc = (start, end, score) => ({ start, end, ids: [1], score });
  const costs = [arc(1, 2, 5), arc(0, 1, 7), arc(0, 2, 11), arc(0, 2, null)]; // PLaMo: from the end
  assert.deepEqual(search(costs, 2, -1).best.get(0), { sum: 11, arc: costs[2] });
  assert.deepEqual(search(costs, 2, -1).nodes, [2, 1, 0]);
});

test("WordPiece: the window shrinks from the right, one look-up a step", () => {
  const { scene, effort } = lesson("bert-bge", "Tokenization");
  const widths = scene.shapes.filter(({ look }) => look === "window").map(({ at }) => at.width);
  assert.equal(widths.length, 7);
  assert.deepEqual(
    widths,
    [...widths].sort((a, b) => b - a),
  );
  assert.equal(effort, "9 lookups");
  assert.deepEqual(
    scene.steps.slice(-2).map(({ what }) => what),
    ["·token", "ization"],
  );
});

test("WordPiece: a word without tokens is drawn, and becomes the unknown token", () => {
  const { scene, tokens } = lesson("bert-bge", "你");
  assert.deepEqual(texts(scene.shapes, "character"), ["·", "你"]);
  assert.deepEqual(
    tokens.map(({ label }) => label),
    ["[UNK]"],
  );
  assert.match(
    scene.steps.at(-1).says,
    /No token starts “·你”, so the entire word becomes the unknown token \(100\)/,
  );
});

test("of many windows some are left out", () => {
  assert.equal(rowsOf(12, 3).length, 12);
  const rows = rowsOf(40, 3);
  assert.equal(rows.length, 12);
  assert.deepEqual(rows[0], { size: 43, skipped: 0 });
  assert.deepEqual(rows.at(-1), { size: 4, skipped: 0 });
  assert.equal(
    rows.reduce((sum, { skipped }) => sum + (skipped || 1), 0),
    40,
  );
});

test("RWKV: bytes of an emoji in hex; accepting nodes are ringed; the walk shows where it stops", () => {
  const { scene, tokens } = lesson("rwkv", "🙂");
  assert.deepEqual(texts(scene.shapes, "byte"), ["F0", "9F", "99", "82"]);
  assert.deepEqual(
    tokens.map(({ label }) => label),
    ["F0 9F", "99 82"],
  );
  const { steps } = sample("rwkv", "🙂").trace.fragments[0].words[0];
  const rings = scene.shapes.filter(({ look }) => look === "ring");
  assert.equal(
    rings.length,
    steps.reduce((sum, { shorter }) => sum + 1 + shorter.length, 0),
  );
  const dots = scene.shapes.filter(({ look }) => look === "dot further");
  assert.equal(
    dots.length,
    steps.reduce((sum, { tried }) => sum + tried, 0),
  );
});

test("long texts: a picture of the first words, and what is not shown is said", () => {
  const word = (length) => ({
    ...PLAIN,
    text: "x".repeat(length),
    ids: [1],
    symbols: [..."x".repeat(length)],
  });
  const piece = () => Uint8Array.of(120);
  const many = lessonOf(traceOf("BPE", [word(50), word(50), word(50)]), piece);
  assert.match(many.limits[0], /first 2 words of 3/);
  assert.equal(many.tokens.length, 3);
  const long = lessonOf(traceOf("BPE", [word(500)], "only the first 400 words are explained"), piece);
  assert.equal(long.scene.shapes.length, 0);
  assert.match(long.limits.join(" "), /too long to draw.*Only the first 400 words/);
  assert.equal(lessonOf(traceOf("BPE", []), piece).scene.steps.length, 0);
});

const WHY = [
  [
    "gpt-2",
    " unbelievable",
    "mistral-v1",
    "unbelievable",
    "Both build “·un” and “bel”. GPT-2 joins them into “·unbel” (merge #17,235); Mistral’s vocabulary has no “·unbel”, so it stops.",
  ],
  [
    "mistral-v1",
    "1234567",
    "gpt-2",
    "1234567",
    "Both build “1” and “2”. GPT-2 joins them into “12” (merge #809); Mistral’s vocabulary has no “12”, so it stops.",
  ],
  [
    "gpt-2",
    "你好",
    "mistral-v1",
    "你好",
    "GPT-2 starts from bytes and has no rule that joins “E4 BD” and “A0”, so it stops inside “你”. Mistral starts from characters, and this one is in its vocabulary.",
  ],
  [
    "gpt-2",
    "a𓀀",
    "mistral-v1",
    "a𓀀",
    "Mistral starts from characters and has no token for “𓀀”, so it falls back to 4 byte tokens. GPT-2 starts from bytes and merges what its rules join: 5 tokens in all.",
  ],
  [
    "gpt-2",
    "你好",
    "t5",
    "你好",
    "T5 has no token for “你好”, so it becomes the unknown token. GPT-2 reaches 4 tokens.",
  ],
  [
    "gpt-2",
    "你好",
    "bert-bge",
    "你",
    "They do not split the same text: GPT-2 reads “你好”, BGE reads “你”, because each normalizes its input first.",
  ],
  [
    "t5",
    "tokenization",
    "bert-bge",
    "Tokenization",
    "Both split the text into the same 2 pieces. Only the IDs differ, because each vocabulary numbers its own tokens.",
  ],
];

for (const [first, text, second, other, says] of WHY) {
  test(`why ${first} and ${second} differ on ${text}`, () => {
    assert.ok(
      difference(side(first, text), side(second, other)).startsWith(says),
      difference(side(first, text), side(second, other)),
    );
  });
}

test("texts of a trace as bytes and labels", () => {
  assert.deepEqual([...escapedBytes("\udcf0\udc9f🙂é")], [0xf0, 0x9f, ...Buffer.from("🙂é")]);
  assert.equal(labelOf(Uint8Array.of(0xe4, 0xbd)), "E4 BD");
  assert.equal(labelOf(Buffer.from(" a\n")), "·a↵");
  assert.equal(labelOf(Buffer.from("x".repeat(100))).length, 25);
  assert.deepEqual(
    [scoreLabel(-32), scoreLabel(-12.0833), scoreLabel(null), scoreLabel(10_000_000)],
    ["−32", "−12.08", "−∞", "10,000,000"],
  );
  assert.equal(ruleLabel({ rank: 17235, score: null }), "#17,235");
});

test("scenes side by side: moved in place and in time", () => {
  const shape = {
    tag: "path",
    at: { d: "M0 5 V7 H3 C1 2 3 4 5 6" },
    look: "",
    text: "",
    title: "",
    from: 1,
    until: Infinity,
    lit: 0,
  };
  const scene = { width: 10, height: 20, shapes: [shape], steps: [{}, {}, {}] };
  const both = sideBySide([scene, { ...scene, height: 30 }], 5, "bottom");
  assert.deepEqual([both.width, both.height, both.steps.length], [25, 30, 5]);
  assert.equal(both.shapes[0].at.d, "M0 15V17H3C1 12 3 14 5 16");
  assert.equal(both.shapes[1].at.d, "M15 5V7H18C16 2 18 4 20 6");
  assert.deepEqual([both.shapes[1].from, both.shapes[1].lit], [3, 2]);
});

test("wide characters are wide, marks have no width", () => {
  assert.equal(textWidth("e\u0301"), textWidth("e"));
  assert.ok(textWidth("你") > 2 * textWidth("a"));
});

test("the word around a token", () => {
  const text = "one unbelievable, 你\n x";
  assert.deepEqual(wordAt(text, { start: 6, end: 9 }), { word: "unbelievable,", space: true });
  assert.deepEqual(wordAt(text, { start: 3, end: 6 }), { word: "unbelievable,", space: true });
  assert.deepEqual(wordAt(text, { start: 0, end: 3 }), { word: "one", space: false });
  assert.deepEqual(wordAt(text, { start: 19, end: 20 }), { word: "\n", space: false });
  const long = wordAt(`${"🙂".repeat(99)}`, { start: 91, end: 93 }).word;
  assert.ok(long.length > 60 && !isLone(long));
});

test("why they differ on a word that needs no merge, and on a special token", () => {
  const word = { ...PLAIN, text: "Hi", ids: [2], symbols: ["H", "i"], note: "whole-word" };
  const entire = { name: "Llama", lesson: lessonOf(traceOf("BPE", [word]), () => Buffer.from("Hi")) };
  const apart = { ...PLAIN, text: "Hi", ids: [0, 1], symbols: ["H", "i"] };
  const two = { name: "Mistral", lesson: lessonOf(traceOf("SPM", [apart]), () => Buffer.from("H")) };
  assert.match(difference(two, entire), /^Llama has all of “Hi” in its vocabulary .* ends with 2 tokens.$/);
  const special = side("gpt-2", "Hi<|endoftext|>");
  assert.match(difference(two, special), /^GPT-2 reads “<\|endoftext\|>” as one special token; to Mistral/);
});
