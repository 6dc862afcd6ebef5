// Teach, for taggers: spans or tags of words, by mouse and by keys; the model goes on from its weights.
import { el, fill, keys, onEnter } from "./dom.js";
import { choosing, looping } from "./loop.js";
import { behind } from "./teach.js";
import { exports } from "./labels.js";

const KEYS = "123456789qwrtyiopadfghjl";

export async function teachSpans(place, first) {
  let spans = [], tags = [], extra = [];
  const out = el("section", { "aria-label": "The sentence to label" }), aside = el("section", { "aria-label": "How far you have come" });
  const fresh = el("input", { id: "fresh", type: "text" });
  const loop = looping(first, { begin, draw: () => draw(), line: (row) => row.tags, save: () => loop.decide(inSpans() ? { spans } : { tags }) });
  const words = choosing(out, () => (loop.told.sentences[0] ? loop.told.sentences[0].words.length : 0));
  const inSpans = () => first.kind === "spans";
  const types = () => [...loop.told.types, ...extra.filter((one) => !loop.told.types.includes(one))];
  onEnter(fresh, () => add());
  function add() {
    const name = fresh.value.trim();
    if (name && !types().includes(name)) { extra.push(name); fresh.value = ""; draw(); }
  }
  function begin() {
    const one = loop.told.sentences[0];
    spans = one && one.spans ? one.spans.map((span) => [...span]) : [];
    tags = one && one.tags ? [...one.tags] : [];
    words.at = words.anchor = 0;
  }
  function clear() {
    const [b, e] = words.chosen();
    spans = spans.filter(([from, to]) => to <= b || from >= e);
  }
  function mark(type) {
    const [b, e] = words.chosen();
    if (inSpans()) { clear(); spans.push([b, e, type]); spans.sort((x, y) => x[0] - y[0]); } else tags.fill(type, b, e);
    words.anchor = words.at;
    draw(true);
  }
  function word(text, k) {
    const span = spans.find(([b, e]) => b <= k && k < e), tag = inSpans() ? (span && span[0] === k ? span[2] : "") : tags[k];
    const kind = span ? types().indexOf(span[2]) % 6 : -1;
    const button = el("button", { type: "button", ...words.on(k),
      class: (span ? `marked kind${kind}` : "") + (span && span[0] === k ? " first" : "") }, el("span", {}, text), " ", el("span.tag", {}, tag),
      span && span[0] < k ? el("span.unseen", {}, `${span[2]}, goes on`) : null);
    return el("li", {}, button);
  }
  function draw(keep) {
    const one = loop.told.sentences[0];
    if (!one) { fill(out, el("p", {}, "No sentence is left.")); } else {
      fill(out, el("div.card", {}, el("ul.tokens.sentence", { "aria-label": "Words; arrows move, with shift they extend" }, one.words.map(word))),
        el("div.labels", { role: "group", "aria-label": inSpans() ? "Types of spans" : "Tags" }, types().map((type, k) => el("button", { type: "button",
          class: inSpans() ? `kind${k % 6}` : null, onclick: () => mark(type) }, KEYS[k] ? el("kbd", {}, KEYS[k]) : null, " ", type)),
        inSpans() ? el("button", { type: "button", onclick: () => { clear(); draw(true); } }, el("kbd", {}, "0"), " no span") : null, words.extending()),
        loop.buttons());
      if (keep) words.show();
    }
    loop.progress(aside, behind(loop.told, () => loop.send({ learn: true }, "fitted anew")));
  }
  fill(place, el("h1", {}, "Teach"), el("p.soft", {}, "What the model guesses is marked; what you save is appended to ", el("span", {}, first.file),
    " at once. Choose words by a click or arrows, several by dragging or with shift, then a type."),
  out, loop.settings(
    el("div", {}, el("label", { for: "fresh" }, inSpans() ? "New type" : "New tag"), el("span.row", {}, fresh, el("button", { type: "button", onclick: add }, "Add")))),
  aside, exports());
  begin();
  draw();
  const off = keys((key, event) => {
    if (words.key(key, event)) return true;
    if ((key === "0" || key === "Backspace") && inSpans()) { clear(); draw(true); }
    else if (KEYS.includes(key) && types()[KEYS.indexOf(key)] !== undefined) mark(types()[KEYS.indexOf(key)]);
    else return loop.key(key, event);
    return true;
  });
  return () => { off(); words.end(); };
}
