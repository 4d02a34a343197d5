// Addresses and the browser's history: what a link asks for is done, Back and Forward go through the
// views and models a person chose, and the address never says what the page does not show.

import { asksForMore, isTrue, readAddress } from "./address.js";
import { page } from "./page.js";

export class Navigation {
  #session;
  #apply;
  #moving = false; // by Back or Forward: what follows from it is no step of its own

  /** session: see app.js; apply(asked): do what an address asks for. */
  constructor(session, apply) {
    this.#session = session;
    this.#apply = apply;
    addEventListener("popstate", ({ state }) => this.#moved(state));
  }

  /** Another model is in use: a step that Back undoes. */
  modelChanged() {
    const { source, models } = this.#session;
    const place = { model: source.key, pre: models.pre };
    const { state } = history;
    if (this.#moving || !state?.model) history.replaceState(place, "");
    else if (state.model !== place.model || state.pre !== place.pre)
      history.pushState(place, "", this.#bare());
    this.#moving = false;
  }

  /** Text, switches or model have changed: drop from the address what is no longer so. */
  keepTrue() {
    const asked = readAddress();
    if (!asksForMore(asked)) return;
    const { text, source, models, switches } = this.#session;
    if (isTrue(asked, { text, source, pre: models.pre, switches: switches() })) return;
    history.replaceState(history.state, "", this.#bare());
  }

  #bare() {
    return `#${page.main.dataset.open}`;
  }

  #moved(state) {
    const asked = readAddress();
    const { source, models } = this.#session;
    if (asksForMore(asked)) return this.#apply(asked);
    if (!state?.model) return history.replaceState(source && { model: source.key, pre: models.pre }, "");
    if (state.model === source?.key && state.pre === models.pre) return;
    this.#moving = true;
    models.use(state.model, state.pre);
  }
}
