// Try, for taggers and parsers: spans with marginals, trees, brackets; what is clicked is pinned.
import { el, fill, share, svg, table } from "./dom.js";

export function sentences(out, told, state, run, about) {
  const draw = { tag: tags, parse: tree, trees: brackets }[about.task];
  const parts = told.sentences.map((one, s) => draw(one, s, told, state, run));
  if (!parts.length) parts.push(el("p.soft", {}, "Nothing to see yet: type a sentence."));
  const pins = state.pinned.length + state.forbidden.length;
  fill(out, pins ? el("div.row", {}, el("p", { role: "status" }, `${pins} pinned; the rest was found under it.`),
    el("button", { type: "button", onclick: () => { state.pinned = []; state.forbidden = []; run(); } }, "Unpin all")) : null, parts);
}

const type = (tag) => tag.replace(/^[BIESLUMW]-/, "");

function tags(one, s, told, state, run) {
  const kinds = [...new Set(told.tags.filter((tag) => tag !== "O").map(type))];
  const place = el("div", {});
  const tokens = one.tokens.map((token, k) => el("li", {}, el("button", {
    type: "button", class: (token.tag === "O" ? "" : "named kind" + kinds.indexOf(type(token.tag)) % 6) + (token.pinned ? " pinned" : ""),
    "aria-pressed": String(token.pinned),
    onclick: () => choose(k),
  }, el("span", {}, token.word), el("span.tag", {}, token.tag))));
  function choose(k) {
    const token = one.tokens[k];
    const chance = new Map(token.chances || []);
    const set = (tag) => {
      state.pinned = state.pinned.filter(([a, b]) => a !== s || b !== k);
      if (tag !== null) state.pinned.push([s, k, tag]);
      run();
    };
    fill(place, el("div.card", { role: "group", "aria-label": `Tag of ${token.word}` },
      el("h3", {}, `Pin the tag of “${token.word}”`),
      el("div.labels", {}, told.tags.map((tag) => el("button", { type: "button",
        "aria-pressed": String(tag === token.tag), onclick: () => set(tag) }, tag,
      chance.has(tag) ? el("span.soft.small", {}, " " + share(chance.get(tag))) : null)),
      token.pinned ? el("button", { type: "button", onclick: () => set(null) }, "Unpin") : null)));
    place.querySelector("button").focus();
  }
  const probable = one.tokens.some((token) => token.chances);
  return el("section.card", { "aria-label": `Sentence ${s + 1}` },
    el("ul.tokens", {}, tokens), place,
    probable ? table("How probable the tags are", ["word", "tag", "probability", "others"], one.tokens.map((token) => [
      token.word, token.tag, share((token.chances.find((c) => c[0] === token.tag) || [0, 0])[1]),
      token.chances.filter((c) => c[0] !== token.tag && c[1] > 0.001).map((c) => `${c[0]} ${share(c[1])}`).join(", ")]), [2]) : null,
    one.best.length ? table("Best sequences", ["score", "tags"], one.best.map(([list, score]) => [score.toFixed(3), list.join(" ")]), [0]) : null);
}

