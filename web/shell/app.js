// The page: a text, a model, and the tokens that the one makes of the other.

import { TokenView } from "../tokens/render.js";
import { Detail } from "../views/tokens/detail.js";
import { readAddress } from "./address.js";
import { showChip } from "./chip.js";
import { closeChooser, watchChooser } from "./chooser.js";
import { watchCopying } from "./copying.js";
import { showCounts } from "./counts.js";
import { watchFiles } from "./drop.js";
import { Latest } from "./latest.js";
import { Models } from "./models.js";
import { byId, hideError, page, painted, setState, showError } from "./page.js";
import { runtime } from "./runtime.js";
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
});
const NO_TOKENS = {
  ...{ ids: [], attrs: [], starts: [], ends: [], byte_starts: [], byte_ends: [] },
  ...{ characters: 0, bytes: 0, warnings: [] },
};
const view = new TokenView(page.tokens);
const detail = new Detail(view, page.tokens);
const tokenizing = new Latest(tokenize, fail);
const models = new Models(() => {
  markOnce("tok:ready");
  refresh(); // first, so that the worker tokenizes while the chip is drawn
  showChip(models.source, models.current.info);
  if (models.source.builtin || models.source.handle) remember("model", models.source.key);
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
  get view() {
    return views.name;
  },
  get text() {
    return text.value;
  },
  get shown() {
    return { text: view.text, columns: view.columns };
  },
  setText(value) {
    text.replace(value);
    refresh();
    if (page.main.hasAttribute("data-wide")) location.hash = "see";
  },
  switches: () => ({
    addSpecial: page.addSpecial.checked,
    parseSpecial: page.parseSpecial.checked,
  }),
};
const views = new Views(session);
let later = null;

/** Tokenize the text as it is now; called for every change of text, switch or model. */
function refresh() {
  if (!models.current) return;
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
  detail.reset(model);
  showCounts(columns, model.info);
  views.refresh();
  await painted();
  markOnce("tok:shown");
  later ??= Promise.allSettled([models.listRecent(), import("./offline.js")]); // not before the first tokens
  hideError();
  if (!tokenizing.outdated) setState("ready", "Ready");
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
  runtime.addEventListener("progress", ({ detail }) => setState("starting", detail.stage));
  runtime.addEventListener("started", () => setState("starting", "Reading the vocabulary"));
  runtime.addEventListener("dead", ({ detail }) => showError(detail.error));
}

/** What the address asks for goes before what is remembered. */
function begin() {
  const asked = readAddress();
  const views = document.querySelectorAll("input[name=view]");
  rememberControls([page.addSpecial, page.parseSpecial, page.whitespace, byId("copy-as"), ...views]);
  if (asked.text !== undefined) text.value = asked.text;
  page.addSpecial.checked = asked.addSpecial ?? page.addSpecial.checked;
  page.parseSpecial.checked = asked.parseSpecial ?? page.parseSpecial.checked;
  view.setOptions({
    whitespace: page.whitespace.checked,
    view: document.querySelector("input[name=view]:checked").value,
  });
  const model = asked.model ?? setting("model");
  if (asked.url || !isFirst(model)) clearFirst();
  if (asked.url) models.useUrl(asked.url);
  else models.use(model);
}

/** Whether the built page shows the tokens of this model, this text and these switches (tools/prerender.mjs). */
function isFirst(model) {
  const isPlain = page.addSpecial.checked && !page.parseSpecial.checked && !page.whitespace.checked;
  const isText = document.querySelector("input[name=view]:checked").value === "text";
  return (
    isPlain &&
    isText &&
    (model ?? models.sources[0].key) === models.sources[0].key &&
    text.value === page.text.defaultValue
  );
}

function clearFirst() {
  page.tokens.replaceChildren();
  page.count.textContent = "–";
}

listen();
begin();
if (runtime.stage) setState("starting", runtime.stage);
