// Teach: a queue of texts, a key for each label; the model learns from every answer.
import { ask, count, el, fill, keys, named, naming, onEnter, say, share } from "./dom.js";
import { exports, free } from "./labels.js";
import { rules } from "./rules.js";
import { toggles } from "./sets.js";
import { teachSpans } from "./spans.js";
import { teachArcs } from "./taught_arcs.js";
import { teachPhrases } from "./taught_phrases.js";

const KEYS = "1234567890qwertyiopadfghjl";

export async function show(place, about) {
  let told = await ask("teach"), busy = false, extra = [];
  if (told.kind === "arcs") return teachArcs(place, told, about);
  if (told.kind === "phrases") return teachPhrases(place, told, about);
  if (told.kind) return teachSpans(place, told);
  const set = told.several ? toggles("find", () => draw()) : null; // keys turn labels, Enter decides
  const out = el("section", { "aria-label": "The text to label" }), aside = el("section", { "aria-label": "How far you have come" });
  const order = el("select", { id: "order" }, told.orders.map((name) => el("option", { value: name, selected: name === told.order }, name)));
  const note = el("input", { id: "note", type: "text", maxlength: 2000 }), fresh = el("input", { id: "fresh", type: "text" });
  async function send(given, words) {
    if (busy) { say("still learning; press again"); return; }
    busy = true;
    const began = performance.now();
    try {
      told = await ask("teach", given);
      begin();
      draw();
      document.body.dataset.took = (performance.now() - began).toFixed(1);
      if (words) say(`${words}; learnt in ${Math.round(told.milliseconds)} ms`);
    } catch (error) { say(error.message); }
    busy = false;
  }
  const find = el("div.find", {}); // where there are more labels than keys
  onEnter(note, () => note.blur());
  onEnter(fresh, () => add());
  function add() {
    const name = fresh.value.trim();
    if (!name || names().includes(name)) return;
    extra.push(name);
    fresh.value = "";
    if (set) set.toggle(name); else draw();
  }
  function begin() { if (set && told.texts.length) set.begin(told.texts[0].guess); }
  const label = (name) => {
    const text = told.texts[0];
    if (!text) return;
    const given = { place: text.place, label: name, note: note.value };
    note.value = "";
    send(given, name === null ? "passed over" : named(name));
  };
  const many = () => names().length > KEYS.length; // then keys are for those that are most probable of a text
  const keyed = () => (many() ? [...new Set([...told.texts[0].labels.map((one) => one.label), ...(set ? set.labels() : [])])] : names());
  const give = (name) => (set ? set.toggle(name) : label(name));
  const names = () => [...told.labels, ...extra.filter((one) => !told.labels.includes(one))];
  function draw() {
    const text = told.texts[0];
    if (!text) { fill(out, el("p", {}, "No text is left.")); } else {
      const chance = new Map(text.labels.map((one) => [one.label, one]));
      const sure = (name) => (chance.get(name) && chance.get(name).probability !== null ? share(chance.get(name).probability) : "");
      const button = (name, key) => (set ? set.button(name, key, sure(name)) : el("button", { type: "button", class: name === text.labels[0].label ? "main" : null, onclick: () => label(name) },
        key ? [el("kbd", {}, key), " "] : null, name,
        sure(name) ? el("span.small", {}, " " + sure(name)) : null));
      fill(out, el("div.card", {}, el("p.text.current", { id: "current" }, text.text)),
        el("div.labels", { role: "group", "aria-label": many() ? "The most probable labels" : "Labels" }, keyed().map((name, k) => button(name, KEYS[k]))),
        many() ? el("details", {}, el("summary", {}, `All ${names().length} labels`), el("div.labels", {}, names().map((name) => button(name, null)))) : null,
        set ? set.now() : null,
        el("div.row", {}, set ? [el("button.main", { type: "button", onclick: () => label(set.labels()) }, "Save ", el("kbd", {}, "Enter")), el("button", { type: "button", onclick: set.clear }, "None ", el("kbd", {}, "x"))] : null,
          el("button", { type: "button", onclick: () => label(null) }, "Pass ", el("kbd", {}, "s")),
          el("button", { type: "button", onclick: () => send({ undo: true }, "taken back") }, "Undo ", el("kbd", {}, "u"))));
    }
    const key = names().join("\n");
    if (many() && find.dataset.names !== key) {
      find.dataset.names = key;
      fill(find, set ? set.find(names(), ["Any label ", el("kbd", {}, "/")]) : naming("find", ["Any label ", el("kbd", {}, "/")], "Give", names(), label));
    }
    const right = told.agreed.filter((one) => one).length;
    fill(aside, el("p", { role: "status" }, `${count(told.decided)} decided, ${count(told.left)} left.`,
      told.agreed.length ? ` Of the last ${told.agreed.length} the model had guessed ${right}.` : ""),
    behind(told, () => send({ learn: true }, "fitted anew")),
    Object.keys(told.counts).length ? el("p", {}, Object.entries(told.counts).map(([name, times]) => [el("span.pill", {}, `${name} ${times}`), " "])) : null,
    told.last.length ? [el("h2", {}, "Last decisions"), el("ul.list", {}, told.last.map((one) => el("li.card.small", {}, el("p.text", {}, one.text),
      el("p", {}, "you: ", el("strong", {}, one.label === null ? "passed over" : named(one.label)), "; the model had guessed ", one.guess === null ? "nothing" : named(one.guess),
        one.note ? [". Note: ", one.note] : ""))))] : null,
    told.texts.length > 1 ? [el("h2", {}, "Coming next"), el("ul", {}, told.texts.slice(1).map((one) => el("li.text", {}, one.text.slice(0, 160))))] : null);
  }
  order.addEventListener("change", () => send({ order: order.value }, order.value));
  fill(place, el("h1", {}, "Teach"), el("p.soft", {}, "What you decide is appended to ", el("span", {}, told.file),
    " at once, apart from what the model guesses. ", set ? "What it guesses is chosen; keys before the labels turn them, and Enter saves the set, which may be empty." : "Keys stand before the labels."),
  out, el("div.row", {}, find, el("div", {}, el("label", { for: "order" }, "Queue"), order),
    el("div", {}, el("label", { for: "note" }, ["Note ", el("kbd", {}, "n")]), note),
    el("div", {}, el("label", { for: "fresh" }, "New label"), el("span.row", {}, fresh, el("button", { type: "button", onclick: add }, "Add")))),
  aside, rules(told.labels, () => send({})), exports());
  begin();
  draw();
  return keys((key, event) => {
    if (set && key === "Enter" && free(event) && told.texts.length) label(set.labels());
    else if (set && key === "x") set.clear();
    else if (key === "s") label(null);
    else if (key === "u") send({ undo: true }, "taken back");
    else if (key === "n") note.focus();
    else if (key === "/" && find.firstChild) document.getElementById("find").focus();
    else if (told.texts.length && KEYS.includes(key) && keyed()[KEYS.indexOf(key)] !== undefined) give(keyed()[KEYS.indexOf(key)]);
    else return false;
    return true;
  });
}

// A fit that takes long is for when there is time; until then the model goes on from its weights.
export function behind(told, fit) {
  if (told.cannot) return el("p.error", {}, `What you decide is kept, and not learnt: ${told.cannot}. With what it was trained on (--train) the model is fitted anew.`);
  if (!told.behind) return null;
  return el("p", {}, `${count(told.behind)} since the last fit, which took ${(told.fit_milliseconds / 1000).toFixed(1)} s; they are learnt quickly, and less well. `,
    el("button", { type: "button", onclick: fit }, "Fit anew"));
}
