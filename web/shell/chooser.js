// The dialog in which a model is chosen: built-in, recent, from this machine, from an address.

import { shown } from "../tokens/glyphs.js";
import { hubFiles, hubName } from "./hub.js";
import { byId, element } from "./page.js";

const [dialog, form, address, says] = ["chooser", "from-url", "url", "hub-says"].map(byId);
const [builtins, recents, title, found] = [
  "builtin-sources",
  "recent-sources",
  "recent-title",
  "hub-files",
].map(byId);

/** models: see models.js. */
export function watchChooser(models) {
  byId("chip-open").addEventListener("click", () => openChooser(models));
  byId("chooser-close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close()); // its backdrop
  byId("model-file").addEventListener("change", () => dialog.close());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    asked(models, address.value.trim());
  });
}

export function openChooser(models) {
  draw(models);
  if (!dialog.open) dialog.showModal();
  models.listRecent().then(
    () => draw(models),
    () => {},
  ); // without storage there are none
}

export function closeChooser() {
  dialog.close();
}

function draw(models) {
  const current = models.source?.key;
  const all = models.sources;
  const choice = (source) => sourceChoice(source, current, () => models.use(source.key));
  builtins.replaceChildren(...all.filter(({ builtin }) => builtin).map(choice));
  recents.replaceChildren(...all.filter(({ builtin }) => !builtin).map(choice));
  title.hidden = !recents.children.length;
}

function sourceChoice({ key, label, name, facts, url }, current, use) {
  const small = element("span", facts ?? url ?? "On this machine");
  small.className = "dim";
  const button = element("button", element("b", label ?? name), small);
  button.type = "button";
  button.className = "source-choice";
  button.dataset.key = key;
  button.dataset.name = shown(label ?? name);
  if (key === current) button.setAttribute("aria-current", "true");
  button.addEventListener("click", () => {
    dialog.close();
    use();
  });
  return element("li", button);
}

/** Load what was typed: an address, or the files of a model of Hugging Face. */
async function asked(models, wanted) {
  found.hidden = says.hidden = true;
  const name = hubName(wanted);
  if (!name || name.path) {
    dialog.close();
    return models.useUrl(wanted);
  }
  tell("Looking for GGUF files …");
  try {
    const files = await hubFiles(name);
    if (name.quant) {
      dialog.close();
      return models.useUrl(files[0].url);
    }
    found.replaceChildren(...files.map((file) => sourceChoice(file, "", () => models.useUrl(file.url))));
    found.hidden = false;
    tell("Choose a file. All of one model have the same tokenizer.");
  } catch ({ message }) {
    tell(message);
  }
}

function tell(words) {
  says.textContent = shown(words);
  says.hidden = false;
}
