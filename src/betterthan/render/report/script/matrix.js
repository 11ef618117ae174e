// Every two systems as a square: blue where the row is better, vermilion where it is worse, grey
// where nobody can tell; the stronger, the larger the difference.
function matrixOf(pairs, title) {
  const names = app.systems, n = names.length;
  const at = new Map(pairs.map((pair, k) => [pair.b * n + pair.a, { pair, k, way: 1 }]));
  pairs.forEach((pair, k) => { if (!at.has(pair.a * n + pair.b)) at.set(pair.a * n + pair.b, { pair, k, way: -1 }); });
  const reach = Math.max(...pairs.map(pair => Math.abs(pair.lead))) || 1;
  let size = n > 40 ? 13 : n > 20 ? 18 : n > 10 ? 28 : 44, here = [0, 1], rested = "";
  const readout = el("p", { class: "readout", role: "status" });
  const side = el("div", { class: "names", "aria-hidden": "true" }), hold = el("div", { class: "wide" }), opened = el("div", { class: "opened" });

  const say = ([i, j]) => {
    const found = at.get(i * n + j);
    readout.replaceChildren(found ? sentence(found, names[i], names[j]) : i === j ? names[i] : `${names[i]} and ${names[j]} were not compared`);
  };
  const sentence = ({ pair, way }, row, column) => {
    const verdict = way > 0 ? pair.verdict : { better: "worse", worse: "better" }[pair.verdict] ?? pair.verdict;
    const words = { better: `${row} is BETTER than ${column}`, worse: `${row} is WORSE than ${column}` }[verdict] ?? `CAN'T TELL ${row} from ${column}`;
    const counts = pair.counts ? `; wins/ties/losses ${(way > 0 ? pair.counts : [...pair.counts].reverse()).map(thousands).join("/")}` : "";
    const effect = way > 0 ? pair.effect : `${pair.effect} for ${column}`;
    return `${words}: ${effect}, ${pText(pair)}${counts}`;
  };
  function draw() {
    const top = 20, wide = n * size;
    const drawn = svg("svg", { width: wide, height: wide + top, viewBox: `0 0 ${wide} ${wide + top}`, tabindex: 0, role: "img",
      "aria-label": `${title} of ${n} systems; arrow keys move, Enter opens the pair; the same is in the table of pairs` });
    const every = Math.ceil(15 / size);
    for (let j = 0; j < n; j += every) drawn.append(svg("text", { class: "soft", x: (j + 0.5) * size, y: top - 6 }, j + 1));
    for (const [key, { pair, way }] of at) {
      const i = Math.floor(key / n), j = key % n, lead = way * pair.lead;
      const sure = pair.verdict !== "can't tell";
      const kind = !sure ? "tie" : (pair.verdict === "better") === way > 0 ? "candidate" : "baseline";
      const depth = sure ? 0.35 + 0.65 * Math.sqrt(Math.min(Math.abs(lead) / reach, 1)) : 0.45;
      drawn.append(svg("rect", { class: kind, "data-at": key, x: j * size, y: top + i * size, width: size - 1, height: size - 1, "fill-opacity": depth.toFixed(2) }));
      if (size >= 30) drawn.append(svg("text", { x: (j + 0.5) * size, y: top + (i + 0.5) * size + 4, class: sure && depth > 0.7 ? "cut" : "ink" }, shownLead(lead)));
    }
    const mark = drawn.appendChild(svg("rect", { class: "here", width: size, height: size, visibility: "hidden" }));
    const point = place => {
      here = place;
      for (const [name, value] of [["x", place[1] * size], ["y", top + place[0] * size], ["visibility", "visible"]]) mark.setAttribute(name, value);
      say(place);
    };
    const open = ([i, j]) => { const found = at.get(i * n + j); if (found) opened.replaceChildren(pairView(found.pair)); };
    const placeOf = event => (event.target.dataset.at === undefined ? null : [Math.floor(event.target.dataset.at / n), event.target.dataset.at % n]);
    drawn.addEventListener("pointermove", event => {
      const spot = `${event.clientX} ${event.clientY}`, place = placeOf(event);
      if (place && spot !== rested) point(place); // the page may scroll under a resting pointer
      rested = spot;
    });
    drawn.addEventListener("click", event => { const place = placeOf(event); if (place) open(place); });
    drawn.addEventListener("focus", () => point(here));
    drawn.addEventListener("keydown", event => {
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      if (step) { event.preventDefault(); point(here.map((x, k) => Math.min(Math.max(x + step[k], 0), n - 1))); }
      if (event.key === "Enter") open(here);
    });
    hold.replaceChildren(drawn);
    side.replaceChildren(...names.map((name, k) => {
      const line = el("div", { title: name }, `${k + 1}  ${cut(name, 60)}`);
      Object.assign(line.style, { height: `${size}px`, lineHeight: `${size}px`, fontSize: `${Math.min(13, Math.max(size - 3, 8))}px` });
      return line;
    }));
    side.style.paddingTop = `${top}px`;
  }
  const zoom = (label, factor) => el("button", { type: "button", class: "do", "aria-label": label, onclick: () => {
    size = Math.round(Math.min(Math.max(size * factor, 8), 64));
    draw();
  } }, factor > 1 ? "+" : "−");
  draw();
  // On paper nothing scrolls: all columns must find room beside the names.
  let shown = size;
  addEventListener("beforeprint", () => { shown = size; size = Math.min(size, Math.floor(440 / n)); draw(); });
  addEventListener("afterprint", () => { size = shown; draw(); });
  return [
    el("p", { class: "legend" }, el("span", { class: "chip candidate" }, "row better"), el("span", { class: "chip" }, "can't tell"), el("span", { class: "chip baseline" }, "row worse"),
      el("span", {}, `${app.effect.name}; columns are numbered as the rows`)),
    el("div", { class: "tools" }, zoom("larger", 1.4), zoom("smaller", 1 / 1.4), el("span", { class: "hint" }, "hover or use the arrow keys; click or Enter opens a pair")),
    readout, el("div", { class: "matrix" }, side, hold), opened,
  ];
}
// Shares of a pair add up to 100 however they are rounded.
const shownLead = lead => (app.effect.neutral ? String(app.effect.neutral + Math.sign(lead) * Math.round(Math.abs(lead))) : signed(Math.abs(lead) >= 100 ? lead.toFixed(0) : Number(lead.toPrecision(2)).toString()));
const pText = pair => (typeof pair.p === "string" ? pair.p : `p ${pair.p.at(-1).startsWith("<") ? "" : "= "}${pair.p.at(-1)}${pair.p.length > 1 ? ` (${app.adjusted.slice(3, -1)})` : ""}`);
