// Teach, for parsers: what trees of arcs and of phrases have in common, and the state of what is learnt.
import { ask, count, el, fill, pause, say } from "./dom.js";
import { looping } from "./loop.js";
import { exports } from "./labels.js";

// A tree under corrections. `given` says which; `undone` takes the last of them back.
export function correcting(first, hooks) {
  let before = [], asked = 0, busy = false;
  const self = { one: null, by_hand: "" };
  self.begin = () => {
    const one = self.loop.told.sentences[0];
    self.one = one && (one.heads || one.brackets) ? one : null;
    before = [];
    self.by_hand = "";
    hooks.begin();
  };
  self.loop = looping(first, { begin: self.begin, draw: () => self.draw(), line: (row) => row.tree, save: () => {
    if (busy) say("still parsing; press again"); else if (self.one) self.loop.decide({ tree: hooks.tree(self.one) });
  } });
  self.ask = async (change, words) => { // the tree anew, after a change of what is pinned
    const was = { one: self.one, by_hand: self.by_hand, pins: hooks.pins(), text: JSON.stringify(hooks.pins()) }, mine = ++asked;
    const old = JSON.parse(was.text);
    change();
    busy = true;
    try {
      const found = await ask("teach", { place: was.one.place, redraw: true, tree: hooks.tree(was.one), ...hooks.pins() });
      if (mine !== asked) return;
      before.push({ ...was, pins: old });
      self.one = found;
      self.by_hand = found.by_hand;
      say(words);
    } catch (error) { hooks.restore(old); say(error.message); }
    busy = false;
    self.draw(true);
  };
  self.undone = () => {
    const last = before.pop();
    if (!last) { say("no correction to take back"); return; }
    self.one = last.one;
    self.by_hand = last.by_hand;
    hooks.restore(last.pins);
    self.draw(true);
    say("correction taken back");
  };
  self.draw = (keep) => {
    if (!self.one) fill(self.out, el("p", {}, "No sentence is left."));
    else hooks.draw(keep);
    progress();
  };
  self.notes = () => (self.by_hand ? el("p.error", {}, `Done by hand, as the parser has no such tree: ${self.by_hand}. All else stays as it was.`) : null);
  self.buttons = () => {
    const row = self.loop.buttons();
    row.insertBefore(el("button", { type: "button", disabled: !before.length, onclick: self.undone }, "Take correction back ", el("kbd", {}, "z")), row.children[1]);
    return row;
  };
  const progress = () => self.loop.progress(aside, state(self.loop));
  self.out = el("section", { "aria-label": "The sentence to correct" });
  const aside = el("section", { "aria-label": "How far you have come" }), fresh = el("input", { id: "fresh", type: "text" });
  const extra = [];
  self.names = () => [...self.loop.told.names, ...extra.filter((name) => !self.loop.told.names.includes(name))];
  const add = () => {
    const name = fresh.value.trim();
    if (!name || /\s/.test(name)) { say("a name without blanks is wanted"); return; }
    if (!self.names().includes(name)) extra.push(name);
    fresh.value = "";
    self.draw();
    say(`${name}: added`);
  };
  fresh.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); add(); } });
  self.start = (place, hint, kind, about) => {
    fill(place, el("h1", {}, "Teach"), el("p.soft", {}, "The tree is what the parser says, until you save it; what you save is appended to ", el("span", {}, first.file), ` at once. ${hint}`),
      first.left_out ? el("p.soft.small", {}, `Left out: ${count(first.left_out)} sentences of more than 250 words, or with blanks within words.`) : null,
      self.out, self.loop.settings(el("div", {}, el("label", { for: "fresh" }, `New ${kind}`), el("span.row", {}, fresh, el("button", { type: "button", onclick: add }, "Add")))),
      aside, exports(about.exports));
    self.begin();
    self.draw();
    follow();
  };
  const follow = async () => { // a fit in the background that comes to its end; the tree on the page stays
    while (aside.isConnected || !self.started) {
      self.started = true;
      await pause(1000);
      if (!aside.isConnected) return;
      if (self.loop.told.fitting === null || self.loop.told.fitting === undefined) continue;
      const decided = self.loop.told.decided;
      try {
        const told = await ask("teach", {});
        if (self.loop.told.decided !== decided) continue; // it is older than what is shown
        const kept = self.loop.told.sentences[0], others = told.sentences.filter((one) => !kept || one.place !== kept.place);
        self.loop.told = { ...told, sentences: kept ? [kept, ...others] : told.sentences };
        progress();
      } catch (error) { say(error.message); }
    }
  };
  return self;
}

function state(loop) {
  const { learnt, fitted, fitting, failed, cannot, refits, behind, fit_milliseconds: took } = loop.told;
  const seconds = (time) => `${(time / 1000).toFixed(1)} s`, parts = [];
  if (cannot && !refits) return el("p.error", {}, `What you decide is kept, and not learnt: ${cannot}. With what it was trained on (--train) the parser is fitted anew.`);
  if (!learnt) parts.push("The parser is as it came.");
  else if (!refits) parts.push(`${count(learnt)} of your trees are learnt, by some steps from its weights; with what it was trained on (--train) it would be fitted anew, too, which is better.`);
  else {
    parts.push(fitted ? `Fitted to what it was trained on and ${count(fitted)} of your ${count(learnt)} trees${took ? `, in ${seconds(took)}` : ""}.` : "Not fitted anew yet.");
    if (behind) parts.push(cannot ? ` ${count(behind)} wait for the next fit.` : ` ${count(behind)} are learnt by some steps, which is quick and less good.`);
  }
  if (fitting !== null && fitting !== undefined) parts.push(` Fitting anew since ${fitting.toFixed(0)} s; you can go on.`);
  return [el("p", { id: "state" }, parts), failed ? el("p.error", {}, `The last fit failed: ${failed}`) : null,
    refits && behind && fitting === null ? el("p", {}, el("button", { type: "button", onclick: () => loop.send({ learn: true }, "a fit has begun") }, "Fit anew")) : null];
}
