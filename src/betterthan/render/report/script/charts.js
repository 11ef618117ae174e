// Charts are drawn in the page's colours, so that they follow it into the dark and onto paper.
const WIDE = 440, TALL = 230;

function ticks(low, high, most = 5) {
  const raw = (high - low) / most || 1, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find(m => m * power >= raw * 0.999) * power;
  const places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const out = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) out.push([k * step, (k * step).toFixed(Math.min(places, 12))]);
  return out;
}

// A frame with a horizontal axis; returns the drawing and the place of a value.
function framed(low, high, label, { height = TALL, left = 8, bottom = 38, top = 24 } = {}) {
  const right = WIDE - 8, place = x => left + ((x - low) / (high - low || 1)) * (right - left);
  const base = height - bottom;
  const picture = svg("svg", { class: "chart", viewBox: `0 0 ${WIDE} ${height}`, width: WIDE, height, "aria-hidden": "true" });
  for (const [value, text] of ticks(low, high)) {
    picture.append(svg("line", { class: "grid", x1: place(value), x2: place(value), y1: top, y2: base }));
    picture.append(svg("text", { class: "soft", x: Math.min(Math.max(place(value), 14), WIDE - 14), y: base + 15, "text-anchor": "middle" }, text));
  }
  picture.append(svg("line", { class: "axis", x1: left, x2: right, y1: base, y2: base }));
  picture.append(svg("text", { x: (left + right) / 2, y: height - 6, "text-anchor": "middle" }, cut(label, 64)));
  return { picture, place, base, top, left, right };
}

function figure(caption, alt, ...drawn) {
  return el("figure", {}, el("figcaption", {}, caption), el("div", { role: "img", "aria-label": alt }, ...drawn));
}

function lawFigure(law, p) {
  const half = law.width / 2;
  const low = Math.min(law.at[0] - half, law.observed, 0), high = Math.max(law.at.at(-1) + half, law.observed, 0);
  const axis = law.unit ? `${law.name} in points` : law.name;
  const frame = framed(low, high, law.resampled ? `${axis}, over all resamples` : `${axis}, if the labels meant nothing`);
  const most = Math.max(...law.at.map((_, k) => law.rest[k] + law.tail[k]));
  const room = frame.base - frame.top;
  const wide = Math.max(0.92 * (frame.place(law.width) - frame.place(0)), 0.6);
  law.at.forEach((x, k) => {
    let from = frame.base;
    for (const kind of ["tail", "rest"]) {
      const height = (law[kind][k] / most) * room;
      if (height > 0.05) frame.picture.append(svg("rect", { class: kind === "tail" ? "tail" : "tie", x: frame.place(x) - wide / 2, width: wide, y: (from -= height), height }));
    }
  });
  const x = frame.place(law.observed), end = x > WIDE / 2;
  frame.picture.append(svg("line", { class: "mark", x1: x, x2: x, y1: 14, y2: frame.base }));
  frame.picture.append(svg("text", { x: end ? x - 5 : x + 5, y: 18, "text-anchor": end ? "end" : "start" }, `observed ${signed(short(law.observed))}${law.unit}`));
  // A tail that nobody sees is pointed at where it begins.
  const hidden = !law.resampled && Math.max(...law.tail) < 0.02 * most;
  for (const at of hidden ? [law.observed, ...(law.both ? [-law.observed] : [])] : []) {
    const tip = frame.place(Math.min(Math.max(at, low), high));
    frame.picture.append(svg("polygon", { class: "tail", points: `${tip - 5},${frame.base - 10} ${tip + 5},${frame.base - 10} ${tip},${frame.base - 1}` }));
  }
  const dark = hidden ? "beyond ▼, too few to be seen" : "dark";
  const caption = law.resampled ? `All resamples of the data, ${p}` : `Null distribution; ${dark}: at least as extreme as the data, ${p}`;
  return figure(caption, `${caption}; observed ${short(law.observed)}${law.unit}`, frame.picture);
}

