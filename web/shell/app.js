// The page: a text, a model, and the tokens that the one makes of the other.

import { shown } from "../tokens/glyphs.js";
import { TokenView } from "../tokens/render.js";
import { Detail } from "../views/tokens/detail.js";
import { asksForMore, readAddress } from "./address.js";
import { showChip, showVerdict } from "./chip.js";
import { closeChooser, openChooser, watchChooser } from "./chooser.js";
import { watchCopying } from "./copying.js";
import { showCounts, watchHint } from "./counts.js";
import { watchFiles } from "./drop.js";
import { listExamples } from "./examples.js";
import { Latest } from "./latest.js";
import { Linked } from "./linked.js";
import { Models } from "./models.js";
import { Navigation } from "./navigation.js";
import { byId, hideError, page, painted, setState, showError } from "./page.js";
import { runtime } from "./runtime.js";
import { keep, kept } from "./session.js";
import { remember, rememberControls, setting } from "./settings.js";
import { TextBox } from "./textbox.js";
import { watchTheme } from "./themes.js";
import { Views } from "./views.js";

const text = new TextBox({
  box: page.text,
  reader: page.reader,
  bar: page.reading,
  edit: page.editText,
  undo: page.undoText,
  redo: page.redoText,
});
const NO_TOKENS = {
  ...{ ids: [], attrs: [], starts: [], ends: [], byte_starts: [], byte_ends: [] },
  ...{ characters: 0, bytes: 0, warnings: [] },
};
const view = new TokenView(page.tokens);
const linked = new Linked(page.text, byId("mirror"));
const tokenizing = new Latest(tokenize, fail);
const models = new Models(() => {
  markOnce("tok:ready");
  const { source } = models;
  document.documentElement.toggleAttribute("data-stale", true); // until its tokens are shown
  refresh(); // first, so that the worker tokenizes while the chip is drawn
  showChip(source, models.current.info);
  byId("missing").hidden = true;
  navigation.modelChanged();
  if (source.builtin || source.handle) remember("model", source.key);
  keep("model", () => ({ key: source.key, url: source.url, name: source.name, pre: models.pre }));
});
// What the views may ask of the page.
const session = {
  models,
  get model() {
    return models.current;
  },
  get source() {
    return models.source;
  },
  /** A promise of the problems of the model's file. */
  get problems() {
    const { model } = session;
    if (!found.has(model)) found.set(model, model.problems());
    return found.get(model);
  },
  get view() {
    return views.name;
  },
  get text() {
    return text.value;
  },
  get shown() {
    return { text: view.text, columns: view.columns };
  },
  /** What the open view adds to a link. */
  get more() {
    return views.link;
  },
  /** Put a text in place of the person's, which can be undone; switches: of those that must change. */
  setText(value, { addSpecial, parseSpecial } = {}) {
    text.replace(value);
    setSwitches({ addSpecial, parseSpecial });
    refresh();
    if (page.main.hasAttribute("data-wide")) location.hash = "see";
  },
  switches: () => ({
    addSpecial: page.addSpecial.checked,
    parseSpecial: page.parseSpecial.checked,
  }),
  /** Mark a part {start, end} of the text; null: none. */
  point: (part) => linked.mark(part),
  /** Open a view and hand it something: its method `receive` is called. */
  give: (...what) => views.give(...what),
};
const found = new WeakMap(); // tokenizer -> a promise of its file's problems
const navigation = new Navigation(session, apply);
const detail = new Detail(view, page.tokens, session);
const views = new Views(session);
let later = null;

/** Tokenize the text as it is now; called for every change of text, switch or model. */
function refresh() {
  keep("text", () => text.value);
  if (!models.current) return;
  navigation.keepTrue();
  setState("busy", "Tokenizing");
  tokenizing.run();
}

async function tokenize() {
  const value = text.value;
  const model = models.current;
  const switches = session.switches();
  const head = view.unseenHead(value);
  if (head) await showHead(model, head, switches);
  const columns = await model.tokenize(value, switches);
  if (model !== models.current) return;
  await view.show(model, value, columns);
  document.documentElement.toggleAttribute("data-stale", false);
  detail.reset(model);
  showCounts(columns, model.info, value);
  views.refresh();
  await painted();
  markOnce("tok:shown");
  if (!later) later = Promise.allSettled([models.listRecent(), import("./offline.js")]); // after the tokens
  judge(model);
  hideError();
  if (!tokenizing.outdated) setState("ready", "Ready");
}

/** Look for problems of the file: after its first tokens, which are more urgent. */
async function judge(model) {
  if (found.has(model)) return;
  const problems = await session.problems.catch(() => []); // what went wrong is said for the tokens
  if (model === models.current) showVerdict(problems);
}

/** Of a model that gave no tokens yet, none are shown, least of all those of the model before. */
async function fail(error) {
  if (view.tokenizer !== models.current) {
    await view.show(models.current, "", NO_TOKENS);
    detail.reset(models.current);
    showCounts(NO_TOKENS, models.current.info);
    page.count.textContent = "–";
  }
  showError(error);
}

