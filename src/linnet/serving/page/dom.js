// Elements, requests and numbers. Texts become text nodes, never HTML: nothing that is shown can act.

export function el(name, given = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const made = document.createElement(tag);
  if (classes.length) made.className = classes.join(" ");
  for (const [key, value] of Object.entries(given)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "value") made.value = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  add(made, children);
  return made;
}

export function add(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : visible(String(child)));
  }
}

export function fill(parent, ...children) {
  parent.replaceChildren();
  add(parent, children);
}

// What would be invisible or turn the line around is written out.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]/gu;
export function visible(text) {
  return text.replace(HIDDEN, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

export function svg(name, given = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(given)) {
    if (value === null || value === undefined) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value);
  }
  add(made, children);
  return made;
}

export async function ask(view, given = {}) {
  const answer = await fetch("api/" + view, { method: "POST", body: JSON.stringify(given) });
  const told = await answer.json();
  if (!answer.ok) throw new Error(told.error || answer.statusText);
  return told;
}

let clearing = 0;
export function say(text) {
  const place = document.getElementById("said");
  place.textContent = visible(text);
  clearTimeout(clearing);
  clearing = setTimeout(() => { place.textContent = ""; }, 5000);
}

export const share = (value) => (value === null || value === undefined ? "–" : (100 * value).toFixed(1) + " %");
export const signed = (value) => (value > 0 ? "+" : value < 0 ? "−" : "") + Math.abs(value).toFixed(4);
export const count = (value) => Number(value).toLocaleString("en");
export const named = (label) => (Array.isArray(label) ? label.join(", ") || "no label" : label); // one, or a set of them
export const wrong = (error) => el("p.error", { role: "alert" }, error.message);

export function table(caption, heads, rows, numbers = []) {
  const n = (k) => (numbers.includes(k) ? ".n" : "");
  return el("div.scroll", { tabindex: "0", role: "region", "aria-label": caption },
    el("table", {}, el("caption", {}, caption),
      el("thead", {}, el("tr", {}, heads.map((head, k) => el("th" + n(k), { scope: "col" }, head)))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell, k) => el("td" + n(k), {}, cell)))))));
}

// Keys that mean something on a view; not while someone types.
export function keys(handle) {
  const listen = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    if (handle(event.key, event)) event.preventDefault();
  };
  document.addEventListener("keydown", listen);
  return () => document.removeEventListener("keydown", listen);
}

export function onEnter(input, run) {
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    run();
  });
}

// A name that is typed, or taken from the list; of one that no other begins like, the beginning will do.
export function naming(id, title, verb, names, use) {
  const input = el("input", { id, type: "text", list: id + "s", autocomplete: "off" });
  const run = () => {
    const given = input.value.trim(), like = names.includes(given) ? [given] : names.filter((name) => given && name.startsWith(given));
    if (like.length !== 1) { say(like.length ? `${like.length} labels begin like this` : "no label is called so"); return; }
    input.value = "";
    use(like[0]);
  };
  onEnter(input, run);
  return el("div", {}, el("label", { for: id }, title), el("span.row", {}, input,
    el("datalist", { id: id + "s" }, names.map((name) => el("option", { value: name }))), el("button", { type: "button", onclick: run }, verb)));
}

export const pause = (milliseconds) => new Promise((done) => { setTimeout(done, milliseconds); });

export function later(run, wait = 120) {
  let timer = 0;
  return (...given) => { clearTimeout(timer); timer = setTimeout(() => run(...given), wait); };
}
