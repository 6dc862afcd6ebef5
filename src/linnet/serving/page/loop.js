// What teaching sentences has in common: the queue, notes, decisions that are sent, how far one has come.
import { ask, count, el, fill, onEnter, say } from "./dom.js";

export function looping(first, hooks) {
  let busy = false;
  const self = { told: first, note: el("input", { id: "note", type: "text", maxlength: 2000 }),
    order: el("select", { id: "order" }, first.orders.map((name) => el("option", { value: name, selected: name === first.order }, name))) };
  onEnter(self.note, () => self.note.blur());
  self.order.addEventListener("change", () => self.send({ order: self.order.value }, self.order.value));
  self.send = async (given, words) => {
    if (busy) { say("still learning; press again"); return; }
    busy = true;
    const began = performance.now();
    try {
      self.told = await ask("teach", given);
      hooks.begin();
      hooks.draw();
      document.body.dataset.took = (performance.now() - began).toFixed(1);
      say(self.told.refused && given.place !== undefined ? `saved; not learnt: ${self.told.refused}` : `${words}; learnt in ${Math.round(self.told.milliseconds)} ms`);
    } catch (error) { say(error.message); }
    busy = false;
  };
  self.decide = (what) => { // null passes over
    const one = self.told.sentences[0];
    if (!one) return;
    const given = { place: one.place, note: self.note.value, ...what };
    self.note.value = "";
    self.send(given, what ? "saved" : "passed over");
  };
  self.undo = () => self.send({ undo: true }, "taken back");
  self.buttons = () => el("div.row", {}, el("button.main", { type: "button", onclick: () => hooks.save() }, "Save ", el("kbd", {}, "Enter")),
    el("button", { type: "button", onclick: () => self.decide(null) }, "Pass ", el("kbd", {}, "s")),
    el("button", { type: "button", onclick: self.undo }, "Undo ", el("kbd", {}, "u")));
  self.settings = (more) => el("div.row", {}, el("div", {}, el("label", { for: "order" }, "Queue"), self.order),
    el("div", {}, el("label", { for: "note" }, ["Note ", el("kbd", {}, "n")]), self.note), more);
  self.progress = (aside, state) => {
    const told = self.told, right = told.agreed.filter((same) => same).length;
    fill(aside, el("p", { role: "status" }, `${count(told.decided)} decided, ${count(told.left)} left.`,
      told.agreed.length ? ` Of the last ${told.agreed.length} the model had guessed ${right}.` : ""),
    told.refused ? el("p.error", {}, told.refused) : null, state,
    told.last.length ? [el("h2", {}, "Last decisions"), el("ul.list", {}, told.last.map((row) => el("li.card.small", {}, el("p.text", {}, row.text),
      el("p", {}, "you: ", el("strong", {}, hooks.line(row) === null ? "passed over" : hooks.line(row)), row.note ? [". Note: ", row.note] : ""))))] : null,
    told.sentences.length > 1 ? [el("h2", {}, "Coming next"), el("ul", {}, told.sentences.slice(1).map((row) => el("li.text", {}, row.words.join(" ").slice(0, 160))))] : null);
  };
  self.key = (key, event) => { // those that mean the same everywhere
    const onWord = event.target.dataset && event.target.dataset.word !== undefined;
    if (key === "Enter" && (onWord || event.target.tagName !== "BUTTON") && !/^(A|SUMMARY)$/.test(event.target.tagName)) hooks.save();
    else if (key === "s") self.decide(null);
    else if (key === "u") self.undo();
    else if (key === "n") self.note.focus();
    else return false;
    return true;
  };
  return self;
}

// Words that are chosen: one, or several by dragging or with shift. `changed` is told of it.
export function choosing(out, size, changed = () => {}) {
  const self = { at: 0, anchor: 0 };
  let dragging = false, extends_ = false;
  const up = () => { dragging = false; };
  document.addEventListener("mouseup", up);
  self.end = () => document.removeEventListener("mouseup", up);
  self.chosen = () => [Math.min(self.at, self.anchor), Math.max(self.at, self.anchor) + 1];
  self.choose = (begin, end) => { self.anchor = begin; self.at = end - 1; self.show(); };
  self.move = (to, extend) => {
    if (!size()) return;
    self.at = Math.min(Math.max(to, 0), size() - 1);
    if (!extend) self.anchor = self.at;
    self.show();
  };
  self.show = () => {
    const [b, e] = self.chosen();
    out.querySelectorAll("[data-word]").forEach((button, k) => {
      button.setAttribute("aria-pressed", String(b <= k && k < e));
      button.tabIndex = k === self.at ? 0 : -1;
    });
    const now = out.querySelector(`[data-word="${self.at}"]`);
    if (now) now.focus({ preventScroll: false });
    changed();
  };
  self.on = (k) => ({ "data-word": k, tabindex: k === self.at ? 0 : -1, "aria-pressed": "false",
    onmousedown: (event) => { event.preventDefault(); dragging = true; self.move(k, event.shiftKey || extends_); },
    onclick: (event) => {
      self.move(k, event.shiftKey || extends_);
      extends_ = false;
      out.querySelectorAll(".extend").forEach((button) => button.setAttribute("aria-pressed", "false"));
    },
    onmouseenter: () => { if (dragging) self.move(k, true); } });
  // Where there is neither shift nor dragging: the next word that is touched is the last of several.
  self.extending = () => el("button.extend", { type: "button", "aria-pressed": String(extends_), onclick: (event) => {
    extends_ = !extends_;
    event.currentTarget.setAttribute("aria-pressed", String(extends_));
  } }, "Extend to another word");
  self.key = (key, event) => {
    if (key !== "ArrowRight" && key !== "ArrowLeft") return false;
    self.move(self.at + (key === "ArrowRight" ? 1 : -1), event.shiftKey);
    return true;
  };
  return self;
}
