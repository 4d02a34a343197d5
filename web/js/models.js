// Which model is in use: built-in vocabularies, files of the user's own, and the change between.

import { showCard } from "./card.js";
import { hideError, page, setState, showError } from "./page.js";
import { SAMPLES, sampleUrl } from "./samples.js";
import { runtime } from "./start.js";

const OWN = "own file";

export class Models {
  /** The tokenizer in use, or null while the first is on its way. */
  current = null;
  #chosen = SAMPLES[0].name;
  #newest = 0;
  #onChange;

  /** onChange(): called when another model is in use. */
  constructor(onChange) {
    this.#onChange = onChange;
    page.vocabulary.append(...SAMPLES.map(({ name, label }) => new Option(label, name)));
    page.vocabulary.addEventListener("change", () => this.useSample(page.vocabulary.value));
  }

  useSample(name = SAMPLES[0].name) {
    return this.#use(name, name, () => runtime.loadBuiltin(name, sampleUrl(name)));
  }

  useFile(file) {
    return this.#use(OWN, file.name, () => runtime.load(file));
  }

  /** Take the model that `load` gives; the one before stays if it fails or a newer wish comes. */
  async #use(choice, name, load) {
    const wish = ++this.#newest;
    hideError();
    setState(this.current ? "busy" : "starting", `Reading the vocabulary of ${name}`);
    let loaded;
    try {
      loaded = await load();
    } catch (error) {
      if (wish === this.#newest) showError(error, name);
      this.#showChoice();
      return;
    }
    if (wish !== this.#newest) return loaded.dispose();
    this.current?.dispose();
    this.current = loaded;
    this.#chosen = choice;
    if (choice === OWN) this.#listOwn(name);
    this.#showChoice();
    showCard(loaded.info);
    this.#onChange();
  }

  #listOwn(name) {
    const options = [...page.vocabulary.options];
    const option = options.find(({ value }) => value === OWN) ?? new Option("", OWN);
    option.textContent = name;
    if (!option.parentNode) page.vocabulary.append(option);
  }

  #showChoice() {
    page.vocabulary.value = this.#chosen;
  }
}
