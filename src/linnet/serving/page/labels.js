// Labels that look wrong: by models that have not seen the text; accept, keep or change by key.
import { ask, count, el, fill, keys, named, naming, pause, say, share } from "./dom.js";
import { toggles } from "./sets.js";

const DIGITS = "123456789";

export async function show(place, about) {
  const progress = el("progress", { max: 1, "aria-label": "How far this has come" });
  fill(place, el("h1", {}, "Labels that look wrong"), el("p.busy", { role: "status" },
    "Five models are trained, each without a fifth of the texts, and asked about that fifth…"), progress);
  let told = await ask("labels");
  while (!told.rows) { // other views may be opened meanwhile
    progress.value = told.progress;
    await pause(150);
    if (!place.isConnected) return null;
    told = await ask("labels");
  }
  const rows = told.rows;
  const open = () => rows.findIndex((row) => row.decided === null);
  async function more() { // the list is told by hundreds
    const next = await ask("labels", { first: rows.length });
    rows.push(...next.rows.filter((row) => rows.every((one) => one.place !== row.place)));
  }
  while (open() < 0 && rows.length < told.all) await more();
  let at = open() < 0 ? Math.max(0, rows.length - 1) : open();
  const set = about.several ? toggles("other", () => draw(true)) : null; // labels of a set are turned one by one
  const out = el("section", { "aria-label": "The text" }), list = el("ol", {}), done = el("p", { role: "status" });
  async function settle(label) {
    const row = rows[at];
    if (!row || label === null) return;
    try {
      const found = await ask("settle", { place: row.place, label });
      row.decided = label;
      told.decided = found.decided;
      say(`${named(label)}: saved`);
      await move(1);
    } catch (error) { say(error.message); }
  }
  async function undo() {
    try {
      const found = await ask("settle", { undo: true });
      const back = rows.findIndex((row) => row.place === found.undone);
      if (back >= 0) { rows[back].decided = null; at = back; told.decided -= 1; }
      say(found.undone === null ? "nothing to take back" : "taken back");
      draw();
    } catch (error) { say(error.message); }
  }
  async function move(step) {
    try { if (at + step >= rows.length && rows.length < told.all) await more(); } catch (error) { say(error.message); }
    at = Math.min(Math.max(at + step, 0), rows.length - 1);
    draw();
  }
  function draw(kept) {
    const row = rows[at];
    if (set && row && !kept) set.begin(row.decided || row.label);
    fill(done, `${count(told.all)} ${set ? "texts have labels that look" : "labels look"} wrong; ${count(told.decided)} decided.${row ? ` Number ${count(at + 1)}.` : ""}`);
    if (!row) { fill(out, el("p", {}, "No label looks wrong.")); return; }
    const known = [...new Set([...about.labels, row.label, row.suggested].flat())];
    fill(out, el("div.card", {}, el("p.text.current", {}, row.text),
      set ? [el("p", {}, "labels: ", el("strong", {}, named(row.label)), ", suggested: ", el("strong", {}, named(row.suggested)), decided(row)),
        el("ul", {}, row.doubts.map((one) => el("li", {}, el("strong", {}, one.label), one.set ? " is set, and probable by " : " is missing, and probable by ", share(one.probable))))]
        : el("p", {}, "label: ", el("strong", {}, row.label), ` (${share(row.given)}), suggested: `, el("strong", {}, row.suggested), ` (${share(row.best)})`, decided(row))),
    set ? [el("div.labels", { role: "group", "aria-label": "Labels to set or not" }, turned(row).map((name, k) => set.button(name, DIGITS[k]))), set.now()] : null,
    el("div.row", {},
      el("button.main", { type: "button", onclick: () => settle(row.suggested) }, "Accept ", el("kbd", {}, "a")),
      el("button", { type: "button", onclick: () => settle(row.label) }, "Keep ", el("kbd", {}, "k")),
      set ? [el("button", { type: "button", onclick: () => settle(set.labels()) }, "Save what is chosen ", el("kbd", {}, "Enter")), known.length > turned(row).length ? set.find(known, ["Any label ", el("kbd", {}, "c")]) : null]
        : naming("other", ["Change to ", el("kbd", {}, "c")], "Change", known, settle),
      el("button", { type: "button", onclick: undo }, "Undo ", el("kbd", {}, "u")),
      el("button", { type: "button", onclick: () => move(-1) }, "Back ", el("kbd", {}, "←")),
      el("button", { type: "button", onclick: () => move(1) }, "Next ", el("kbd", {}, "→"))));
    fill(list, rows.slice(at + 1, at + 13).map((one) => el("li", { value: rows.indexOf(one) + 1 }, el("span.text", {}, one.text.slice(0, 160)), " ",
      el("span.pill", {}, named(one.label)), " → ", el("span.pill", {}, named(one.decided === null ? one.suggested : one.decided)))));
  }
  const decided = (row) => (row.decided === null ? "" : [". Decided: ", el("strong", {}, named(row.decided))]);
  // Labels that have a button: those in doubt, those that are set, and others as far as there are keys.
  function turned(row) {
    const first = [...new Set([...row.doubts.map((one) => one.label), ...row.label, ...set.labels()])];
    return about.labels.length <= DIGITS.length ? [...new Set([...first, ...about.labels])] : first;
  }
  fill(place, el("h1", {}, "Labels that look wrong"),
    el("p.soft", {}, set ? "The least probable yes or no of a label first, to models that have not seen the text. Decisions go to " : "The least probable labels first, to models that have not seen the text. Decisions go to ",
      el("span", {}, about.decisions), " at once; the data stay as they are."),
    done, out, el("h2", {}, "Coming next"), list, exports());
  draw();
  return keys((key, event) => {
    const row = rows[at];
    if (!row) return false;
    if (key === "a") settle(row.suggested);
    else if (key === "k") settle(row.label);
    else if (key === "c" && document.getElementById("other")) document.getElementById("other").focus();
    else if (set && DIGITS.includes(key) && turned(row)[DIGITS.indexOf(key)] !== undefined) set.toggle(turned(row)[DIGITS.indexOf(key)]);
    else if (set && key === "Enter" && free(event)) settle(set.labels());
    else if (key === "u") undo();
    else if (key === "ArrowRight") move(1);
    else if (key === "ArrowLeft") move(-1);
    else return false;
    return true;
  });
}

// Enter on a button or a link is for that one.
export const free = (event) => !/^(BUTTON|A|SUMMARY)$/.test(event.target.tagName);

export function exports(forms = ["tsv", "jsonl", "conll"]) {
  const names = { conllu: "CoNLL-U", mrg: "trees in brackets" };
  return el("p", {}, "Decisions as ", forms.map((form, k) => [k ? ", " : "",
    el("a", { href: `export/decisions.${form}`, download: `decisions.${form}` }, names[form] || form.toUpperCase())]));
}
