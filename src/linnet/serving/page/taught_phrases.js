// Teach, for parsers of phrases: words, and the brackets over them; the rest is found under what is set.
import { el, fill, keys, naming, say } from "./dom.js";
import { outline } from "./brackets.js";
import { choosing } from "./loop.js";
import { nested } from "./sentences.js";
import { correcting } from "./taught.js";

export async function teachPhrases(place, first, about) {
  let pinned = [], forbidden = [], tags = {};
  const field = el("div", {}), drawing = el("div.scroll.wide", { tabindex: "0", role: "region", "aria-label": "The tree" });
  const self = correcting(first, {
    begin: () => { pinned = []; forbidden = []; tags = {}; words.at = words.anchor = 0; },
    tree: (one) => ({ brackets: one.brackets, tags: one.tags }),
    pins: () => ({ pinned, forbidden, tags }),
    restore: (old) => { ({ pinned, forbidden, tags } = old); },
    draw,
  });
  const words = choosing(self.out, () => (self.one ? self.one.words.length : 0), tell);
  const same = ([b, e, label]) => (row) => row[0] === b && row[1] === e && row[2] === label;
  const said = (b, e) => self.one.words.slice(b, e).join(" ");
  const here = () => { const [b, e] = words.chosen(); return self.one.brackets.filter((row) => row[0] === b && row[1] === e); };
  const put = (row) => { forbidden = forbidden.filter((one) => !same(row)(one)); pinned = [...pinned.filter((one) => !same(row)(one)), row]; };
  const drop = (row) => { pinned = pinned.filter((one) => !same(row)(one)); forbidden = [...forbidden.filter((one) => !same(row)(one)), row]; };
  const add = (label) => { const [b, e] = words.chosen(); self.ask(() => put([b, e, label]), `${label} over ${said(b, e)}`); };
  function relabel(label) {
    const [b, e] = words.chosen(), last = here().pop();
    if (!last) { add(label); return; }
    self.ask(() => { if (last[2] !== label) drop(last); put([b, e, label]); }, `${last[2]} is ${label} now`);
  }
  function remove(row = here().pop()) {
    if (!row) { say("there is no bracket over exactly these words"); return; }
    self.ask(() => drop(row), `${row[2]} over ${said(row[0], row[1])}: removed`);
  }
  function keep(row) { // or let it go
    const [held, out] = [pinned.some(same(row)), () => { pinned = pinned.filter((one) => !same(row)(one)); }];
    self.ask(() => (held ? out() : put(row)), held ? "let go" : "pinned");
  }
  const tag = (name) => { const [b] = words.chosen(); self.ask(() => { tags = { ...tags, [b]: name }; }, `${said(b, b + 1)}: ${name}`); };
  const around = (wider) => { // the next bracket around the words, or the first within
    const [b, e] = words.chosen(), rows = self.one.brackets;
    const fits = wider ? rows.filter((row) => row[0] <= b && row[1] >= e && row[1] - row[0] > e - b) : rows.filter((row) => row[0] >= b && row[1] <= e && row[1] - row[0] < e - b);
    const found = wider ? fits.pop() : fits[0];
    if (found) words.choose(found[0], found[1]); else if (!wider && e - b > 1) words.choose(b, b + 1);
  };
  let told = ""; // of which words
  function tell() {
    const [b, e] = words.chosen(), key = `${b} ${e}`;
    if (!self.one || key === told) return;
    told = key;
    const rows = here(), one = e === b + 1, typing = [...new Set([...Object.values(tags), ...self.one.tags])];
    fill(field, el("p.side.chosen", {}, "“", el("span.text", {}, said(b, e)), "”"),
      rows.length ? el("ul.list", {}, rows.map((row) => el("li.row", {}, el("strong", {}, row[2]), forced(row),
        el("button", { type: "button", onclick: () => remove(row) }, "Remove ", el("span.unseen", {}, row[2], " "), el("kbd", {}, "0")),
        el("button", { type: "button", "aria-pressed": String(pinned.some(same(row))), onclick: () => keep(row) }, pinned.some(same(row)) ? "Let go" : "Pin"))))
        : el("p.soft.small", {}, "No bracket over exactly these words."),
      el("div.row", {}, naming("label", ["Add a bracket ", el("kbd", {}, "l")], "Add", self.names(), add),
        rows.length ? naming("other", [`Change ${rows[rows.length - 1][2]} to `, el("kbd", {}, "c")], "Change", self.names(), relabel) : null,
        one ? tagging(b, typing) : null, words.extending()));
  }
  const forced = (row) => (pinned.some(same(row)) ? el("span.soft.small", {}, "pinned by you") : null);
  function tagging(k, known) { // any tag may be given
    const input = el("input", { id: "tag", type: "text", list: "knowntags", autocomplete: "off", value: self.one.tags[k] });
    const set = () => { const name = input.value.trim(); if (/^[^\s()]+$/.test(name)) tag(name); else say("a tag without blanks and brackets is wanted"); };
    input.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); set(); } });
    return el("div", {}, el("label", { for: "tag" }, "Tag ", el("kbd", {}, "t")), el("span.row", {}, input,
      el("datalist", { id: "knowntags" }, known.map((name) => el("option", { value: name }))), el("button", { type: "button", onclick: set }, "Set")));
  }
  function draw(again) {
    const one = self.one, held = ([b, e, label]) => pinned.some(same([b, e, label]));
    told = "";
    fill(drawing, nested(one, ([b, e]) => words.choose(b, e), held, "a click chooses its words"));
    fill(self.out, el("div.card", {}, drawing,
      el("ul.tokens.sentence", { "aria-label": "Words; arrows move, with shift they extend; up and down go to brackets around and within" }, one.words.map((text, k) =>
        el("li", {}, el("button", { type: "button", class: tags[k] === undefined ? null : "pinned", ...words.on(k) }, el("span", {}, text), " ", el("span.tag", {}, one.tags[k]))))),
      field, self.notes(), el("details", { open: true }, el("summary", {}, `All ${one.brackets.length} brackets`), outline(one, (b, e, label) => held([b, e, label]), (b, e) => words.choose(b, e)))),
    self.buttons());
    if (again) words.show(); else tell();
  }
  self.start(place, "Choose words, and add, change or remove a bracket over them; the rest is parsed anew under what you have set.", "label", about);
  const focus = (id) => { const input = document.getElementById(id); if (input) input.focus(); };
  const off = keys((key, event) => {
    if (!self.one) return self.loop.key(key, event);
    if (words.key(key, event)) return true;
    if (key === "ArrowUp" || key === "ArrowDown") around(key === "ArrowUp");
    else if (key === "0" || key === "Backspace") remove();
    else if (key === "l") focus("label");
    else if (key === "c") focus("other");
    else if (key === "t") focus("tag");
    else if (key === "z") self.undone();
    else return self.loop.key(key, event);
    return true;
  });
  return () => { off(); words.end(); };
}
