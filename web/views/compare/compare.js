// The Compare view: two to four models side by side on the same text.

import { Latest } from "../../shell/latest.js";
import { byId, showError } from "../../shell/page.js";
import { differing } from "../../tokens/boundaries.js";
import { Column } from "./column.js";

const MOST = 4;

/** session: {text, switches, model, source, models}. */
export function create(session) {
  const [root, add] = [byId("compare"), byId("add-column")];
  const columns = [];
  const comparing = new Latest(compare, showError);

  async function compare() {
    const { text } = session;
    const switches = session.switches();
    const results = [];
    for (const column of columns) results.push(await column.tokenize(text, switches));
    const found = results.filter(Boolean);
    const differs = differing(text.length, found);
    const base = found[0]?.ids.length ?? 0;
    await Promise.all(columns.map((column, i) => column.show(text, results[i], differs, base)));
  }

  function addColumn(source) {
    const column = new Column(session, source, {
      onChange: () => comparing.run(),
      onScroll: (share) => columns.forEach((other) => other !== column && other.scrollTo(share)),
      onRemove: () => {
        columns.splice(columns.indexOf(column), 1);
        column.dispose();
        update();
      },
    });
    columns.push(column);
    root.append(column.element);
  }

  function update() {
    add.disabled = columns.length >= MOST;
    for (const column of columns) column.update(columns.length > 2);
    return comparing.run();
  }

  /** A source that no column has yet, or else the first. */
  function another() {
    const taken = columns.map(({ source }) => source.key);
    const { sources } = session.models;
    return sources.find(({ key }) => !taken.includes(key)) ?? sources[0];
  }

  add.addEventListener("click", () => {
    addColumn(another());
    update();
  });
  return {
    refresh() {
      if (!columns.length) {
        addColumn(session.source);
        addColumn(another());
      }
      return update();
    },
  };
}
