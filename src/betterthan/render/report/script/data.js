// What Python put into the page: what is drawn, and the document that can be downloaded.
const app = JSON.parse(document.getElementById("app").textContent);
let documentRead = null;
const results = () => (documentRead ??= JSON.parse(document.getElementById("results").textContent));

const bytesOf = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));

// One system's scores: places in a list of levels, packed into bits, or floats.
function unpacked(block, at) {
  const bytes = bytesOf(block.data[at]);
  const out = new Float64Array(block.n);
  if (block.bits === 32) {
    const view = new DataView(bytes.buffer);
    for (let i = 0; i < block.n; i++) out[i] = view.getFloat32(4 * i, true);
    return out;
  }
  const per = 8 / block.bits, mask = 2 ** block.bits - 1;
  for (let i = 0; i < block.n; i++) {
    const level = block.levels[(bytes[Math.floor(i / per)] >> (block.bits * (i % per))) & mask];
    out[i] = level === undefined ? NaN : level;
  }
  return out;
}

// Both systems of a pair on the items that both have; gains are towards better.
function sideBySide(pair) {
  const block = app.blocks[pair.block];
  if (!block) return null;
  const [x, y] = [pair.a, pair.b].map(k => unpacked(block, block.systems.indexOf(app.systems[k])));
  const rows = [], first = [], second = [], gains = [];
  const slack = block.bits === 32 ? 1e-7 : 1e-12;
  for (let i = 0; i < block.n; i++) {
    if (Number.isNaN(x[i]) || Number.isNaN(y[i])) continue;
    const gain = (y[i] - x[i]) * (block.lower ? -1 : 1);
    const noise = slack * Math.max(Math.abs(x[i]), Math.abs(y[i]));
    rows.push(i);
    first.push(x[i] * block.scale);
    second.push(y[i] * block.scale);
    gains.push(Math.abs(gain) <= noise ? 0 : gain * block.scale);
  }
  const source = app.sources[block.source];
  return { block, rows, first, second, gains, source, name: i => (source.items ? source.items[rows[i]] : String(rows[i] + 1)) };
}

const mean = values => values.reduce((sum, x) => sum + x, 0) / values.length;
const tally = gains => [gains.filter(g => g > 0).length, gains.filter(g => g === 0).length, gains.filter(g => g < 0).length];

// The law of wins minus losses when each may change sides: a binomial law.
function binomialLaw([wins, , losses]) {
  const m = wins + losses, observed = wins - losses;
  let logs = [0];
  for (let k = 1; k <= m; k++) logs.push(logs[k - 1] + Math.log((m - k + 1) / k));
  const mass = logs.map(log => Math.exp(log - m * Math.LN2));
  const reach = Math.max(4.5 * Math.sqrt(m), 1.15 * Math.abs(observed));
  const kept = mass.map((p, k) => [2 * k - m, p]).filter(([value]) => Math.abs(value) <= reach);
  const stride = Math.ceil(kept.length / 80), law = { name: "wins minus losses", unit: "", observed, resampled: false, both: true, width: 2 * stride, at: [], rest: [], tail: [] };
  for (let k = 0; k < kept.length; k += stride) {
    const part = kept.slice(k, k + stride);
    const sum = chosen => part.filter(([value]) => (Math.abs(value) >= Math.abs(observed)) === chosen).reduce((s, [, p]) => s + p, 0);
    law.at.push(mean(part.map(([value]) => value)));
    law.rest.push(sum(false));
    law.tail.push(sum(true));
  }
  return law;
}
