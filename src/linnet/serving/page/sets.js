// Texts with several labels each: yes or no of every label, thresholds of their own, and sets that are chosen by keys.
import { ask, count, el, fill, later, naming, say, share, signed, table, wrong } from "./dom.js";

const HOWS = [["right", "right"], ["missed", "missed"], ["too many", "too_many"], ["neither", "neither"]];

// Of each label how often it was rightly said, missed, said too much and rightly not said: each opens its texts.
export function yesNo(told, open) {
  const most = { missed: Math.max(1, ...told.per_label.map((row) => row.missed)), too_many: Math.max(1, ...told.per_label.map((row) => row.too_many)) };
  const cell = (row, how, name) => {
    const times = row[name];
    if (!times) return el("td.none", {}, "·");
    const button = el("button", { type: "button", "aria-label": `${row.label}: ${count(times)} ${how}`,
      onclick: () => open({ part: "label", label: row.label, how }, [el("strong", {}, row.label), ` ${how}`]) }, count(times));
    const good = name === "right";
    if (name !== "neither") button.style.background = `rgba(var(--${good ? "for" : "against"}-fill), ${(good ? 0.25 * times / Math.max(1, row.gold) : 0.1 + 0.5 * times / most[name]).toFixed(2)})`;
    return el("td", {}, button);
  };
  return el("div.scroll", { tabindex: "0", role: "region", "aria-label": "Yes and no of every label" }, el("table.matrix.yesno", {},
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "label"), HOWS.map(([how]) => el("th", { scope: "col" }, how)))),
    el("tbody", {}, told.per_label.map((row) => el("tr", {}, el("th", { scope: "row" }, row.label), HOWS.map(([how, name]) => cell(row, how, name)))))));
}

// What is most often so, a label that is missed and none said instead, stands where it is seen.
export function nothingFirst({ labels, counts, elsewhere }) {
  const order = [...labels.keys()].sort((a, b) => (labels[b] === null) - (labels[a] === null));
  return { labels: order.map((k) => labels[k]), counts: order.map((i) => order.map((j) => counts[i][j])), elsewhere };
}

export function wrongSet(one, reasons) {
  const other = one.other, all = [...new Set([...one.gold, ...one.guess, ...(other || [])])].sort();
  const pill = (label) => {
    const right = one.gold.includes(label), said = one.guess.includes(label);
    const how = right && said ? "" : right ? "missed " : said ? "too many: " : "rightly not said: ";
    const theirs = other && other.includes(label) !== said ? (other.includes(label) ? "; said by the other model" : "; not said by the other model") : "";
    return [el("span.pill", { class: how ? `pill ${right ? "missed" : "extra"}` : "pill" }, how, el("strong", {}, label), theirs), " "];
  };
  const why = { right: "for", "too many": "for", missed: "against", neither: "against" }[one.how];
  return el("li.card", {}, el("p.text", {}, one.text), el("p.small", {}, all.length ? all.map(pill) : "no label, and none was said"),
    one.about ? el("p.small.soft", {}, one.about, one.sure === null ? ` has the score ${signed(one.score)}` : ` is probable by ${share(one.sure)}`) : null,
    reasons(one, [why, " ", el("strong", {}, one.about || ""), " speak "]));
}

