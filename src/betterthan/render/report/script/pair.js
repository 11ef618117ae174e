// A pair of systems: the verdict, what it rests on, and the items.
function pairTitle(pair) {
  const more = [app.several ? pair.metric : null, pair.subset].filter(Boolean).map(x => `, ${x}`).join("");
  return el("span", { class: "pairing" }, el("span", { class: "chip candidate" }, app.systems[pair.b]), el("span", {}, "against"), el("span", { class: "chip baseline" }, app.systems[pair.a] + more));
}

function pairSaid(pair) {
  if (pair.said) return pair.said;
  const [b, a] = [app.systems[pair.b], app.systems[pair.a]];
  const words = { better: `${b} is BETTER than ${a}`, worse: `${b} is WORSE than ${a}` }[pair.verdict] ?? `CAN'T TELL ${b} from ${a}`;
  return `${words}   ${pair.effect}  ${pText(pair)}`;
}

function pairFacts(pair) {
  const facts = pair.facts ?? [
    ...[pair.b, pair.a].map(k => [app.systems[k], app.rows[k].said]),
    [app.effect.name, pair.effect],
    ["p", pair.p[0]],
    ...(pair.p.length > 1 ? [[app.adjusted, pair.p[1]]] : []),
    ["test", app.tests[pair.test]],
    ...(pair.decided ? [["decided by", pair.decided]] : []),
  ];
  return el("dl", {}, ...facts.flatMap(([term, fact]) => [el("dt", {}, term), el("dd", {}, fact)]));
}

function pairBody(pair) {
  const parts = [];
  if (pair.counts && pair.counts.some(Boolean)) {
    const [wins, ties, losses] = pair.counts.map(thousands);
    parts.push(el("p", { class: "counts" }, el("span", { class: "chip candidate" }, `wins ${wins}`), el("span", { class: "chip" }, `ties ${ties}`), el("span", { class: "chip baseline" }, `losses ${losses}`)), countsBar(pair.counts));
  }
  parts.push(pairFacts(pair));
  if (pair.notes?.length) parts.push(el("ul", { class: "notes" }, ...pair.notes.map(note => el("li", {}, note))));
  const both = pair.block === null || pair.block === undefined ? null : sideBySide(pair);
  const law = pair.law === "binomial" ? binomialLaw(pair.counts) : pair.law;
  const drawn = [];
  if (law && law.at.length > 1) drawn.push(lawFigure(law, pair.unadjusted ?? `p ${pair.p[0].startsWith("<") ? "" : "= "}${pair.p[0]}`));
  if (both?.rows.length) drawn.push(...(both.block.binary ? [crossFigure(pair, both)] : [differencesFigure(pair, both), scatterFigure(pair, both)]));
  if (drawn.length) parts.push(el("div", { class: "gallery" }, ...drawn));
  parts.push(...subsetSection(pair));
  if (both?.rows.length) parts.push(...itemsSection(pair, both), ...labelSection(pair, both));
  return parts;
}

// The parts that were tested (--by), as rows of one table.
function subsetSection(pair) {
  const parts = pair.subset === null ? app.pairs.filter(other => other.subset && other.a === pair.a && other.b === pair.b && other.metric === pair.metric) : [];
  if (!parts.length) return [];
  const reach = reachOf(parts.map(p => ({ value: p.lead, ends: p.ends })), true);
  return [el("h3", {}, "Parts, each tested"), ...captioned("Difference and its interval; the parts are adjusted for as one family.", el("table", {},
    el("thead", {}, el("tr", {}, ...["part", "items", "difference", "", app.adjusted ?? "p", "verdict"].map(h => el("th", { scope: "col", "aria-label": h ? null : "drawn" }, h)))),
    el("tbody", {}, ...parts.map(p => el("tr", {}, el("td", { class: "name" }, opener(p, p.subset)), el("td", { class: "right" }, thousands(p.n)), el("td", { class: "right" }, p.effect),
      el("td", {}, intervalCell({ value: p.lead, ends: p.ends, kind: KINDS[p.verdict] }, reach, true)), el("td", { class: "right" }, p.p.replace(/^p (= )?/, "")), el("td", { class: { better: "better", worse: "worse" }[p.verdict] }, p.verdict))))))];
}

// A pair opens below its row of a table, and closes at the second click.
function opener(pair, label) {
  const button = el("button", { type: "button", class: "open", "aria-expanded": "false", onclick: () => {
    const row = button.closest("tr"), below = row.nextElementSibling;
    const closed = !below?.classList.contains("opened");
    button.setAttribute("aria-expanded", String(closed));
    if (closed) row.after(el("tr", { class: "opened" }, el("td", { colspan: row.cells.length }, pairView(pair))));
    else below.remove();
  } }, label);
  return button;
}

function closePairs(body) {
  body.querySelectorAll("tr.opened").forEach(row => row.remove());
  body.querySelectorAll("[aria-expanded=true]").forEach(button => button.setAttribute("aria-expanded", "false"));
}

function pairView(pair) {
  const tone = { better: "better", worse: "worse" }[pair.verdict] ?? "unsure";
  return el("div", { class: "pair" }, el("h3", {}, pairTitle(pair)), el("p", { class: `said ${tone}` }, pairSaid(pair)), ...pairBody(pair));
}
