// The Vocabulary view: find tokens by text, id, bytes or kind, page by page; ids to text.

import { Latest } from "../../shell/latest.js";
import { byId, definitions, element, number, showError } from "../../shell/page.js";
import { colourOf } from "../../tokens/colours.js";
import { entriesOf, pieceOf } from "../../tokens/facts.js";
import { visible } from "../../tokens/glyphs.js";
import { parseIds } from "./ids.js";
import { matchIn } from "./match.js";

const PAGE = 100; // tokens

/** session: {model, setText(text)}. */
export function create(session) {
  const [query, how, kind, rows, found] = ["query", "how", "kind", "found-rows", "found"].map(byId);
  const [previous, next, card] = ["previous", "next", "vocab-card"].map(byId);
  let [offset, total, shown] = [0, 0, null];

  const searching = new Latest(async () => {
    const wanted = { query: query.value, kind: kind.value, how: how.value, offset, limit: PAGE };
    const answer = await session.model.search(wanted).catch(refused);
    total = answer.total;
    rows.replaceChildren(...answer.rows.map((token) => row(token, wanted, open)));
    const last = Math.min(offset + PAGE, total);
    const range = total ? `${number(offset + 1)}–${number(last)} of ${number(total)}` : "none found";
    found.textContent = answer.problem ?? range;
    [previous.disabled, next.disabled] = [offset === 0, last >= total];
  }, showError);
  const search = (from = 0) => {
    offset = Math.max(0, from < total ? from : offset);
    return searching.run();
  };
  const afresh = () => {
    offset = 0;
    return searching.run();
  };

  /** Show what the vocabulary says of a token. */
  async function open(id) {
    const facts = await session.model.token(id);
    const piece = element("span", pieceOf(facts));
    piece.className = `tok c${colourOf(id)}`;
    card.replaceChildren(piece, element("dl", ...definitions(entriesOf(facts))));
    card.hidden = false;
  }

  query.addEventListener("input", afresh);
  for (const choice of [kind, how]) choice.addEventListener("change", afresh);
  previous.addEventListener("click", () => search(offset - PAGE));
  next.addEventListener("click", () => search(offset + PAGE));

  const decode = decoder(session);
  return {
    /** Find one token, which the card of a token asks for. */
    receive({ id }) {
      if (id === undefined) return;
      [query.value, how.value, kind.value] = [String(id), "contains", ""];
      shown = null;
    },
    async refresh() {
      if (shown === session.model) return;
      shown = session.model;
      card.hidden = true;
      await afresh();
      await decode();
    },
  };
}

/** What to show in place of an answer: a regular expression may be half typed. */
function refused(error) {
  if (error.code !== "query") throw error;
  return { total: 0, rows: [], problem: error.message };
}

function row(token, { query, how }, open) {
  const { id, text, bytes, attrs } = token;
  const button = element("button", String(id));
  button.type = "button";
  button.className = "link";
  button.setAttribute("aria-label", `Token ${id}`);
  button.addEventListener("click", () => open(id).catch(showError));
  const head = element("th", button);
  head.scope = "row";
  const cells = [marked(text, query, how), bytes, attrs.join(", ") || "undefined"];
  return element("tr", head, ...cells.map((cell) => element("td", cell)));
}

/** A token's text with the part that matches marked. */
function marked(text, query, how) {
  const plain = (part) => visible(part, true).replaceAll("\n", "");
  const match = matchIn(text, query, how);
  const cell = element("span");
  if (!match) cell.append(plain(text));
  else cell.append(plain(text.slice(0, match.start)), mark(plain(text.slice(match.start, match.end))));
  if (match) cell.append(plain(text.slice(match.end)));
  return cell;
}

function mark(text) {
  const made = document.createElement("mark");
  made.textContent = text;
  return made;
}

function decoder(session) {
  const [ids, unparse, output] = [byId("ids"), byId("unparse"), byId("decoded")];
  const use = byId("use-decoded");
  let decoded = "";
  const decoding = new Latest(async () => {
    const { ids: numbers = [], word } = parseIds(ids.value);
    const { n_vocab } = session.model.info;
    const stray = word ?? numbers.find((id) => id >= n_vocab);
    use.disabled = stray !== undefined;
    if (stray !== undefined) {
      output.textContent = visible(
        `“${stray}” is not a token id: ids are 0 to ${number(n_vocab - 1)}.`,
        false,
      );
      return;
    }
    decoded = await session.model.decode(numbers, { unparseSpecial: unparse.checked });
    output.textContent = visible(decoded, false);
  }, showError);
  ids.addEventListener("input", () => decoding.run());
  unparse.addEventListener("change", () => decoding.run());
  use.addEventListener("click", () => session.setText(decoded));
  return () => decoding.run();
}
