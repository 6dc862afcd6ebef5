// Try: what the model says of a text while it is typed, and why.
import { ask, el, fill, later, say, share, signed, table, wrong } from "./dom.js";
import { sentences } from "./sentences.js";

export async function show(place, about) {
  const input = el("textarea", { id: "text", "aria-describedby": "hint", spellcheck: "false" });
  input.value = about.example;
  const out = el("section", { "aria-label": "Answer" });
  const state = { struck: [], label: null, removal: false, pinned: [], forbidden: [] };
  let asked = 0;
  async function run() {
    const mine = ++asked;
    try {
      const told = await ask("try", { text: input.value, ...state });
      if (mine !== asked) return;
      if (about.task === "classify") labels(out, told, state, run, about);
      else sentences(out, told, state, run, about);
    } catch (error) { if (mine === asked) fill(out, wrong(error)); }
  }
  const typed = later(run);
  input.addEventListener("input", () => {
    Object.assign(state, { struck: [], removal: false, pinned: [], forbidden: [] });
    typed();
  });
  fill(place, el("h1", {}, "Try"), el("label", { for: "text" }, "Text"), input,
    el("p.soft.small", { id: "hint" }, HINTS[about.task]), out);
  await run();
}

const HINTS = {
  classify: "Type or paste. Choose a label to see what speaks for it; strike words out to see what they are worth.",
  tag: "Type or paste. Click a word to pin its tag: the others are found anew under it.",
  parse: "Type or paste. Click an arc, or a word and then its head, to pin it: the rest is parsed anew under it.",
  trees: "Type or paste. Click a bracket to pin it or to forbid it: the rest is parsed anew under it.",
};

function labels(out, told, state, run, about) {
  const numbers = told.labels.slice(0, 12);
  const top = Math.max(...numbers.map((one) => Math.abs(one.score)), 1e-9);
  const before = new Map((told.before || []).map((one) => [one.label, one]));
  const chosen = told.explained ? told.explained.label : null;
  const focused = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.key : null;
  fill(out,
    el("p.current", { role: "status" }, "Answer: ", el("strong", {}, told.answer),
      about.probable && !told.said ? ` (${share(told.labels[0].probability)})` : ""),
    el("h2", {}, about.probable ? "Labels and probabilities" : "Labels and scores"),
    el(numbers.some((one) => one.label.length > 24) ? "ul.bars.long" : "ul.bars", {}, numbers.map((one) => {
      const width = one.probability === null ? Math.max(0, one.score) / top : one.probability;
      const track = el("span.fill", {});
      track.style.width = (100 * width).toFixed(1) + "%";
      const old = before.get(one.label);
      const was = old ? (one.probability === null ? one.score - old.score : one.probability - old.probability) : null;
      return el("li", {},
        el("button", { type: "button", "aria-pressed": String(one.label === chosen), "data-key": "l" + one.label,
          onclick: () => { state.label = one.label; run(); } }, told.said && told.said.includes(one.label) ? "✓ " : "", one.label),
        el("span.track", { "aria-hidden": "true" }, track),
        el("span.n", {}, one.probability === null ? signed(one.score) : share(one.probability),
          was === null ? null : el("span.small", { class: was < 0 ? "small against" : "small for" },
            " ", one.probability === null ? signed(was) : (was < 0 ? "−" : "+") + share(Math.abs(was)))));
    })),
    told.labels.length > 12 ? el("p.soft.small", {}, `and ${told.labels.length - 12} more labels`) : null,
    told.explained ? why(told.explained) : el("p.soft", {}, told.unexplained || ""),
    strike(told, state, run),
    told.explained ? sums(told.explained) : null);
  if (focused) {
    const again = [...out.querySelectorAll("[data-key]")].find((one) => one.dataset.key === focused);
    if (again) again.focus();
  }
}

function why(explained) {
  const top = Math.max(...explained.runs.map((run) => Math.abs(run[1])), 1e-12);
  const shaded = el("p.text.shaded.card", { "aria-label": "The text, coloured by what its characters add" },
    explained.runs.map(([text, value]) => {
      const part = el("span", { title: value ? signed(value) + " for each character" : null }, text);
      const strength = Math.abs(value) / top;
      if (strength >= 0.02) {
        part.style.background = `rgba(var(--${value > 0 ? "for" : "against"}-fill), ${(0.6 * strength).toFixed(2)})`;
      }
      return part;
    }));
  return el("section", { "aria-label": "Reasons" },
    el("h2", {}, "Why ", explained.label, "?"),
    el("p.soft.small", {}, "Green speaks for the label, red against it. What n-grams add is spread over their characters. ",
      `Score ${signed(explained.score)}, of which ${signed(explained.bias)} without any text`,
      explained.unknown ? `; ${explained.unknown} ${explained.unknown === 1 ? "n-gram is" : "n-grams are"} unknown to the model.` : "."),
    shaded);
}

function sums(explained) {
  const rows = (list) => list.map(([name, value, times]) => [
    el("span", { class: value > 0 ? "for" : "against" }, signed(value)), name + (times > 1 ? ` × ${times}` : "")]);
  return el("section", { "aria-label": "Reasons in numbers" },
    el("h2", {}, "What adds to ", explained.label),
    el("div.two", {},
      table("Words", ["adds", "word"], rows(explained.words.slice(0, 20)), [0]),
      table("Features", ["adds", "feature"], rows(explained.features.slice(0, 20)), [0])));
}

function strike(told, state, run) {
  if (!told.words.length) return null;
  const text = document.getElementById("text").value;
  const chars = Array.from(text);
  const buttons = told.words.slice(0, 400).map(([begin, end], k) => el("button", {
    type: "button", "aria-pressed": String(told.struck.includes(k)), "data-key": "w" + k,
    onclick: () => {
      state.struck = state.struck.includes(k) ? state.struck.filter((one) => one !== k) : [...state.struck, k];
      run();
    },
  }, chars.slice(begin, end).join("").slice(0, 200)));
  return el("section", { "aria-label": "Words to strike out" },
    el("h2", {}, "Strike words out"),
    el("div.words", {}, buttons),
    el("div.row", {},
      el("button", { type: "button", "data-key": "removal", onclick: () => { state.removal = true; run(); } },
        told.said ? "Which words do the labels hang on?" : "Which words does the label hang on?"),
      state.struck.length ? el("button", { type: "button", onclick: () => { state.struck = []; run(); } }, "Put all back") : null),
    state.removal ? removal(told.removal, state, run, told.said ? "the labels would be others" : "the label would be another", told.said ? "labels are" : "label is") : null);
}

function removal(found, state, run, others, are) {
  if (!found) return el("p", { role: "status" }, `No set of words was found without which ${others}.`);
  return el("p", { role: "status" }, "Without ", found.shown.map((word, k) => [k ? ", " : "", el("strong", {}, word)]),
    ` the ${are} `, el("strong", {}, found.label),
    found.smallest ? "; no fewer words will do. " : "; fewer words may do. ",
    el("button", { type: "button", onclick: () => { state.struck = found.words; say("struck out"); run(); } }, "Strike them out"));
}
