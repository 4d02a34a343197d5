// The Compare view: two to four models side by side on the same text.

import { Latest } from "../../shell/latest.js";
import { byId, showError } from "../../shell/page.js";
import { keep, kept } from "../../shell/session.js";
import { agreeing, differing, plainTokens } from "../../tokens/boundaries.js";
import { Column } from "./column.js";
import { parameterOf, specOf } from "./specs.js";

const MOST = 4;

/** session: {text, model, source, models, point(part)}. */
export function create(session) {
  const [root, add] = [byId("compare"), byId("add-column")];
  const switches = ["compare-add", "compare-parse", "compare-fade"].map(byId);
  const [addSpecial, parseSpecial, fade] = switches;
  const columns = [];
  const comparing = new Latest(compare, showError);

  async function compare() {
    const { text } = session;
    const wanted = { addSpecial: addSpecial.checked, parseSpecial: parseSpecial.checked };
    const results = [];
    for (const column of columns) results.push(await column.tokenize(text, wanted));
    const found = results.filter(Boolean);
    const counts = found.map(plainTokens); // special tokens are no part of the comparison
    const facts = { marks: marksOf(text, found), base: counts[0] ?? 0, most: Math.max(1, ...counts) };
    await Promise.all(columns.map((column, i) => column.show(text, results[i], facts)));
  }

  function marksOf(text, found) {
    const [differs, agrees] = [differing(text.length, found), agreeing(found)];
    return (start, end) => [
      ...(differs(start) ? ["differs"] : []),
      ...(fade.checked && found.length > 1 && agrees(start, end) ? ["agrees"] : []),
    ];
  }

  function addColumn(source, pre = null) {
    const column = new Column(session, source, pre, {
      onChange: () => update(),
      onScroll: (share) => {
        for (const other of columns) if (other !== column) other.scrollTo(share);
      },
      onPoint: (part) => {
        session.point(part);
        for (const each of columns) each.link(part);
      },
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
    keep("compare", () => columns.map((column) => column.spec));
    return comparing.run();
  }

  /** A source that no column has yet, or else the first. */
  function another() {
    const taken = columns.map(({ source }) => source.key);
    const { sources } = session.models;
    return sources.find(({ key }) => !taken.includes(key)) ?? sources[0];
  }

  /** Have these columns in place of those that are there. */
  function put(specs) {
    for (const column of columns.splice(0)) column.dispose();
    for (const spec of specs.slice(0, MOST)) addColumn(session.models.resolve(spec), spec.pre);
    while (columns.length < 2) addColumn(columns.length ? another() : session.source);
  }

  for (const control of switches) control.addEventListener("change", () => comparing.run());
  add.addEventListener("click", () => {
    addColumn(another());
    update();
  });
  return {
    /** What a link says of this view. */
    link: () => ({ column: columns.map(({ spec }) => parameterOf(spec)) }),
    receive({ link }) {
      const specs = link?.getAll("column").map(specOf) ?? [];
      if (specs.length) put(specs);
    },
    refresh() {
      if (!columns.length) put(kept("compare") ?? []);
      return update();
    },
  };
}
