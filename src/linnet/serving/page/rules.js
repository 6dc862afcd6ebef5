// Rules and lexicons as weak labels: what each covers, and where they are at odds.
import { ask, count, el, fill, say, share, table } from "./dom.js";

export function rules(names, learnt) {
  const out = el("div", {}), label = el("input", { id: "rulelabel", type: "text", list: "rulelabels" });
  const kind = el("select", { id: "rulekind", "aria-label": "How the rule looks for it" }, el("option", { value: "words" }, "has one of the words"), el("option", { value: "pattern" }, "matches the pattern"));
  const rule = el("textarea", { id: "rule", rows: 2, "aria-describedby": "rulehint" });
  const list = el("datalist", { id: "rulelabels" }, names.map((name) => el("option", { value: name })));
  async function send(given, said) {
    try {
      const told = await ask("rules", given);
      draw(told);
      if (said) { say(said); if (told.learn || "learn" in given) learnt(); }
      return true;
    } catch (error) { say(error.message); return false; }
  }
  function draw(told) {
    const learn = el("input", { id: "weak", type: "checkbox", checked: told.learn, onchange: () => send({ learn: learn.checked }, learn.checked ? "learnt from rules" : "learnt without rules") });
    fill(out, told.rows.length ? [
      table("Rules", ["rule", "label", "covers", "share", told.several ? "" : "conflicts", "as you decided", "take away"], told.rows.map((row) => [
        row.kind === "words" ? row.rule : ["/", row.rule, "/"], row.label, count(row.covered), share(row.covered / told.texts), told.several ? "" : count(row.conflicts),
        row.decided ? `${row.right} of ${row.decided}` : "–",
        el("button", { type: "button", "aria-label": `Remove the rule ${row.rule}`, onclick: () => send({ remove: row.number }, "removed") }, "Remove")]), [2, 3, 4, 5]),
      el("p", { role: "status" }, `Together they cover ${share(told.covered / told.texts)} of ${count(told.texts)} texts${told.several ? "" : `, and are at odds on ${count(told.conflicts)}`}; ${count(told.labelled)} get ${told.several ? "the labels that rules name beside those that the model gave as it came" : "a weak label"}.`),
      told.example ? el("p.small", {}, "At odds (", told.example.labels.join(", "), "): ", el("span.text", {}, told.example.text)) : null,
      el("p", {}, el("label.inline", { for: "weak" }, learn, ` Learn from weak labels, too; one counts as ${told.weight} of yours, and never where you decided.`))] : null);
  }
  send({});
  return el("section", { "aria-label": "Weak labels" }, el("h2", {}, "Rules and lexicons"),
    el("p.small.soft", { id: "rulehint" }, "Words, or a lexicon of them, with commas or new lines between; or a regular expression. Case does not matter."), list,
    el("div.row", {}, el("div.wide", {}, el("label", { for: "rule" }, "Text that"), kind, rule), el("div", {}, el("label", { for: "rulelabel" }, "Label"), label),
      el("button", { type: "button", onclick: async () => { if (await send({ kind: kind.value, rule: rule.value, label: label.value }, "rule added")) rule.value = ""; } }, "Add the rule")), out);
}