// Bins of differences: zero is an edge, or the centre of a bin of its own where items tie.
function bins(gains) {
  const sorted = Float64Array.from(gains).sort(), n = sorted.length;
  const low = sorted[0], high = sorted[n - 1], span = high - low || 1;
  const spread = sorted[Math.floor(0.75 * (n - 1))] - sorted[Math.floor(0.25 * (n - 1))];
  let width = spread > 0 ? (2 * spread) / Math.cbrt(n) : span / 20; // Freedman & Diaconis (1981)
  const values = [...new Set(sorted)];
  if (values.length > 1 && values.length <= 40) width = Math.max(Math.min(...values.slice(1).map((v, k) => v - values[k])), span / 60);
  width = Math.min(Math.max(width, span / 60), span / 12);
  const shift = sorted.some(g => g === 0) ? 0.5 : 0;
  const first = Math.floor(low / width - shift), count = Math.max(Math.ceil(high / width - shift) - first, 1);
  const heights = new Array(count + 1).fill(0);
  for (const gain of sorted) heights[Math.min(Math.floor(gain / width - shift + 1e-9) - first, count)]++;
  if (heights[count] === 0) heights.pop();
  return heights.map((height, k) => ({ from: (first + k + shift) * width, to: (first + k + 1 + shift) * width, height }));
}

function differencesFigure(pair, both) {
  const unit = both.block.scale === 100 ? " in points" : "";
  const made = bins(both.gains), most = Math.max(...made.map(b => b.height));
  const frame = framed(made[0].from, made.at(-1).to, `difference on an item${unit}, towards better`, { left: 8 });
  for (const b of made) {
    const middle = (b.from + b.to) / 2, width = frame.place(b.to) - frame.place(b.from), height = (b.height / most) * (frame.base - frame.top);
    const kind = Math.abs(middle) < 1e-9 * (b.to - b.from) ? "tie" : middle > 0 ? "candidate" : "baseline";
    if (b.height) frame.picture.append(svg("rect", { class: kind, x: frame.place(b.from) + 0.03 * width, width: 0.94 * width, y: frame.base - height, height }, svg("title", {}, thousands(b.height))));
  }
  const centre = mean(both.gains), x = frame.place(centre), end = x > WIDE / 2;
  frame.picture.append(svg("line", { class: "mark", x1: x, x2: x, y1: 14, y2: frame.base }));
  frame.picture.append(svg("text", { x: end ? x - 5 : x + 5, y: 18, "text-anchor": end ? "end" : "start" }, `mean ${signed(short(centre))}`));
  const caption = "Differences item by item";
  return figure(caption, `${caption}; mean ${short(centre)}, from ${short(made[0].from)} to ${short(made.at(-1).to)}`, frame.picture);
}

function scatterFigure(pair, both) {
  const side = 360, left = 46, top = 10, size = side - left - 10, deep = top + size + 40;
  const low = Math.min(...both.first.reduce(least, [Infinity]), ...both.second.reduce(least, [Infinity]));
  const high = Math.max(...both.first.reduce(largest, [-Infinity]), ...both.second.reduce(largest, [-Infinity]));
  const pad = 0.04 * (high - low || 1), from = low - pad, to = high + pad;
  const across = x => left + ((x - from) / (to - from)) * size, up = y => top + size - ((y - from) / (to - from)) * size;
  const picture = svg("svg", { class: "chart", viewBox: `0 0 ${side} ${deep}`, width: side, height: deep, "aria-hidden": "true" });
  const corners = [[from, to], [to, from]].map(([x, y]) => `${across(from)},${up(from)} ${across(to)},${up(to)} ${across(x)},${up(y)}`);
  const kinds = both.block.lower ? ["baseline", "candidate"] : ["candidate", "baseline"];
  corners.forEach((points, k) => picture.append(svg("polygon", { class: kinds[k], points, "fill-opacity": 0.08 })));
  for (const [value, text] of ticks(from, to, 4)) {
    picture.append(svg("text", { class: "soft", x: across(value), y: top + size + 16, "text-anchor": "middle" }, text));
    picture.append(svg("text", { class: "soft", x: left - 6, y: up(value) + 4, "text-anchor": "end" }, text));
  }
  picture.append(svg("line", { class: "axis", x1: across(from), x2: across(to), y1: up(from), y2: up(to) }));
  // Items on the same spot, or in the same small square where there are many, make it larger.
  const spots = new Map(), fine = both.rows.length > 1500;
  const snap = v => (fine ? from + (Math.floor(((v - from) / (to - from)) * 60) + 0.5) * ((to - from) / 60) : v);
  both.first.forEach((x, i) => {
    const key = `${snap(x)},${snap(both.second[i])}`;
    spots.set(key, (spots.get(key) || 0) + 1);
  });
  const most = Math.max(...spots.values());
  const points = svg("g", { class: "points", "fill-opacity": fine || most > 3 ? 0.55 : 0.4 });
  for (const [key, count] of spots) {
    const [x, y] = key.split(",").map(Number);
    points.append(svg("circle", { cx: across(x).toFixed(1), cy: up(y).toFixed(1), r: (fine || most > 3 ? 1 + 5 * Math.sqrt(count / most) : 2.2).toFixed(1) }));
  }
  picture.append(points);
  const [x, y] = [mean(both.first), mean(both.second)];
  picture.append(svg("line", { class: "line-baseline", x1: across(x), x2: across(x), y1: top, y2: top + size }));
  picture.append(svg("line", { class: "line-candidate", x1: left, x2: left + size, y1: up(y), y2: up(y) }));
  picture.append(svg("text", { class: "baseline", x: left + size / 2, y: deep - 6, "text-anchor": "middle" }, cut(app.systems[pair.a], 44)));
  picture.append(svg("text", { class: "candidate", x: 0, y: 0, transform: `translate(11 ${top + size / 2}) rotate(-90)`, "text-anchor": "middle" }, cut(app.systems[pair.b], 44)));
  const caption = "Every item: the baseline across, the candidate up; lines are means, the diagonal is a tie";
  return figure(caption, `${caption}; means ${short(x)} and ${short(y)}`, picture);
}
const least = ([low], x) => [Math.min(low, x)], largest = ([high], x) => [Math.max(high, x)];

