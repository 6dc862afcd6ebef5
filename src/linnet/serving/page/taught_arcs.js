// Teach, for dependency parsers: a word, then its head, then its relation; the rest is found under these.
import { el, fill, keys, naming, say, share } from "./dom.js";
import { arcs } from "./sentences.js";
import { correcting } from "./taught.js";

const UNSURE = 0.7;

export async function teachArcs(place, first, about) {
  let heads = {}, relations = {}, at = 1, chosen = null; // words from 1, 0 is the root
  const note = el("p.small", { role: "status" }), field = el("div", {}), drawing = el("div.scroll.wide", { tabindex: "0", role: "region", "aria-label": "The tree" });
  const self = correcting(first, {
    begin: () => { heads = {}; relations = {}; at = 1; chosen = null; },
    tree: (one) => ({ heads: one.heads, relations: one.relations }),
    pins: () => ({ heads, relations }),
    restore: (old) => { heads = old.heads; relations = old.relations; chosen = null; },
    draw,
  });
  const word = (k) => (k ? self.one.words[k - 1] : "root");
  function pick(k) {
    at = k;
    if (chosen === null && k === 0) say("choose a word first, then the root as its head");
    else if (chosen === null) chosen = k;
    else if (chosen === k) chosen = null;
    else {
      const own = chosen;
      self.ask(() => { heads[own - 1] = k; at = own; chosen = null; }, `${word(own)} ← ${word(k)}`);
      return;
    }
    show();
  }
  function relate(name) {
    const own = chosen || at;
    if (own) self.ask(() => { relations[own - 1] = name; at = own; chosen = null; }, `${word(own)}: ${name}`);
  }
  function release() {
    const own = chosen || at;
    if (!own || (heads[own - 1] === undefined && relations[own - 1] === undefined)) { say("nothing is pinned there"); return; }
    self.ask(() => { delete heads[own - 1]; delete relations[own - 1]; at = own; chosen = null; }, `${word(own)}: let go`);
  }
  function show() { // what is chosen
    self.out.querySelectorAll("[data-word]").forEach((button, k) => {
      button.setAttribute("aria-pressed", String(k === chosen));
      button.tabIndex = k === at ? 0 : -1;
    });
    const now = self.out.querySelector(`[data-word="${at}"]`);
    if (now && !(field.contains(document.activeElement) && document.activeElement.tagName === "INPUT")) now.focus();
    tell();
  }
  let named = -1; // the word whose relation is asked for
  function tell() {
    const own = chosen || at, one = self.one;
    fill(note, own === 0 ? "The root, as the head of a word that is chosen before." : chosen === null
      ? ["“", el("strong", {}, word(own)), `” ← ${word(one.heads[own - 1])} (${one.relations[own - 1]}). Choose the word (Space), then its head.`]
      : ["Now choose the head of “", el("strong", {}, word(own)), "”, or the root; Escape lets it go."]);
    if (own === named || own === 0) return;
    named = own;
    const pinned = heads[own - 1] !== undefined || relations[own - 1] !== undefined;
    fill(field, el("div.row", {}, naming("relation", ["Relation of “" + word(own) + "” ", el("kbd", {}, "l")], "Set", self.names(), relate),
      pinned ? el("button", { type: "button", onclick: release }, "Let go ", el("kbd", {}, "x")) : null));
  }
  function button(k) {
    const one = self.one, i = k - 1, sure = k && one.sure ? one.sure[i] : null;
    const pinned = k && (heads[i] !== undefined || relations[i] !== undefined);
    return el("li", {}, el("button", { type: "button", "data-word": k, tabindex: k === at ? 0 : -1, "aria-pressed": "false",
      class: (pinned ? "pinned" : "") + (sure !== null && sure < UNSURE ? " unsure" : ""), onclick: () => pick(k) },
    el("span", {}, word(k)), k ? el("span.tag", {}, `${one.relations[i]} ← ${word(one.heads[i])}`) : null,
    sure !== null && sure < UNSURE ? el("span.tag", {}, share(sure)) : null, pinned ? el("span.unseen", {}, "pinned by you") : null));
  }
  function draw(keep) {
    const one = self.one;
    named = -1;
    const pinned = one.words.map((_, k) => k).filter((k) => heads[k] !== undefined || relations[k] !== undefined);
    fill(drawing, arcs({ ...one, pinned }, (k) => { chosen = null; pick(k + 1); }, "a click chooses the word"));
    fill(self.out, el("div.card", {}, drawing, el("ul.tokens.heads", { "aria-label": "Words with their heads; arrows move, Space chooses" },
      [0, ...one.words.map((_, k) => k + 1)].map(button)), note, field, self.notes(),
    one.sure ? el("p.soft.small", {}, `Dashed: heads that are less than ${100 * UNSURE} % probable.`) : null), self.buttons());
    if (keep) show(); else tell();
  }
  self.start(place, "Choose a word, then its head; the rest is parsed anew under what you have set.", "relation", about);
  return keys((key, event) => {
    if (!self.one) return self.loop.key(key, event);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: self.one.words.length }[key];
    if (to !== undefined) { at = Math.min(Math.max(to, 0), self.one.words.length); show(); }
    else if (key === "Escape" && chosen !== null) { chosen = null; show(); }
    else if (key === "l") { const input = document.getElementById("relation"); if (input) input.focus(); }
    else if (key === "r" && chosen !== null) pick(0);
    else if (key === "x") release();
    else if (key === "z") self.undone();
    else return self.loop.key(key, event);
    return true;
  });
}
