// What the page draws and opens: all results, and in their tables every pair.
function section(id, title, ...content) {
  document.getElementById("more").append(el("section", { id }, el("h2", {}, title), ...content));
}

function whole() {
  const overall = app.pairs.filter(pair => pair.subset === null);
  return overall.length ? overall : app.pairs;
}

function startComparisons() {
  const table = document.querySelector("table.sortable"), rows = [...table.tBodies[0].rows];
  const heads = [...table.tHead.rows[0].cells].map(head => head.textContent);
  const drawn = app.pairs.map(pair => ({ value: pair.lead, ends: pair.ends, kind: KINDS[pair.verdict] }));
  const without = rows.length - app.pairs.length; // the baseline's own row stands first
  if (app.pairs.length > 1) app.pairs.forEach((pair, k) => openFrom(rows[k + without].cells[Math.max(heads.indexOf("system"), 0)], pair));
  const cells = metricReaches(drawn).map((reach, k) => intervalCell(drawn[k], reach, true));
  addColumn(table, heads.indexOf("interval") + 1, "0 is no difference", [...rows.slice(0, without).map(() => ""), ...cells]);
  const pairs = whole();
  if (pairs.length === 1) section("pair-itself", "The pair", ...pairBody(pairs[0]));
  const metrics = [...new Set(pairs.map(pair => pair.metric))];
  if (app.systems.length > 2 && new Set(pairs.map(pair => pair.a)).size > 1) {
    section("matrix", "Matrix of pairs", ...metrics.flatMap(metric => [metrics.length > 1 ? el("h3", {}, metric) : null, ...matrixOf(pairs.filter(p => p.metric === metric), "Matrix of pairs")]));
  }
}

// Rows of one metric share a scale.
function metricReaches(drawn) {
  const reaches = new Map();
  for (const metric of new Set(app.pairs.map(pair => pair.metric))) reaches.set(metric, reachOf(drawn.filter((_, k) => app.pairs[k].metric === metric), true));
  return app.pairs.map(pair => reaches.get(pair.metric));
}

function openFrom(cell, pair) {
  cell.replaceChildren(opener(pair, cell.textContent));
}

function startBoard() {
  const table = document.querySelector("table.sortable"), count = app.systems.length;
  const heads = [...table.tHead.rows[0].cells].map(head => head.textContent);
  const drawn = app.rows.map(row => ({ ...row, kind: { line: "mark", fill: "ink" } })), reach = reachOf(drawn, false);
  const ranks = app.rows.map(({ ranks: [low, high] }) => {
    const wide = Math.min(Math.max(3 * count, 60), 150), unit = wide / count;
    return svg("svg", { width: wide, height: 18, viewBox: `0 0 ${wide} 18`, "aria-hidden": "true" }, svg("line", { class: "grid", x1: 0, x2: wide, y1: 9, y2: 9 }), svg("rect", { class: "soft", x: (low - 1) * unit, width: (high - low + 1) * unit, y: 5, height: 8, rx: 2 }));
  });
  const after = heads.indexOf("system") + 1;
  [...table.tBodies[0].rows].forEach((row, k) => {
    row.cells[heads.indexOf("beats")].dataset.key = app.rows[k].beaten;
    row.cells[heads.indexOf("comes first")].dataset.key = app.rows[k].first;
  });
  addColumn(table, after, "ranks", ranks);
  addColumn(table, after, "interval", drawn.map(row => intervalCell(row, reach, false)));
  if (!app.pairs.length) return;
  if (count > 2) section("matrix", "Matrix of pairs", ...matrixOf(app.pairs, "Matrix of pairs"));
  const name = k => app.systems[k];
  section("pairs", "Pairs", ...longTable("Pairs of systems; a click on a candidate opens the pair", [
    ["candidate", pair => name(pair.b), { class: "name", draw: pair => opener(pair, name(pair.b)) }],
    ["baseline", pair => name(pair.a), { class: "name", draw: pair => name(pair.a) }],
    [app.effect.name, pair => pair.effect, { class: "right" }],
    [app.adjusted ?? "p", pair => pair.p.at(-1), { class: "right" }],
    ["wins/ties/losses", pair => pair.counts.map(thousands).join("/"), { class: "right" }],
    ["", () => "", { draw: pair => countsBar(pair.counts, true) }],
    ["verdict", pair => pair.verdict],
  ], app.pairs, "Search systems"));
}

function downloadButton() {
  const save = () => {
    const link = el("a", { download: "results.json" });
    link.href = URL.createObjectURL(new Blob([document.getElementById("results").textContent], { type: "application/json" }));
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  document.getElementById("download").append(el("button", { type: "button", class: "do", onclick: save }, "Download the results as JSON"));
}

downloadButton();
if (app.kind) {
  app.pairs.forEach(pair => Object.assign(pair, { metric: pair.metric ?? null, subset: pair.subset ?? null, block: pair.block ?? app.block ?? null }));
  if (app.kind === "board") startBoard();
  else startComparisons();
}
document.querySelectorAll("table.sortable").forEach(enliven);
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(part => { part.open = true; }));
