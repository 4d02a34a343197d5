import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { Template } from "@huggingface/jinja";
import { explained, notesOn, prepared, problemOf, rendered } from "../../web/engine/chat.js";

const DATA = new URL("../data/chats/", import.meta.url);
const json = (name) => JSON.parse(readFileSync(new URL(name, DATA), "utf8"));
const { chats, options } = json("chats.json");
const GIVEN = { add_generation_prompt: true, bos_token: "<s>", eos_token: "</s>", unk_token: "<unk>" };
const user = (content) => ({ role: "user", content });

/** A chat's text; null if the template rejects it or fails on it. */
function shown(source, messages, given = {}) {
  try {
    return rendered(Template, source, { ...GIVEN, messages, ...given });
  } catch {
    return null;
  }
}

// Chats on which the page differs from transformers, by template; on all others they are the same.
const LISTS = ["parts", "image", "image address"]; // a list is written as JSON, not as Python writes it
const UNDEFINED = ["no content", "called, no content", "called, null content"]; // what is undefined has no filters
const DIFFERENT = {
  "alternating.jinja": LISTS,
  "chatml.jinja": LISTS,
  "documents.jinja": LISTS,
  "generation.jinja": LISTS,
  "parts.jinja": [...UNDEFINED, "no role"],
  "reasoning.jinja": LISTS,
  "system-first.jinja": [...LISTS, ...UNDEFINED, "no role"],
  "tools-items.jinja": ["called", "called with text"], // "%s" | format(2026)
  "tools-json.jinja": LISTS,
};

for (const template of readdirSync(new URL("templates/", DATA))) {
  test(`${template} renders as in the package`, () => {
    const source = readFileSync(new URL(`templates/${template}`, DATA), "utf8");
    const cases = json("cases.json").filter((row) => row.template === template);
    const different = cases.filter(
      (row) => shown(source, chats[row.chat], options[row.options]) !== row.text,
    );
    assert.ok(cases.length > 20);
    assert.deepEqual(
      [...new Set(different.map(({ chat }) => chat))].sort(),
      (DIFFERENT[template] ?? []).sort(),
    );
  });
}

for (const { jinja, messages, python, page } of json("constructs.json")) {
  test(`${jinja} differs from Python as documented`, () => {
    assert.equal(shown(jinja, messages), page);
    assert.notEqual(page, python);
  });
}

test("messages are prepared as in the package", () => {
  const message = { role: "assistant", content: null, reasoning: "Hm", tool_calls: null };
  const given = { messages: [message] };
  assert.deepEqual(prepared(given), {
    tools: null,
    documents: null,
    messages: [{ thinking: "Hm", role: "assistant", reasoning: "Hm", reasoning_content: "Hm" }],
  });
  assert.deepEqual(given, { messages: [message] });
});

test("arguments are parsed only if the template fails on their text", () => {
  const call = (text) => [
    { role: "assistant", tool_calls: [{ function: { name: "f", arguments: text } }, null] },
  ];
  const each =
    "{% for k, v in messages[0].tool_calls[0].function.arguments | items %}{{ k }}={{ v }};{% endfor %}";
  const text = '{"a": 1}';
  assert.equal(shown(each, call(text)), "a=1;");
  assert.equal(shown("{{ messages[0].tool_calls[0].function.arguments }}", call(text)), text);
  for (const bad of ["{", "[1]", "null"]) assert.equal(shown(each, call(bad)), null);
  assert.throws(
    () => rendered(Template, `${each}{{ raise_exception('No') }}`, { messages: call(text) }),
    /items/,
  );
});

test("{% generation %} keeps its white space", () => {
  assert.equal(shown("a\n{% generation %}\nb\n{% endgeneration %}\nc", []), "a\nb\nc");
  assert.equal(shown("a {%- generation -%} b {%- endgeneration -%} c", []), "abc");
  assert.equal(
    shown("{% for x in [1, 2] %}{% generation %}{{ x }}{{ loop.last }}{% endgeneration %}{% endfor %}", []),
    "1false2true",
  );
});

test("lines may end in CR LF", () =>
  assert.equal(shown("{% if true %}\r\na\r\n{% endif %}\r\nb", []), "a\nb"));

test("what is no template", () => {
  assert.match(problemOf(" \n"), /is empty/);
  assert.match(problemOf("rwkv-world\n"), /only a name, “rwkv-world”/);
  assert.equal(problemOf("Say this."), "");
  const go = "{{ if .System }}{{ .System }}{{ end }}";
  assert.throws(() => rendered(Template, go, { messages: [] }), /Go template of Ollama/);
});

test("an error says whose it is", () => {
  const source = "{{ raise_exception('Roles must alternate') }}";
  try {
    rendered(Template, source, { messages: [] });
    assert.fail();
  } catch (error) {
    assert.equal(explained(error, source), "The chat template rejects these messages: Roles must alternate");
  }
  assert.match(
    explained(new Error("Unknown filter"), source),
    /renderer, @huggingface.*: Unknown filter\. .*render_chat/,
  );
});

test("a note where the page may show another text", () => {
  const source = "{{ messages[0].content.lstrip('\\n') }}";
  assert.equal(notesOn(source, [user(" Hello")]).length, 1);
  assert.deepEqual(notesOn(source, [user("Hello"), { role: "tool" }]), []);
  assert.deepEqual(notesOn("{{ messages[0].content.strip() }}", [user(" Hello")]), []);
});
