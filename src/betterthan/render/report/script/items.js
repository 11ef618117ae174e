// The items that decide: those on which one of the two systems is ahead, with their texts where
// the report was asked to have them.
const FIRST_ITEMS = 20;

function itemsSection(pair, both) {
  const { gains } = both, binary = both.block.binary;
  const texts = new Map((pair.at === undefined ? [] : results().items.filter(item => item.row === pair.at)).map(item => [item.item, item.texts]));
  const ranked = [...gains.keys()].filter(i => gains[i] !== 0).sort((i, j) => Math.abs(gains[j]) - Math.abs(gains[i]) || gains[i] - gains[j] || i - j);
  const kinds = {
    all: ["all that differ", () => true],
    lost: [binary ? "broke: only the baseline is right" : "the baseline is ahead", i => gains[i] < 0],
    won: [binary ? "fixed: only the candidate is right" : "the candidate is ahead", i => gains[i] > 0],
  };
  let kind = "all", matches = () => true, label = null, most = FIRST_ITEMS;
  const labels = both.source.labels.map(one => ({ ...one, codes: unpacked(one, 0) }));
  const labelText = i => labels.map(one => one.values[one.codes[both.rows[i]]]);
  const body = el("tbody"), status = el("span", { class: "hint", role: "status" });
  const more = el("button", { type: "button", class: "do", onclick: () => { most += 200; show(); } });
  const heads = ["item", ...labels.map(one => one.name), "baseline", "candidate", "difference"];

  function show() {
    const found = ranked.filter(i => kinds[kind][1](i) && (!label || labelText(i).includes(label)) &&
      matches([both.name(i), ...labelText(i), ...Object.values(texts.get(both.name(i)) ?? {})].join(" ")));
    body.replaceChildren(...found.slice(0, most).map(row));
    status.textContent = `${thousands(found.length)} of ${thousands(gains.length)} items`;
    more.hidden = found.length <= most;
    more.textContent = `Show more (${thousands(found.length - most)} left)`;
  }
  const whose = what => (what === `${app.systems[pair.b]}: output` ? "chip candidate" : what === `${app.systems[pair.a]}: output` ? "chip baseline" : null);
  function row(i) {
    const told = texts.get(both.name(i));
    const name = told
      ? el("details", { class: "item" }, el("summary", {}, both.name(i)), el("dl", {}, ...Object.entries(told).flatMap(([what, text]) => [el("dt", {}, el("span", { class: whose(what) }, what)), el("dd", {}, text)])))
      : both.name(i);
    return el("tr", {}, el("td", { class: told ? "text" : "name" }, name), ...labelText(i).map(text => el("td", {}, text)),
      el("td", { class: "right" }, short(both.first[i])), el("td", { class: "right" }, short(both.second[i])),
      el("td", { class: `right ${gains[i] > 0 ? "better" : "worse"}` }, signed(short(gains[i]))));
  }
  const buttons = Object.entries(kinds).map(([name, [said, holds]]) =>
    el("button", { type: "button", class: "do", "aria-pressed": String(name === kind), onclick: event => {
      kind = name;
      buttons.forEach(button => button.setAttribute("aria-pressed", String(button === event.currentTarget)));
      most = FIRST_ITEMS;
      show();
    } }, `${said} (${thousands(ranked.filter(holds).length)})`));
  const choices = labels.flatMap(one => one.values.map(value => el("option", { value }, `${one.name}: ${value}`)));
  const filter = labels.length ? el("select", { "aria-label": "only items with this label", onchange: event => { label = event.target.value || null; show(); } }, el("option", { value: "" }, "every label"), ...choices) : null;
  show();
  return [
    el("h3", {}, "Items that decide, the largest differences first"),
    el("div", { class: "tools" }, ...buttons, searchBox("Search items", found => { matches = found; show(); }), filter, status),
    ...captioned(both.block.scale === 100 ? "Scores in points." : binary ? "1 is right, 0 is wrong." : `Scores: ${both.block.metric}.`,
      el("table", {}, el("thead", {}, el("tr", {}, ...heads.map((h, k) => el("th", { scope: "col", class: k > labels.length ? "right" : null }, h)))), body)),
    el("p", {}, more),
  ];
}

// Wins, ties and losses for every value of a label: described, not tested.
function labelSection(pair, both) {
  return both.source.labels.flatMap(one => {
    const codes = unpacked(one, 0);
    const parts = one.values.map((value, code) => {
      const at = [...both.rows.keys()].filter(i => codes[both.rows[i]] === code);
      return { value, n: at.length, first: mean(at.map(i => both.first[i])), second: mean(at.map(i => both.second[i])), gain: mean(at.map(i => both.gains[i])), counts: tally(at.map(i => both.gains[i])) };
    }).filter(part => part.n);
    const points = both.block.percent ? 100 / both.block.scale : 1;
    const shown = x => (both.block.percent ? (points * x).toFixed(1) : short(x));
    const caption = `Means of single items${both.block.percent ? ", in points" : ""}; not tested`;
    return [
      el("h3", {}, `By ${one.name}`),
      ...captioned(caption, el("table", {},
        el("thead", {}, el("tr", {}, ...[one.name, "items", "baseline", "candidate", "difference", "wins/ties/losses", ""].map((h, k) => el("th", { scope: "col", class: k && k < 6 ? "right" : null, "aria-label": h ? null : "drawn" }, h)))),
        el("tbody", {}, ...parts.map(p => el("tr", {}, el("td", { class: "name" }, p.value), ...[thousands(p.n), shown(p.first), shown(p.second), signed(shown(p.gain)), p.counts.map(thousands).join("/")].map(x => el("td", { class: "right" }, x)), el("td", {}, countsBar(p.counts, true)))))),
      ),
    ];
  });
}
