// Elements are made of plain text alone: whatever a name contains, it is shown and never run.

// Characters that turn the direction of writing or hide are spelled out, as on a terminal.
const ACTIVE = /[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff0-\ufffb\ufdd0-\ufdef\p{Cs}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e007f}]/gu;
const calm = text => String(text).replace(ACTIVE, c => "\\u" + c.codePointAt(0).toString(16).padStart(4, "0"));

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : calm(value));
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) element.append(child instanceof Node ? child : calm(child));
  }
  return element;
}
const el = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) =>
  filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

const thousands = n => n.toLocaleString("en-US");
const signed = text => (text.startsWith("-") ? text : "+" + text);
// Four digits, as the tables have them.
const short = x => (Number.isFinite(x) ? String(Number(x.toPrecision(4))) : "");
const cut = (text, most) => ([...text].length > most ? [...text].slice(0, most - 1).join("") + "…" : text);
