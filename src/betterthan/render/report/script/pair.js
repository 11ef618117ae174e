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
    el("tbody", {}, ...parts.map(p => el("tr", {}, el("td", { class: "name" }, el("a", { class: "plain", href: `#pair-${p.index}` }, p.subset)), el("td", { class: "right" }, thousands(p.n)), el("td", { class: "right" }, p.effect),
      el("td", {}, intervalCell({ value: p.lead, ends: p.ends, kind: KINDS[p.verdict] }, reach, true)), el("td", { class: "right" }, p.p.replace(/^p (= )?/, "")), el("td", { class: { better: "better", worse: "worse" }[p.verdict] }, p.verdict))))))];
}

// The page of a pair, with ways to the next one.
function pairPage(pair) {
  const same = app.pairs.filter(other => other.metric === pair.metric && other.subset === pair.subset);
  const choose = (at, label) => {
    const options = [...new Set(same.flatMap(other => (at === "b" ? (other.a === pair.a ? [other.b] : other.b === pair.a ? [other.a] : []) : other.b === pair.b ? [other.a] : other.a === pair.b ? [other.b] : [])))].sort((x, y) => x - y);
    const fixed = at === "b" ? pair.a : pair.b;
    return el("label", {}, el("span", { class: `chip ${label}` }, ""), el("select", { "aria-label": label, onchange: event => {
      const other = Number(event.target.value);
      const found = same.find(p => (p.a === fixed && p.b === other) || (p.b === fixed && p.a === other));
      if (found) location.hash = `#pair-${found.index}`;
    } }, ...options.map(k => el("option", { value: k, selected: k === pair[at] }, cut(app.systems[k], 60)))));
  };
  const step = (way, label) => {
    const next = same[same.indexOf(pair) + way];
    return next ? el("a", { href: `#pair-${next.index}` }, label) : null;
  };
  return [
    el("p", { class: "tools" }, el("a", { href: "#verdict" }, "← all results"), step(-1, "previous pair"), step(1, "next pair"), ...(same.length > 1 ? [choose("b", "candidate"), choose("a", "baseline")] : [])),
    el("h2", { tabindex: -1 }, pairTitle(pair)),
    el("p", { class: `said ${{ better: "better", worse: "worse" }[pair.verdict] ?? "unsure"}` }, pairSaid(pair)),
    ...pairBody(pair),
  ];
}
