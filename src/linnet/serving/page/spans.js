// Teach, for taggers: spans or tags of words, by mouse and by keys; the model goes on from its weights.
import { ask, count, el, fill, keys, onEnter, say } from "./dom.js";
import { behind } from "./teach.js";
import { exports } from "./labels.js";

const KEYS = "123456789qwrtyiopadfghjl";

export async function teachSpans(place, first) {
  let told = first, busy = false, spans = [], tags = [], at = 0, anchor = 0, extra = [], dragging = false;
  const out = el("section", { "aria-label": "The sentence to label" }), aside = el("section", { "aria-label": "How far you have come" });
  const order = el("select", { id: "order" }, told.orders.map((name) => el("option", { value: name, selected: name === told.order }, name)));
  const note = el("input", { id: "note", type: "text", maxlength: 2000 }), fresh = el("input", { id: "fresh", type: "text" });
  const inSpans = () => told.kind === "spans";
  const types = () => [...told.types, ...extra.filter((one) => !told.types.includes(one))];
  onEnter(note, () => note.blur());
  onEnter(fresh, () => add());
  function add() {
    const name = fresh.value.trim();
    if (name && !types().includes(name)) { extra.push(name); fresh.value = ""; draw(); }
  }
  function begin() {
    const one = told.sentences[0];
    spans = one && one.spans ? one.spans.map((span) => [...span]) : [];
    tags = one && one.tags ? [...one.tags] : [];
    at = anchor = 0;
  }
  async function send(given, words) {
    if (busy) { say("still learning; press again"); return; }
    busy = true;
    const began = performance.now();
    try {
      told = await ask("teach", given);
      begin();
      draw();
      document.body.dataset.took = (performance.now() - began).toFixed(1);
      say(told.refused && given.place !== undefined ? `saved; not learnt: ${told.refused}` : `${words}; learnt in ${Math.round(told.milliseconds)} ms`);
    } catch (error) { say(error.message); }
    busy = false;
  }
  function decide(pass) {
    const one = told.sentences[0];
    if (!one) return;
    const given = { place: one.place, note: note.value };
    note.value = "";
    send(pass ? given : { ...given, ...(inSpans() ? { spans } : { tags }) }, pass ? "passed over" : "saved");
  }
  const chosen = () => [Math.min(at, anchor), Math.max(at, anchor) + 1];
  function clear() {
    const [b, e] = chosen();
    spans = spans.filter(([from, to]) => to <= b || from >= e);
  }
  function mark(type) {
    const [b, e] = chosen();
    if (inSpans()) { clear(); spans.push([b, e, type]); spans.sort((x, y) => x[0] - y[0]); } else tags.fill(type, b, e);
    anchor = at;
    draw(true);
  }
  function move(to, extend) {
    const one = told.sentences[0];
    if (!one) return;
    at = Math.min(Math.max(to, 0), one.words.length - 1);
    if (!extend) anchor = at;
    select();
  }
  function select() {
    const [b, e] = chosen();
    out.querySelectorAll("[data-word]").forEach((button, k) => {
      button.setAttribute("aria-pressed", String(b <= k && k < e));
      button.tabIndex = k === at ? 0 : -1;
    });
    const now = out.querySelector(`[data-word="${at}"]`);
    if (now) now.focus({ preventScroll: false });
  }
  function word(text, k) {
    const span = spans.find(([b, e]) => b <= k && k < e), tag = inSpans() ? (span && span[0] === k ? span[2] : "") : tags[k];
    const kind = span ? types().indexOf(span[2]) % 6 : -1;
    const button = el("button", { type: "button", "data-word": k, tabindex: k === at ? 0 : -1, "aria-pressed": "false",
      class: (span ? `marked kind${kind}` : "") + (span && span[0] === k ? " first" : ""),
      onmousedown: (event) => { event.preventDefault(); dragging = true; move(k, event.shiftKey); },
      onclick: (event) => move(k, event.shiftKey), onmouseenter: () => { if (dragging) move(k, true); } }, el("span", {}, text), " ", el("span.tag", {}, tag),
      span && span[0] < k ? el("span.unseen", {}, `${span[2]}, goes on`) : null);
    return el("li", {}, button);
  }
  function draw(keep) {
    const one = told.sentences[0];
    if (!one) { fill(out, el("p", {}, "No sentence is left.")); } else {
      fill(out, el("div.card", {}, el("ul.tokens.sentence", { "aria-label": "Words; arrows move, with shift they extend" }, one.words.map(word))),
        el("div.labels", { role: "group", "aria-label": inSpans() ? "Types of spans" : "Tags" }, types().map((type, k) => el("button", { type: "button",
          class: inSpans() ? `kind${k % 6}` : null, onclick: () => mark(type) }, KEYS[k] ? el("kbd", {}, KEYS[k]) : null, " ", type)),
        inSpans() ? el("button", { type: "button", onclick: () => { clear(); draw(true); } }, el("kbd", {}, "0"), " no span") : null),
        el("div.row", {}, el("button.main", { type: "button", onclick: () => decide(false) }, "Save ", el("kbd", {}, "Enter")),
          el("button", { type: "button", onclick: () => decide(true) }, "Pass ", el("kbd", {}, "s")),
          el("button", { type: "button", onclick: () => send({ undo: true }, "taken back") }, "Undo ", el("kbd", {}, "u"))));
      if (keep) select();
    }
    const right = told.agreed.filter((same) => same).length;
    fill(aside, el("p", { role: "status" }, `${count(told.decided)} decided, ${count(told.left)} left.`,
      told.agreed.length ? ` Of the last ${told.agreed.length} the model had guessed ${right}.` : ""),
    told.refused ? el("p.error", {}, told.refused) : null,
    behind(told, () => send({ learn: true }, "fitted anew")),
    told.last.length ? [el("h2", {}, "Last decisions"), el("ul.list", {}, told.last.map((row) => el("li.card.small", {}, el("p.text", {}, row.text),
      el("p", {}, "you: ", el("strong", {}, row.tags === null ? "passed over" : row.tags), row.note ? [". Note: ", row.note] : ""))))] : null,
    told.sentences.length > 1 ? [el("h2", {}, "Coming next"), el("ul", {}, told.sentences.slice(1).map((row) => el("li.text", {}, row.words.join(" ").slice(0, 160))))] : null);
  }
  order.addEventListener("change", () => send({ order: order.value }, order.value));
  fill(place, el("h1", {}, "Teach"), el("p.soft", {}, "What the model guesses is marked; what you save is appended to ", el("span", {}, told.file),
    " at once. Choose words by a click or arrows, several by dragging or with shift, then a type."),
  out, el("div.row", {}, el("div", {}, el("label", { for: "order" }, "Queue"), order), el("div", {}, el("label", { for: "note" }, ["Note ", el("kbd", {}, "n")]), note),
    el("div", {}, el("label", { for: "fresh" }, inSpans() ? "New type" : "New tag"), el("span.row", {}, fresh, el("button", { type: "button", onclick: add }, "Add")))),
  aside, exports());
  begin();
  draw();
  const up = () => { dragging = false; };
  document.addEventListener("mouseup", up);
  const off = keys((key, event) => {
    const onWord = event.target.dataset && event.target.dataset.word !== undefined;
    if (key === "ArrowRight") move(at + 1, event.shiftKey);
    else if (key === "ArrowLeft") move(at - 1, event.shiftKey);
    else if (key === "Enter" && (onWord || event.target.tagName !== "BUTTON") && event.target.tagName !== "A") decide(false);
    else if (key === "s") decide(true);
    else if (key === "u") send({ undo: true }, "taken back");
    else if (key === "n") note.focus();
    else if ((key === "0" || key === "Backspace") && inSpans()) { clear(); draw(true); }
    else if (KEYS.includes(key) && types()[KEYS.indexOf(key)] !== undefined) mark(types()[KEYS.indexOf(key)]);
    else return false;
    return true;
  });
  return () => { off(); document.removeEventListener("mouseup", up); };
}