function tree(one, s, told, state, run) {
  let chosen = null;
  const note = el("p.small", { role: "status" }, "Choose an arc to pin it, or a word and then its head.");
  const pick = (m) => {
    if (chosen === null) {
      if (m === 0) return;
      chosen = m;
      fill(note, `Now choose the head of “${one.words[m - 1]}”: a word, or the root.`);
      return;
    }
    const word = chosen;
    chosen = null;
    if (m === word) { fill(note, "Choose a word, then its head."); return; }
    pin(word - 1, m);
  };
  const pin = (k, h) => {
    const others = state.pinned.filter(([a, b]) => a !== s || b !== k);
    const there = state.pinned.some(([a, b, head]) => a === s && b === k && head === h);
    state.pinned = there ? others : [...others, [s, k, h]];
    run();
  };
  const buttons = el("ul.tokens", {}, [el("li", {}, el("button", { type: "button", onclick: () => pick(0) }, "root")),
    one.words.map((word, k) => el("li", {}, el("button", { type: "button", class: one.pinned.includes(k) ? "pinned" : "",
      onclick: () => pick(k + 1) }, el("span", {}, word), one.tags ? el("span.tag", {}, one.tags[k]) : null)))]);
  const head = (h) => (h === 0 ? "root" : one.words[h - 1]);
  const differing = (heads, relations) => one.words.map((word, k) => {
    const [first, names] = one.best[0];
    return heads[k] === first[k] && relations[k] === names[k] ? null : `${word} ← ${head(heads[k])} (${relations[k]})`;
  }).filter((one) => one !== null).join(", ");
  return el("section.card", { "aria-label": `Sentence ${s + 1}` },
    el("div.scroll.wide", { tabindex: "0", role: "region", "aria-label": "The tree" }, arcs(one, pin)),
    buttons, note,
    table("Heads", ["word", "relation", "head", ...(one.leads ? ["lead", "second"] : ["probability", "others"])], one.words.map((word, k) => {
      if (one.leads) {
        const { lead, second } = one.leads[k];
        return [word, one.relations[k], head(one.heads[k]), lead === null ? "–" : lead.toFixed(3), second === null ? "" : head(second)];
      }
      const list = one.chances ? one.chances[k] : [];
      const own = list.find((c) => c[0] === one.heads[k]);
      return [word, one.relations[k], head(one.heads[k]), own ? share(own[1]) : "–",
        list.filter((c) => c[0] !== one.heads[k]).map((c) => `${head(c[0])} ${share(c[1])}`).join(", ")];
    }), [3]),
    one.leads ? el("p.soft.small", {}, "The lead is what the best tree in which the word has another head, the second, scores less.") : null,
    table("Best trees", ["score", "other than the first"], one.best.map(([heads, relations, score], k) => [score.toFixed(3), k ? differing(heads, relations) : "as it is drawn"]), [0]));
}

// A tree over its words; of one that is only looked at, arcs are not clicked, and wrong ones are marked.
export function arcs(one, pin = null, hint = "a click pins it, or lets it go") {
  const widths = one.words.map((word, k) => 22 + 8 * Math.max(Array.from(word).slice(0, 40).length, one.relations[k].length, one.tags ? one.tags[k].length : 0));
  const x = [];
  widths.reduce((at, width) => { x.push(at + width / 2); return at + width; }, 10);
  const spans = one.heads.map((h, k) => [Math.min(h, k + 1), Math.max(h, k + 1), k]).filter(([a]) => a > 0)
    .sort((a, b) => (a[1] - a[0]) - (b[1] - b[0]));
  const level = new Map(), heights = new Array(one.words.length + 1).fill(0);
  for (const [a, b, k] of spans) {
    const high = 1 + Math.max(0, ...heights.slice(a, b));
    level.set(k, high);
    for (let i = a; i < b; i += 1) heights[i] = high;
  }
  const top = 24 + 24 * (1 + Math.max(0, ...level.values())), parts = [svg("title", {}, "Dependency tree")];
  one.heads.forEach((h, k) => {
    const tip = x[k], pinned = one.pinned.includes(k) ? " pinned" : one.wrong && one.wrong.has(k) ? " amiss" : "", own = one.chances && one.chances[k].find((c) => c[0] === h);
    const act = pin ? { class: "act", onclick: () => pin(k, h) } : {};
    const about = svg("title", {}, `${one.words[k]} ← ${h ? one.words[h - 1] : "root"}${own ? ", " + share(own[1]) : ""}${pin ? "; " + hint : ""}`);
    if (h === 0) {
      parts.push(svg("g", act, about, svg("path", { class: "arc" + pinned, d: `M${tip},14V${top - 6}` }),
        svg("text", { x: tip + 4, y: 16 }, one.relations[k])));
    } else {
      const from = x[h - 1] + (h - 1 < k ? 5 : -5), to = tip + (h - 1 < k ? -5 : 5), y = top - 24 * level.get(k);
      parts.push(svg("g", act, about, svg("path", { class: "arc" + pinned, d: `M${from},${top}V${y + 6}Q${from},${y} ${from + Math.sign(to - from) * 6},${y}H${to - Math.sign(to - from) * 6}Q${to},${y} ${to},${y + 6}V${top - 6}` }),
        svg("text", { x: (from + to) / 2, y: y - 4, "text-anchor": "middle" }, one.relations[k])));
      parts.push(svg("path", { class: "tip", d: `M${to},${top}l-4,-8h8z` }));
    }
    parts.push(svg("text", { x: tip, y: top + 18, "text-anchor": "middle" }, Array.from(one.words[k]).slice(0, 40).join("")));
    if (one.tags) parts.push(svg("text", { x: tip, y: top + 36, "text-anchor": "middle", "font-style": "italic" }, one.tags[k]));
  });
  const width = 20 + widths.reduce((a, b) => a + b, 0), height = top + 46;
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": pin ? "Dependency tree, told in the table below" : "Dependency tree" }, parts);
}

