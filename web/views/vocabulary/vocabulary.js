// The Vocabulary view: find tokens by text, id or kind, page by page; ids to text.

import { Latest } from "../../shell/latest.js";
import { byId, number, showError, tableRows } from "../../shell/page.js";
import { visible } from "../../tokens/glyphs.js";

const PAGE = 100; // tokens

/** session: {model, setText(text)}. */
export function create(session) {
  const [query, kind, rows, found] = ["query", "kind", "found-rows", "found"].map(byId);
  const [previous, next] = [byId("previous"), byId("next")];
  let [offset, shown] = [0, null];

  const searching = new Latest(async () => {
    const wanted = { query: query.value, kind: kind.value, offset, limit: PAGE };
    const { total, rows: tokens } = await session.model.search(wanted);
    rows.replaceChildren(...tableRows(tokens.map(cells)));
    const last = Math.min(offset + PAGE, total);
    found.textContent = total ? `${number(offset + 1)}–${number(last)} of ${number(total)}` : "none found";
    [previous.disabled, next.disabled] = [offset === 0, last === total];
  }, showError);
  const search = (from = 0) => {
    offset = from;
    return searching.run();
  };
  query.addEventListener("input", () => search());
  kind.addEventListener("change", () => search());
  previous.addEventListener("click", () => search(offset - PAGE));
  next.addEventListener("click", () => search(offset + PAGE));

  const decode = decoder(session);
  return {
    async refresh() {
      if (shown === session.model) return;
      shown = session.model;
      await search();
      await decode();
    },
  };
}

function cells({ id, text, bytes, attrs }) {
  return [id, visible(text, true).replaceAll("\n", ""), bytes, attrs.join(", ") || "undefined"];
}

function decoder(session) {
  const [ids, unparse, output] = [byId("ids"), byId("unparse"), byId("decoded")];
  let decoded = "";
  const decoding = new Latest(async () => {
    const numbers = ids.value.match(/-?\d+/g)?.map(Number) ?? [];
    const { n_vocab } = session.model.info;
    const stray = numbers.find((id) => id < 0 || id >= n_vocab);
    if (stray !== undefined) {
      output.textContent = `${stray} is not a token id: ids go from 0 to ${n_vocab - 1}.`;
      return;
    }
    decoded = await session.model.decode(numbers, { unparseSpecial: unparse.checked });
    output.textContent = visible(decoded, false);
  }, showError);
  ids.addEventListener("input", () => decoding.run());
  unparse.addEventListener("change", () => decoding.run());
  byId("use-decoded").addEventListener("click", () => session.setText(decoded));
  return () => decoding.run();
}
