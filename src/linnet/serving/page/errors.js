// Errors: figures with intervals, confusions and their texts, curves, slices, repetitions, two models.
import { ask, count, el, fill, named, share, signed, table, wrong } from "./dom.js";
import { chart } from "./charts.js";
import { wrongPhrases } from "./brackets.js";
import { arcs } from "./sentences.js";
import { nothingFirst, thresholds, wrongSet, yesNo } from "./sets.js";

const WRONG = { tags: "words got a wrong tag", trees: "words got a wrong head or relation", phrases: "brackets were not found" };

export async function show(place, about) {
  const told = await ask("errors");
  const cell = el("section", { "aria-label": "Texts of a cell", tabindex: "-1" });
  const open = async (asked, title) => {
    try {
      const found = await ask("errors", asked);
      fill(cell, el("h3", {}, title, `: ${count(found.all)}`, found.all > found.texts.length ? `, of which the first ${found.texts.length}` : ""),
        el("ul.list", {}, found.texts.map(wrongText)));
      cell.focus();
    } catch (error) { fill(cell, wrong(error)); }
  };
  fill(place, el("h1", {}, "Errors"),
    el("p", {}, `${count(told.errors)} of ${count(told.examples)} ${WRONG[told.kind] || (told.several ? "texts got a wrong set of labels" : "texts got a wrong label")}.`, told.too_many ? ` ${count(told.too_many)} more were said where there is none.` : "",
      told.not_scored ? ` ${count(told.not_scored)} sentences have other words without punctuation, and are not scored.` : ""),
    metrics(told), told.several ? sets(told, open) : [el("h2", {}, "Confusions"), matrix(told.confusion, open, CONFUSED)], cell,
    el("h2", {}, "Worst errors"), el("ul.list", {}, told.worst.slice(0, 5).map(wrongText)),
    told.worst.length > 5 ? el("details", {}, el("summary", {}, `${told.worst.length - 5} more`), el("ul.list", {}, told.worst.slice(5).map(wrongText))) : null,
    told.curves ? curves(told, about) : null, labels(told), slices(told.kind), told.kind ? null : repeated(), about.rival ? rival() : null);
}

const CONFUSED = { corner: "right \\ said", name: "Confusion matrix", how: "called", about: "Rows are right labels, columns what was said; choose a cell for its texts.", elsewhere: "The labels that are confused most are shown" };
const INSTEAD = { corner: "missed \\ said instead", name: "Missed, and what was said instead", how: "missed, and said instead", about: "Rows are labels that were missed, columns those that were too many; choose a cell for its texts.", elsewhere: "The labels that are missed and too many most often are shown" };

function sets(told, open) {
  return [el("h2", {}, "Labels, yes or no"), el("p.soft.small", {}, "How often each label was rightly said, missed, said too much, and rightly not said; choose a number for its texts."),
    el(told.per_label.length > 20 ? "div.tall" : "div", {}, yesNo(told, open)),
    el("h2", {}, "Missed, and what was said instead"), matrix(nothingFirst(told.instead), open, INSTEAD)];
}

function metrics(told) {
  const names = [...(told.several ? ["micro_f1", "micro_precision", "micro_recall"] : []), "accuracy", "macro_f1", "macro_precision", "macro_recall", "weighted_f1", "token_accuracy", "sentence_accuracy", "span_f1", "uas", "las",
    "precision", "recall", "f1", "unlabelled_f1", "exact", "tagging_accuracy"];
  const rows = names.filter((name) => told.intervals[name]).map((name) => {
    const one = told.intervals[name];
    return [told.several && name === "accuracy" ? "all labels right" : name.replaceAll("_", " "), one.value.toFixed(4), `${one.low.toFixed(4)} to ${one.high.toFixed(4)}`];
  });
  if (told.log_loss !== undefined) rows.push(["log loss", told.log_loss.toFixed(4), ""], ["Brier score", told.brier.toFixed(4), ""]);
  return table("Figures, with 95 % intervals", ["figure", "value", "interval"], rows, [1]);
}