// What thresholds would give that are chosen label by label; `chosen` is told each time they change.
export function thresholds(first, place) {
  const shown = (value) => (value === null ? "–" : first.probable ? share(value) : signed(value));
  const out = el("div", {}), status = el("p", { role: "status" });
  let chosen = {}, asked = 0;
  const update = later(async () => {
    const mine = ++asked;
    try {
      const told = await ask("errors", { part: "thresholds", thresholds: chosen });
      if (mine === asked) draw(told);
    } catch (error) { say(error.message); }
  }, 60);
  const figures = (name, row) => [name, row.micro_f1.toFixed(4), row.macro_f1.toFixed(4), row.micro_precision.toFixed(4), row.micro_recall.toFixed(4), row.accuracy.toFixed(4)];
  function draw(told) {
    const some = Object.keys(chosen).length, kept = first.probable ? Object.fromEntries(Object.entries(chosen).map(([k, v]) => [k, Number(v.toFixed(3))])) : null;
    fill(status, some ? `With ${count(some)} ${some === 1 ? "threshold" : "thresholds"} of yours micro F1 is ${told.figures.chosen.micro_f1.toFixed(4)}; it was ${told.figures.now.micro_f1.toFixed(4)}.` : "Choose a label above and move the slider: its threshold is kept here.");
    fill(out, table("What they would give", ["thresholds", "micro F1", "macro F1", "precision", "recall", "all labels right"], [
      figures("as the model has them", told.figures.now), some ? figures("yours", told.figures.chosen) : null,
      figures("the best of each, by these texts themselves", told.figures.best),
      figures("the best of each, by the other half of these texts", told.figures.halves)].filter((row) => row), [1, 2, 3, 4, 5]),
    el("div", { class: told.rows.length > 20 ? "tall" : null }, table("Thresholds, label by label", ["label", "texts", "threshold", "F1", "yours", "precision", "recall", "F1 then", "best", "F1 then"], told.rows.map((row) => {
      const mine = row.chosen !== null;
      return [row.label, count(row.texts), shown(row.now), row.now_f1.toFixed(3), shown(row.chosen), mine ? row.precision.toFixed(3) : "–", mine ? row.recall.toFixed(3) : "–", mine ? row.f1.toFixed(3) : "–",
        shown(row.best), row.best_f1 === null ? "–" : row.best_f1.toFixed(3)];
    }), [1, 2, 3, 4, 5, 6, 7, 8, 9])),
    some && kept ? el("p.small", {}, "As a setting: ", el("code", {}, `thresholds=${JSON.stringify(kept)}`)) : null);
  }
  draw(first);
  fill(place, el("h3", {}, "Thresholds of their own"), el("p.soft.small", {}, "A threshold that is chosen by these texts flatters itself on them; the last row tells what is left of that on texts that did not choose."),
    el("div.row", {}, el("button", { type: "button", onclick: () => { chosen = Object.fromEntries(first.rows.filter((row) => row.best !== null).map((row) => [row.label, row.best])); update(); } }, "Take the best of each"),
      el("button", { type: "button", onclick: () => { chosen = {}; update(); } }, "As the model has them")), status, out);
  return {
    at: (label) => (label in chosen ? chosen[label] : (first.rows.find((row) => row.label === label) || { now: null }).now),
    set: (label, value) => { chosen[label] = value; update(); },
  };
}

// A set of labels: buttons that keys toggle, and a field for those that have no key.
export function toggles(id, draw) {
  let chosen = new Set();
  const sorted = () => [...chosen].sort();
  const turn = (name) => { if (chosen.has(name)) chosen.delete(name); else chosen.add(name); draw(); };
  const toggle = (name) => { // by a key, which no button tells of
    turn(name);
    say(`${name}: ${chosen.has(name) ? "set" : "not set"}`);
  };
  const press = (event) => { // the button is drawn anew, and keeps the focus
    const { label } = event.currentTarget.dataset;
    turn(label);
    const again = [...document.querySelectorAll("[data-label]")].find((one) => one.dataset.label === label);
    if (again) again.focus();
  };
  return {
    toggle, labels: sorted,
    begin: (names) => { chosen = new Set(names); },
    clear: () => { chosen.clear(); draw(); },
    has: (name) => chosen.has(name),
    button: (name, key, beside) => el("button", { type: "button", "aria-pressed": String(chosen.has(name)), "data-label": name, onclick: press },
      key ? [el("kbd", {}, key), " "] : null, chosen.has(name) ? el("span", { "aria-hidden": "true" }, "✓ ") : null, name, beside ? el("span.small", {}, " " + beside) : null),
    find: (names, title) => naming(id, title, "Toggle", names, toggle),
    now: () => el("p.small", { role: "status" }, "Chosen: ", chosen.size ? sorted().map((name, k) => [k ? ", " : "", el("strong", {}, name)]) : el("strong", {}, "no label")),
  };
}