// Right and wrong of both systems: the table behind McNemar's test.
function crossFigure(pair, both) {
  const counts = [0, 0, 0, 0];
  both.first.forEach((x, i) => counts[2 * x + both.second[i]]++);
  const good = both.block.lower ? 0 : 1, n = both.rows.length;
  const cell = (x, y) => {
    const count = counts[2 * x + y], kind = x === y ? "" : y === good ? "win" : "loss";
    return el("td", { class: kind }, `${thousands(count)} `, el("span", { class: "hint" }, `${((100 * count) / n).toFixed(1)} %`));
  };
  const words = good ? ["right", "wrong"] : ["0", "1"], order = [good, 1 - good];
  const table = el("table", { class: "cross" },
    el("thead", {}, el("tr", {}, el("td", {}), ...words.map(w => el("th", { scope: "col" }, el("span", { class: "chip candidate" }, `candidate ${w}`))))),
    el("tbody", {}, ...order.map((x, k) => el("tr", {}, el("th", { scope: "row" }, el("span", { class: "chip baseline" }, `baseline ${words[k]}`)), ...order.map(y => cell(x, y))))));
  return el("figure", {}, el("figcaption", {}, "Both systems on every item; only those that one gets right alone decide"), el("div", { class: "wide" }, table));
}

function countsBar(counts, small = false) {
  const bar = el("div", { class: small ? "bar small" : "bar", "aria-hidden": "true" });
  ["won", "tied", "lost"].forEach((kind, k) => {
    if (!counts[k]) return;
    const part = el("span", { class: kind });
    part.style.flex = `${counts[k]} 0 0`;
    bar.append(part);
  });
  return bar;
}

// One interval in a row of a table, on a scale that all rows share.
function intervalCell({ value, ends, kind }, [from, to], zero) {
  const wide = 150, place = x => 4 + ((Math.min(Math.max(x, from), to) - from) / (to - from || 1)) * (wide - 8);
  const drawn = svg("svg", { width: wide, height: 18, viewBox: `0 0 ${wide} 18`, "aria-hidden": "true" });
  if (zero) drawn.append(svg("line", { class: "axis", x1: place(0), x2: place(0), y1: 0, y2: 18 }));
  if (ends.some(x => x !== null)) drawn.append(svg("line", { class: kind.line, "stroke-width": 2, x1: place(ends[0] ?? from), x2: place(ends[1] ?? to), y1: 9, y2: 9 }));
  if (value !== null) drawn.append(svg("circle", { class: kind.fill, cx: place(value), cy: 9, r: 4 }));
  return drawn;
}
const KINDS = {
  better: { line: "line-candidate", fill: "candidate" },
  worse: { line: "line-baseline", fill: "baseline" },
  "can't tell": { line: "line-unsure", fill: "soft" },
};
function reachOf(rows, zero) {
  const all = rows.flatMap(row => [row.value, ...row.ends]).filter(x => x !== null);
  return [Math.min(...all, ...(zero ? [0] : [])), Math.max(...all, ...(zero ? [0] : []))];
}