/** The first tokens of a long text, before the whole of it is tokenized. */
async function showHead(model, head, switches) {
  const columns = await model.tokenize(head, switches);
  if (model !== models.current) return;
  page.count.textContent = "…";
  await view.show(model, head, columns);
}

function markOnce(name) {
  if (!performance.getEntriesByName(name).length) performance.mark(name);
}

/** A new worker with the same model. `again`: tokenize the text too. */
async function restart(again) {
  hideError();
  setState("starting", "Starting again");
  try {
    await runtime.restart();
  } catch (error) {
    return showError(error);
  }
  if (!models.current) models.use();
  else if (again) refresh();
  else setState("ready", "Stopped. The tokens shown may be of an earlier text.");
}

/** Say what the worker does while it starts, unless the page waits for a person. */
function starting(words) {
  if (byId("missing").hidden) setState("starting", words);
}

function listen() {
  text.addEventListener("input", refresh);
  page.addSpecial.addEventListener("change", refresh);
  page.parseSpecial.addEventListener("change", refresh);
  page.whitespace.addEventListener("change", () => view.setOptions({ whitespace: page.whitespace.checked }));
  for (const radio of document.querySelectorAll("input[name=view]")) {
    radio.addEventListener("change", () => view.setOptions({ view: radio.value }));
  }
  watchChooser(models);
  watchTheme();
  watchCopying(session);
  watchHint();
  listExamples((example) => session.setText(example));
  byId("missing-open").addEventListener("click", () => page.file.click());
  byId("missing-other").addEventListener("click", () => openChooser(models));
  page.dismiss.addEventListener("click", hideError);
  page.restart.addEventListener("click", () => restart(true));
  page.stop.addEventListener("click", () => restart(false));
  watchFiles(page.file, {
    onModel: (...model) => {
      closeChooser();
      return models.useFile(...model);
    },
    onTexts: (texts) => views.give("files", texts),
  });
  runtime.addEventListener("progress", ({ detail }) => starting(detail.stage));
  runtime.addEventListener("started", () => starting("Reading the vocabulary"));
  runtime.addEventListener("dead", ({ detail }) => showError(detail.error));
}

/** What the address asks for goes before what this tab had, and that before what is remembered. */
function begin() {
  const radios = document.querySelectorAll("input[name=view]");
  rememberControls([page.addSpecial, page.parseSpecial, page.whitespace, byId("copy-as"), ...radios]);
  const before = kept("text");
  if (before !== undefined) text.value = before;
  view.setOptions({
    whitespace: page.whitespace.checked,
    view: document.querySelector("input[name=view]:checked").value,
  });
  const asked = readAddress();
  const last = kept("model");
  if (asksForMore(asked) || !isFirst(last?.key ?? setting("model"), last?.pre)) clearFirst();
  if (asksForMore(asked)) return apply(asked);
  useModel({ model: last?.key ?? setting("model"), url: last?.url, name: last?.name, pre: last?.pre });
}

/** Whether the built page shows the tokens of this model, this text and these switches (tools/prerender.mjs). */
function isFirst(model, pre) {
  const isPlain = page.addSpecial.checked && !page.parseSpecial.checked && !page.whitespace.checked;
  const isText = document.querySelector("input[name=view]:checked").value === "text";
  const [{ key }] = models.sources;
  return isPlain && isText && !pre && (model ?? key) === key && text.value === page.text.defaultValue;
}

function clearFirst() {
  page.tokens.replaceChildren();
  page.count.textContent = "–";
}

/** Do what an address asks for. */
function apply(asked) {
  const { text: value, model, url, file, pre } = asked;
  if (value !== undefined && value !== text.value) text.replace(value);
  setSwitches(asked);
  if (model || url || file) useModel({ model, url, file, pre });
  else if (models.current) refresh();
  else useModel({ model: setting("model") });
  if (asked.view) views.arrive(asked);
}

/**
 * Take a model. Of a file that is not here, say so, for another model has other tokens; `name` is
 * the file's, unless nobody asked for it by name: then an unknown model means the first.
 */
async function useModel({ model, url, file, name = file, pre = null }) {
  if (url) return models.useUrl(url, pre);
  if (!name) return models.use(model, pre);
  const { wishes } = models;
  const key = file ? models.named(file)?.key : model;
  const isHere = key && (await models.has(key));
  if (models.wishes !== wishes) return; // a person has chosen another meanwhile
  return isHere ? models.use(key, pre) : missing(name, pre);
}

function missing(name, pre) {
  models.expect(name, pre);
  byId("missing-name").textContent = shown(name);
  byId("missing").hidden = false;
  byId("chip-name").textContent = shown(name, 80);
  byId("chip-facts").textContent = "not open";
  byId("chip").inert = false;
  setState("waiting", "Waiting for the file");
}

/** Set the switches that are named; undefined leaves one as it is. */
function setSwitches({ addSpecial, parseSpecial }) {
  page.addSpecial.checked = addSpecial ?? page.addSpecial.checked;
  page.parseSpecial.checked = parseSpecial ?? page.parseSpecial.checked;
}

listen();
begin();
if (runtime.stage) starting(runtime.stage);