function brackets(one, s, told, state, run) {
  const same = (row, [begin, end, label]) => row[0] === s && row[1] === begin && row[2] === end && row[3] === label;
  const toggle = (list, bracket) => {
    const there = state[list].some((row) => same(row, bracket));
    for (const name of ["pinned", "forbidden"]) state[name] = state[name].filter((row) => !same(row, bracket));
    if (!there) state[list].push([s, ...bracket]);
    run();
  };
  const words = (begin, end) => one.words.slice(begin, end).join(" ");
  const shown = one.chances || one.brackets.map((bracket) => [...bracket, null]);
  const inside = new Set(one.brackets.map(String));
  return el("section.card", { "aria-label": `Sentence ${s + 1}` },
    el("div.scroll.wide", { tabindex: "0", role: "region", "aria-label": "The tree" }, nested(one, (bracket) => toggle("pinned", bracket), (bracket) => state.pinned.some((row) => same(row, bracket)))),
    el("p.text.small", {}, one.tree),
    table("Phrases, in the tree or near it", ["label", "words", "probability", "in the tree", "pin"], shown.map(([begin, end, label, chance]) => {
      const bracket = [begin, end, label];
      return [label, words(begin, end), share(chance), inside.has(String(bracket)) ? "yes" : "no",
        el("span", {}, ["pinned", "forbidden"].map((list) => el("button", { type: "button",
          "aria-pressed": String(state[list].some((row) => same(row, bracket))),
          class: state[list].some((row) => same(row, bracket)) ? "pinned" : "",
          "aria-label": `${list === "pinned" ? "Pin" : "Forbid"} ${label} over ${words(begin, end)}`,
          onclick: () => toggle(list, bracket) }, list === "pinned" ? "Pin" : "Forbid")))];
    }), [2]),
    table("Best trees", ["score", "tree"], one.best.map(([line, score]) => [score.toFixed(3), line]), [0]));
}

export function nested(one, pin = null, pinned = () => false, hint = "a click pins it, or lets it go") {
  const widths = one.words.map((word, k) => 16 + 8.5 * Math.max(word.length, one.tags[k].length)), starts = [10];
  for (const width of widths) starts.push(starts[starts.length - 1] + width);
  const middle = (begin, end) => (starts[begin] + starts[end]) / 2;
  const depth = [], rows = one.brackets.map(([begin, end, label]) => {
    while (depth.length && depth[depth.length - 1][1] < end) depth.pop();
    const parent = depth.length ? depth[depth.length - 1] : null;
    const row = [begin, end, label, depth.length, parent];
    depth.push(row);
    return row;
  });
  const wrong = new Set(one.wrong || []);
  const deepest = 1 + Math.max(0, ...rows.map((row) => row[3])), step = 44, parts = [svg("title", {}, "Tree of phrases")];
  const y = (level) => 20 + step * level;
  rows.forEach(([begin, end, label, level, parent], k) => {
    const at = middle(begin, end), act = pin ? "act" : "";
    if (parent) parts.push(svg("line", { class: "axis", x1: at, y1: y(level) - 13, x2: middle(parent[0], parent[1]), y2: y(parent[3]) + 5 }));
    parts.push(svg("g", { class: pinned([begin, end, label]) ? act + " held" : wrong.has(k) ? act + " amiss" : act, onclick: pin ? () => pin([begin, end, label]) : null },
      pin ? svg("title", {}, hint) : null, svg("text", { x: at, y: y(level), "text-anchor": "middle", "font-weight": "bold" }, label)));
  });
  one.words.forEach((word, k) => {
    const over = rows.filter((row) => row[0] <= k && k < row[1]).pop();
    if (over) parts.push(svg("line", { class: "axis", x1: middle(k, k + 1), y1: y(deepest) - 13, x2: middle(over[0], over[1]), y2: y(over[3]) + 5 }));
    parts.push(svg("text", { x: middle(k, k + 1), y: y(deepest), "text-anchor": "middle" }, one.tags[k]));
    parts.push(svg("text", { x: middle(k, k + 1), y: y(deepest) + 20, "text-anchor": "middle" }, word));
  });
  const width = starts[starts.length - 1] + 10, height = y(deepest) + 32;
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": pin ? "Tree of phrases, told in brackets below" : "Tree of phrases" }, parts);
}