function matrix({ labels: found, counts, elsewhere }, open, told) {
  const labels = found.map((name) => name || "nothing");
  const top = Math.max(...counts.flatMap((row, i) => row.filter((_, j) => i !== j)), 1);
  const upright = labels.join("").length > 70; // what would be broad is written upwards
  return el("div", {},
    el("p.soft.small", {}, told.about, elsewhere ? ` ${told.elsewhere}; ${count(elsewhere)} texts lie outside.` : ""),
    el("div.scroll", { tabindex: "0", role: "region", "aria-label": told.name }, el(upright ? "table.matrix.upright" : "table.matrix", {},
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, told.corner), labels.map((name) => el("th", { scope: "col" }, el("span", {}, name))))),
      el("tbody", {}, counts.map((row, i) => el("tr", {}, el("th", { scope: "row" }, labels[i]), row.map((times, j) => {
        if (!times) return el("td.none", {}, "·");
        const button = el("button", { type: "button", onclick: () => open({ part: "cell", gold: found[i], guess: found[j] }, [el("strong", {}, labels[i]), ` ${told.how} `, el("strong", {}, labels[j])]),
          "aria-label": `${count(times)} of ${labels[i]} ${told.how} ${labels[j]}` }, count(times));
        const strength = i === j ? 0.25 * times / Math.max(...row) : 0.1 + 0.5 * times / top;
        button.style.background = `rgba(var(--${i === j ? "for" : "against"}-fill), ${strength.toFixed(2)})`;
        return el("td", {}, button);
      })))))));
}

function wrongText(one) {
  if (one.tree) return wrongTree(one);
  if (one.gold && one.gold.brackets) return wrongPhrases(one);
  if (one.words) return wrongSentence(one);
  if (Array.isArray(one.gold)) return wrongSet(one, reasons);
  return el("li.card", {}, el("p.text", {}, one.text),
    el("p.small", {}, "right: ", el("strong", {}, one.gold), ", said: ", el("strong", {}, one.guess),
      one.sure === null ? "" : ` (${share(one.sure)})`,
      one.other === undefined ? "" : [", the other model: ", el("strong", {}, one.other)]),
    reasons(one, "because of "));
}

function wrongSentence(one) {
  return el("li.card", {}, el("p.text.tagged", {}, one.words.map((word, k) => {
    const gold = one.golds[k], said = one.guesses[k], other = one.others ? one.others[k] : said;
    if (gold === said && said === other) return [word, said === "O" ? "" : el("span.tag", {}, " " + said), " "];
    return [el("mark", {}, word, el("span.tag", {}, ` right ${gold}, said ${said}`, other === said ? "" : `, the other model ${other}`)), " "];
  })), reasons(one, one.because.length && one.because[0].over ? `“${one.words[one.at]}”: for ${one.guesses[one.at]} over ${one.because[0].over} speak ` : "because of "));
}

function wrongTree(one) {
  const wrong = new Set(one.wrong), others = one.others || one.guesses;
  const drawn = { words: one.words, ...one.tree, pinned: [], wrong };
  const why = one.because[0];
  return el("li.card", {}, el("p.text.tagged", {}, one.words.map((word, k) => {
    if (!wrong.has(k) && others[k] === one.guesses[k]) return [word, " "];
    return [el("mark", {}, word, el("span.tag", {}, wrong.has(k) ? ` right ${one.golds[k]}, said ${one.guesses[k]}` : ` said ${one.guesses[k]}`,
      others[k] === one.guesses[k] ? "" : `, the other model ${others[k]}`)), " "];
  })), reasons(one, why ? `“${one.words[one.at]}”: for ${why.for} over ${why.over} speak ` : ""),
  el("details", {}, el("summary", {}, "The tree that was said"), el("div.scroll.wide", { tabindex: "0", role: "region", "aria-label": "The tree that was said" }, arcs(drawn))));
}

export function reasons(one, begin) {
  return one.because.length ? el("p.small", {}, begin, one.because.map((row, k) => [k ? ", " : "", el("span.feature", {}, row.feature),
    " ", el("span", { class: one.how === "right" || one.how === "neither" ? "for" : "against" }, signed(row.share))])) : null;
}

