// Trees of phrases: in brackets, with those that are wrong marked, and as an outline to choose from.
import { el, fill, share } from "./dom.js";
import { nested } from "./sentences.js";
import { reasons } from "./errors.js";

// Words with brackets around them, [NP the dog], on as many lines as it takes.
export function bracketed(tree) {
  const parts = [], open = [], wrong = new Set(tree.wrong);
  let at = 0;
  const sign = (text, amiss) => (amiss ? el("mark", {}, text) : el("span.soft", {}, text));
  for (let t = 0; t <= tree.words.length; t += 1) {
    while (open.length && open[open.length - 1][0] <= t) parts.push(sign("]", open.pop()[1]));
    if (t && t < tree.words.length) parts.push(" ");
    for (; at < tree.brackets.length && tree.brackets[at][0] === t; at += 1) {
      open.push([tree.brackets[at][1], wrong.has(at)]);
      parts.push(sign("[" + tree.brackets[at][2], wrong.has(at)), " ");
    }
    if (t < tree.words.length) parts.push(tree.words[t]);
  }
  return el("p.text.tagged", {}, parts);
}

export function wrongPhrases(one) {
  const sides = [["right", one.gold], ["said", one.guess], ...(one.other ? [["the other model", one.other]] : [])];
  const why = one.because[0], drawn = el("div", {});
  const draw = () => fill(drawn, sides.map(([name, tree]) => el("div.scroll.wide", { tabindex: "0", role: "region", "aria-label": `The tree, ${name}` },
    el("p.side", {}, name), nested(tree))));
  return el("li.card", {}, el("p.text", {}, one.words.join(" ")),
    one.wrong.length ? el("ul.small", {}, one.wrong.map((row) => el("li", {}, "“", el("span.text", {}, row.words), "”: right ", el("strong", {}, row.gold), ", said ", el("strong", {}, row.guess)))) : null,
    el("div.two", {}, sides.map(([name, tree]) => el("div", {}, el("p.side", {}, name), bracketed(tree)))),
    reasons(one, why ? `For ${why.for} rather than ${why.over} speak ` : ""),
    el("details", { ontoggle: draw }, el("summary", {}, "The trees, drawn"), drawn));
}

// All brackets of a tree, nested as they are; one is chosen by a click.
export function outline(one, marks, choose) {
  const depth = [];
  return el("ul.outline", {}, one.brackets.map(([begin, end, label], k) => {
    while (depth.length && depth[depth.length - 1] < end) depth.pop();
    const item = el("li", {}, el("button", { type: "button", class: marks(begin, end, label) ? "pinned" : null, onclick: () => choose(begin, end) }, el("strong", {}, label), " ",
      short(one.words.slice(begin, end)), one.sure ? el("span.soft.small", {}, " " + share(one.sure[k])) : null));
    item.style.marginLeft = `${Math.min(depth.length, 12) * 0.9}rem`;
    depth.push(end);
    return item;
  }));
}

const short = (words) => (words.length > 12 ? [...words.slice(0, 7), "…", ...words.slice(-3)] : words).join(" ");
