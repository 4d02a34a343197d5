// What a chat template receives, and what may be wrong with one: the rules of pyodide_tok/chat. The
// cases in tests/data/chats test both.

/** @typedef {Record<string, any>} Message */
/** @typedef {new (source: string) => {render(variables: Record<string, any>): string}} Jinja of @huggingface/jinja */

const REASONING = ["reasoning_content", "thinking", "reasoning"]; // the first is what templates read
const NAME = /^[\p{L}\p{N}_.+-]+$/u; // such as "llama2-sys", one of llama.cpp's built-in templates
const GENERATION = /\{%([-+]?)\s*(end)?generation\s*([-+]?)%\}/g;
const STRIPS_SOME = /\.[lr]?strip\(\s*['"]/;
const GO_ACTION = /\{\{-?\s*(?:[.$]|(?:if|else|range|with|template|define|block)\b)/;

/**
 * Why a text is not a template; "" if it may be one.
 * @param {string} source
 */
export function problemOf(source) {
  const text = source.trim();
  if (!text) return "The chat template is empty.";
  if (!NAME.test(text)) return "";
  return `The chat template is only a name, “${text.slice(0, 40)}”: llama.cpp has a template of that name built in, this page has not.`;
}

/**
 * The text of a chat. If the template fails on JSON text as a tool call's arguments, they are parsed.
 * @param {Jinja} Template
 * @param {string} source
 * @param {Record<string, any>} variables `messages` among them
 */
export function rendered(Template, source, variables) {
  const template = compiled(Template, source);
  const given = prepared(variables);
  try {
    return template.render(given);
  } catch (error) {
    if (!parseArguments(given.messages)) throw error;
    try {
      return template.render(given);
    } catch {
      throw error;
    }
  }
}

/**
 * What is wrong, for people. @huggingface/jinja throws the same kind of error where a template rejects the messages.
 * @param {unknown} error
 * @param {string} source
 */
export function explained(error, source) {
  const message = error instanceof Error ? error.message : String(error);
  if (message && source.includes(message)) return `The chat template rejects these messages: ${message}`;
  return `The chat template fails in the page's renderer, @huggingface/jinja: ${message}. It implements part of Jinja. Python's render_chat implements all of it.`;
}

/**
 * Where the text may differ from that of Python's render_chat.
 * @param {string} source
 * @param {Message[]} messages
 */
export function notesOn(source, messages) {
  const isPadded = messages.some(({ content }) => typeof content === "string" && content !== content.trim());
  if (!isPadded || !STRIPS_SOME.test(source)) return [];
  return [
    "A message begins or ends with white space. This template strips some characters from messages, but the page's renderer strips all white space: Python's render_chat may return a different text.",
  ];
}

/**
 * {% generation %} marks what the assistant says, for training. @huggingface/jinja drops the tags with the white
 * space around them. Here they become a macro, which keeps the white space and has its own scope, as in Python.
 * @param {Jinja} Template
 * @param {string} source
 */
function compiled(Template, source) {
  /** @param {string[]} parts */
  const tag = (...[, left, end, right]) =>
    end
      ? `{%${left} endmacro %}{{ generation_() }}{% if true %}{% endif ${right}%}`
      : `{%${left} macro generation_() ${right}%}`;
  try {
    return new Template(source.replace(/\r\n?/g, "\n").replace(GENERATION, tag));
  } catch (error) {
    if (!GO_ACTION.test(source)) throw error;
    const hint = "It looks like a Go template of Ollama: use the Jinja template of the original model.";
    throw new Error(`${error instanceof Error ? error.message : error}. ${hint}`);
  }
}

/**
 * Variables under the usual names; nothing in them is the caller's own.
 * @param {Record<string, any>} variables
 * @returns {Record<string, any>}
 */
export function prepared(variables) {
  const given = structuredClone(variables);
  return { tools: null, documents: null, ...given, messages: given.messages.map(withoutNulls) };
}

/**
 * Many templates write "None" for a null content beside tool calls.
 * @param {Message} message
 * @returns {Message}
 */
function withoutNulls(message) {
  const kept = Object.fromEntries(Object.entries(message).filter(([, value]) => value !== null));
  const name = REASONING.find((key) => kept[key] !== undefined);
  if (!name) return kept;
  return { thinking: kept[name], ...kept, reasoning_content: kept[name] };
}

/**
 * Parses, in place, arguments of tool calls that are JSON text; whether there were any.
 * @param {Message[]} messages
 */
function parseArguments(messages) {
  let any = false;
  for (const { tool_calls } of messages) {
    for (const call of Array.isArray(tool_calls) ? tool_calls : []) {
      const owner = call?.function ?? call;
      const value = mapping(owner?.arguments);
      if (!value) continue;
      owner.arguments = value;
      any = true;
    }
  }
  return any;
}

/** @param {unknown} text */
function mapping(text) {
  try {
    const value = typeof text === "string" ? JSON.parse(text) : null;
    return Array.isArray(value) || typeof value !== "object" ? null : value;
  } catch {
    return null;
  }
}