// Precision, recall, coverage and reliability of all answers or of one label, under one threshold.
function curves(told, about) {
  const drawn = el("div.two", {}), text = el("p", { role: "status" });
  const chosen = el("select", { id: "curve" }, el("option", { value: "" }, "every label"),
    about.labels.map((name) => el("option", { value: name }, name)));
  const slider = el("input", { id: "threshold", type: "range", min: 0, max: told.curves.points.length - 1, value: 0 });
  const own = el("section", { "aria-label": "Thresholds of their own" }), mine = told.several ? thresholds(told.thresholds, own) : null;
  let found = told.curves, marks = [];
  function slide() {
    const row = found.points[Number(slider.value)], at = found.probable ? share(row.threshold) : signed(row.threshold);
    marks.forEach((mark) => mark(row));
    slider.setAttribute("aria-valuetext", at);
    fill(text, found.label ? [el("strong", {}, found.label), ` from ${at} on: ${share(row.coverage)} of texts are called so, ${share(row.precision)} of these rightly, which finds ${share(row.recall)} of those that are.`, mine && row.f1 !== null ? ` F1 is ${row.f1.toFixed(4)}.` : ""]
      : told.several ? `All labels from ${at} on: ${row.each.toFixed(2)} labels to a text, ${share(row.precision)} of these rightly, which finds ${share(row.recall)} of those that are; F1 is ${row.f1 === null ? "–" : row.f1.toFixed(4)}.`
      : `Saying nothing below ${at}: ${share(row.coverage)} of texts are answered, ${share(row.precision)} of these rightly.`);
  }
  function draw() {
    const first = found.points[0].threshold, last = found.points[found.points.length - 1].threshold;
    const name = found.label || "every label", unit = { y: [0, 1] };
    const precise = chart(`Precision and recall of ${name}`, "recall", "precision",
      [{ points: found.points.map((row) => [row.recall, row.precision]) }], { x: [0, 1], ...unit });
    const covering = chart(`Precision, recall and coverage of ${name} by threshold`, "threshold", "share", [
      { points: found.points.map((row) => [row.threshold, row.precision]) },
      { points: found.points.map((row) => [row.threshold, row.recall]), class: "curve2" },
      { points: found.points.map((row) => [row.threshold, row.coverage]), class: "curve3" }], { x: [first, last], ...unit });
    marks = [(row) => covering.mark(row.threshold), (row) => precise.spot(row.recall, row.precision)];
    fill(drawn, el("div.card", {}, el("h3", {}, "Precision and recall"), precise),
      el("div.card", {}, el("h3", {}, "By threshold"), covering, el("p.small.soft", {}, "Solid: precision; dashed: recall; dotted: coverage, the share of texts of which something is said.")),
      found.reliability ? el("div.card", {}, el("h3", {}, "Reliability"), chart(`Reliability of ${name}`, "how sure", "how often right",
        [{ points: found.reliability.map((row) => [row.sure, row.right]), dots: true }], { x: [0, 1], ...unit, diagonal: true })) : null,
      found.reliability ? el("div.card", {}, table("Reliability in numbers", ["sure", "right", "texts"],
        found.reliability.map((row) => [share(row.sure), share(row.right), count(row.texts)]), [0, 1, 2])) : null);
    slide();
  }
  chosen.addEventListener("change", async () => {
    try {
      found = await ask("errors", { part: "curves", label: chosen.value });
      if (mine && found.label) slider.value = nearest(mine.at(found.label));
      draw();
    } catch (error) { fill(drawn, wrong(error)); }
  });
  const nearest = (value) => found.points.reduce((best, row, k) => (Math.abs(row.threshold - value) < Math.abs(found.points[best].threshold - value) ? k : best), 0);
  slider.addEventListener("input", () => {
    slide();
    if (mine && found.label) mine.set(found.label, found.points[Number(slider.value)].threshold);
  });
  if (mine) slider.value = nearest(told.curves.probable ? 0.5 : 0);
  draw();
  return el("section", {}, el("h2", {}, "Curves"), el("div.row", {},
    el("div", {}, el("label", { for: "curve" }, "Label"), chosen),
    el("div", {}, el("label", { for: "threshold" }, told.curves.probable ? "Threshold of probability" : "Threshold of score"), slider)), text, drawn, mine ? own : null);
}

