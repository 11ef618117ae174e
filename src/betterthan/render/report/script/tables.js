// Tables that sort by a click on a header (numbers as numbers) and can be searched.
const PAGE = 50;
const asNumber = text => {
  const plain = text.trim().replace(/[,[<>≥]/g, "").replace("−", "-").replace("∞", "Infinity").replace(/^\./, "0.");
  return parseFloat(plain);
};
function compareTexts(a, b) {
  const [x, y] = [asNumber(a), asNumber(b)];
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y) || a.localeCompare(b);
  return x - y || tiny(a) - tiny(b) || a.localeCompare(b);
}
// What is smaller than any number of JavaScript still has an order.
const tiny = text => Number(/e(-\d+)/.exec(text)?.[1] ?? 0);

function sortButtons(heads, sorted) {
  heads.forEach((head, at) => {
    if (!head.textContent || head.dataset.fixed) return;
    const button = el("button", { type: "button", title: "sort", onclick: () => {
      const way = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      heads.forEach(other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
      sorted(at, way);
    } });
    button.append(...head.childNodes);
    head.append(button);
  });
}

const matcher = words => {
  const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
  return text => parts.every(part => text.toLowerCase().includes(part));
};
function searchBox(label, found) {
  return el("input", { type: "search", placeholder: label, "aria-label": label, oninput: event => found(matcher(event.target.value)) });
}

// A table that stands in the page: its rows stay, in another order or hidden.
function enliven(table) {
  const body = table.tBodies[0], all = [...body.rows], heads = [...table.tHead.rows[0].cells];
  sortButtons(heads, (at, way) => {
    closePairs(body);
    const key = row => row.cells[at].dataset.key ?? row.cells[at].textContent;
    body.append(...[...all].sort((a, b) => way * compareTexts(key(a), key(b))));
  });
  if (all.length < 4) return;
  const status = el("span", { class: "hint", role: "status" });
  const box = searchBox("Search", matches => {
    let shown = 0;
    closePairs(body);
    for (const row of all) {
      row.hidden = !matches([...row.cells].filter(cell => cell.dataset.key === undefined).map(cell => cell.textContent).join(" "));
      shown += !row.hidden;
    }
    status.textContent = shown < all.length ? `${shown} of ${all.length}` : "";
  });
  table.closest(".wide").before(el("div", { class: "tools" }, box, status));
}

// A column in front of the one at `at`, with a drawing in every row.
function addColumn(table, at, title, cells) {
  const head = el("th", { scope: "col", class: "picture", "data-fixed": "1" }, title);
  table.tHead.rows[0].cells[at].before(head);
  [...table.tBodies[0].rows].forEach((row, k) => row.cells[at].before(el("td", { class: "picture" }, cells[k])));
}

// A table with what it shows above it: a caption of its own would be as wide as the table.
const captioned = (caption, table) => {
  table.setAttribute("aria-label", calm(caption));
  return [el("p", { class: "hint" }, caption), el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": caption }, table)];
};

// A long table that is made as far as it is looked at. Columns: [title, text of a row, drawn?].
function longTable(caption, columns, rows, label) {
  const body = el("tbody"), status = el("span", { class: "hint", role: "status" });
  const more = el("button", { type: "button", class: "do", onclick: () => show(body.rows.length + 4 * PAGE) });
  let chosen = rows, matches = () => true, order = null;
  const texts = new Map(rows.map(row => [row, columns.map(([, text]) => text(row))]));
  function show(most) {
    body.replaceChildren(...chosen.slice(0, most).map(row =>
      el("tr", {}, ...columns.map(([, , options = {}], k) => el("td", { class: options.class }, options.draw ? options.draw(row) : texts.get(row)[k])))));
    status.textContent = chosen.length < rows.length ? `${thousands(chosen.length)} of ${thousands(rows.length)}` : thousands(rows.length);
    more.hidden = chosen.length <= most;
    more.textContent = `Show more (${thousands(Math.max(chosen.length - most, 0))} left)`;
  }
  function again() {
    chosen = rows.filter(row => matches(texts.get(row).join(" ")));
    if (order) chosen.sort((a, b) => order.way * compareTexts(texts.get(a)[order.at], texts.get(b)[order.at]));
    show(PAGE);
  }
  const heads = columns.map(([title, , options = {}]) => el("th", { scope: "col", class: options.class === "right" ? "right" : null }, title));
  sortButtons(heads, (at, way) => { order = { at, way }; again(); });
  again();
  const table = el("table", {}, el("thead", {}, el("tr", {}, ...heads)), body);
  return [
    el("div", { class: "tools" }, searchBox(label, found => { matches = found; again(); }), status),
    ...captioned(caption, table),
    el("p", {}, more),
  ];
}
