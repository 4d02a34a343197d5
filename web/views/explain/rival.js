// The second tokenizer of the duel: its choice, and its model while it is needed.

import { element } from "../../shell/page.js";
import { remember, setting } from "../../shell/settings.js";

const NONE = "";
/** @type {Record<string, string>} SPM beside BPE, unless something else was chosen */
const OPPOSITES = { BPE: "mistral-v1", SPM: "gpt-2" };

export class Rival {
  #choice;
  #session;
  /** @type {string | undefined} */
  #chosen = setting("rival");
  /** @type {{source: any, model: Promise<any>} | null} */
  #loaded = null;

  /** @param {HTMLElement} choice a select @param {any} session @param {() => void} onChange */
  constructor(choice, session, onChange) {
    this.#choice = /** @type {HTMLSelectElement} */ (choice);
    this.#session = session;
    this.#choice.addEventListener("change", () => {
      this.#chosen = this.#choice.value;
      remember("rival", this.#chosen);
      onChange();
    });
  }

  /** The key of its source, "" for none. */
  get key() {
    return this.#choice.value;
  }

  /** @param {string} key */
  choose(key) {
    this.#chosen = key;
    this.list();
  }

  /** List the models there are now, the page's own not among them. */
  list() {
    const { models, source, model } = this.#session;
    const others = models.sources.filter((/** @type {any} */ { key }) => key !== source?.key);
    const options = others.map((/** @type {any} */ { key, label, name }) => {
      const option = element("option", label ?? name);
      option.setAttribute("value", key);
      return option;
    });
    const none = element("option", "nothing");
    none.setAttribute("value", NONE);
    this.#choice.replaceChildren(none, ...options);
    const keys = [NONE, ...others.map((/** @type {any} */ { key }) => key)];
    const fallback = OPPOSITES[model?.info.type] ?? NONE;
    this.#choice.value = [this.#chosen, fallback, NONE].find((key) => keys.includes(key)) ?? NONE;
  }

  /** {source, model}, or null if there is none. */
  async tokenizer() {
    const source = this.#session.models.sources.find((/** @type {any} */ { key }) => key === this.key);
    if (this.#loaded && this.#loaded.source.key !== source?.key) this.#release();
    if (!source) return null;
    this.#loaded ??= { source, model: source.load(null) };
    const loaded = this.#loaded;
    try {
      return { source, model: await loaded.model };
    } catch (error) {
      this.#loaded = null;
      throw error;
    }
  }

  #release() {
    this.#loaded?.model.then((model) => model.dispose()).catch(() => {});
    this.#loaded = null;
  }
}