function labels(told) {
  return el(told.per_label.length > 20 ? "section.tall" : "section", {}, el("h2", {}, "Label by label"), table("Labels", [{ tags: "type", trees: "relation" }[told.kind] || "label", told.kind ? "times" : "texts", "precision", "recall", "F1"],
    told.per_label.map((row) => [row.label, count(row.gold), row.precision.toFixed(3), row.recall.toFixed(3), row.f1.toFixed(3)]), [1, 2, 3, 4]));
}

const UNITS = { tags: "words", trees: "words", phrases: "phrases" };

function slices(kind) {
  const unit = UNITS[kind] || "texts";
  const word = el("input", { id: "slice", type: "search" }), out = el("div", { "aria-live": "polite" });
  async function run() {
    try {
      const told = await ask("errors", { part: "slices", word: word.value });
      fill(out, table("Parts of the data", ["part", unit, "right", "95 % interval"], told.slices.map((row) =>
        [row.name, count(row.texts), share(row.right), `${share(row.low)} to ${share(row.high)}`]), [1, 2]));
    } catch (error) { fill(out, wrong(error)); }
  }
  word.addEventListener("change", run);
  run();
  return el("section", {}, el("h2", {}, "Slices"), el("label", { for: "slice" }, `${unit[0].toUpperCase()}${unit.slice(1)} that contain`), word, out);
}

function repeated() {
  const out = el("div", { "aria-live": "polite" });
  const button = el("button", { type: "button", onclick: async () => {
    button.disabled = true;
    try {
      const told = await ask("errors", { part: "repeated" });
      fill(out, told.trained_on ? el("p", {}, `${count(told.trained_on.all)} of these texts were trained on.`) : null,
        told.trained_on && told.trained_on.texts.length ? el("ul", {}, told.trained_on.texts.slice(0, 20).map((text) => el("li.text", {}, text))) : null,
        el("p", {}, `${count(told.all)} pairs have most words in common.`),
        el("ul.list", {}, told.pairs.map((pair) => el("li.card", {}, pair.texts.map((text, k) =>
          el("p.text", {}, el("span.pill", {}, named(pair.labels[k])), " ", text)),
        pair.same ? null : el("p.small.wrong", {}, "Their labels differ.")))));
    } catch (error) { fill(out, wrong(error)); }
    button.disabled = false;
  } }, "Look for them");
  return el("section", {}, el("h2", {}, "Near-duplicates and leaks"), button, out);
}

function rival() {
  const out = el("div", { "aria-live": "polite" }, el("p.busy", {}, "Comparing…"));
  ask("errors", { part: "rival" }).then((told) => {
    const p = told.mcnemar ? told.mcnemar.p : told.differences[0].p, luck = p < 0.05 ? "That is hardly luck." : "That may well be luck.";
    fill(out, el("p", {}, `${told.mcnemar ? "McNemar's test" : "Paired bootstrap"}: p = ${p.toPrecision(3)}. ${luck}`),
      table("Second model minus first", ["figure", "first", "second", "difference", "interval", "p"], told.differences.map((row) => [
        row.metric.replaceAll("_", " "), row.first.toFixed(4), row.second.toFixed(4), signed(row.difference.value),
        `${signed(row.difference.low)} to ${signed(row.difference.high)}`, row.p.toPrecision(2)]), [1, 2, 3, 5]),
      el("h3", {}, `${count(told.all)} on which they differ`), el("ul.list", {}, told.texts.slice(0, 50).map(wrongText)));
  }).catch((error) => fill(out, wrong(error)));
  return el("section", {}, el("h2", {}, "Two models side by side"), out);
}
