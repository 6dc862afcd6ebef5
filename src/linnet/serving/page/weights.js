// Weights: search, sort, by label and family; the record of the training with its curves.
import { ask, count, el, fill, later, signed, table, wrong } from "./dom.js";
import { chart } from "./charts.js";

export async function show(place, about) {
  const out = el("div.tall", {}), said = el("p.soft.small", { role: "status" });
  const search = el("input", { id: "search", type: "search" });
  const label = el("select", { id: "label" }), family = el("select", { id: "family" });
  const order = el("select", { id: "order" }, [["largest", "for, largest first"], ["smallest", "against, largest first"],
    ["strongest", "either way"]].map(([value, name]) => el("option", { value }, name)));
  let first = true;
  async function run() {
    try {
      const told = await ask("weights", { search: search.value, label: label.value, family: family.value, order: order.value });
      if (told.none) { fill(place, el("h1", {}, "Weights"), el("p", {}, told.none), await record()); return; }
      if (first) {
        fill(label, el("option", { value: "" }, "all"), told.labels.map((name) => el("option", { value: name }, name)));
        fill(family, el("option", { value: "" }, "all"), told.families.map((name) => el("option", { value: name }, name)));
        first = false;
      }
      fill(said, `${count(told.matching)} of ${count(told.features)} features; the first ${count(told.rows.length)} weights.`);
      fill(out, table("Weights", ["weight", "feature", "label", "family"], told.rows.map(([name, feature, weight, kind]) => [
          el("span", { class: weight > 0 ? "for" : "against" }, signed(weight)), feature, name, kind]), [0]));
    } catch (error) { fill(out, wrong(error)); }
  }
  search.addEventListener("input", later(run));
  for (const one of [label, family, order]) one.addEventListener("change", run);
  fill(place, el("h1", {}, "Weights"), el("div.row", {},
    el("div", {}, el("label", { for: "search" }, "Search"), search), el("div", {}, el("label", { for: "label" }, "Label"), label),
    el("div", {}, el("label", { for: "family" }, "Family"), family), el("div", {}, el("label", { for: "order" }, "Order"), order)),
  said, out, await record());
  await run();
}

async function record() {
  const told = await ask("record");
  const epochs = told.curves.epoch || [];
  const charts = ["objective", "dual", "gap", "gradient_norm", "mistakes", "updates", "dev_score"].filter((name) => (told.curves[name] || []).filter((value) => value !== null).length > 1).map((name) =>
    el("div.card", {}, el("h3", {}, name.replaceAll("_", " ")), chart(`${name} by epoch`, "epoch", name.replaceAll("_", " "),
      [{ points: told.curves[name].map((value, k) => [epochs[k], value]), dots: epochs.length <= 30 }])));
  const pairs = Object.entries({ ...told.settings, stopped: told.stopped, ...told.facts, ...told.diagnostics, ...told.data });
  return el("section", {}, el("h2", {}, "How it was trained"),
    el("dl", {}, pairs.map(([name, value]) => [el("dt", {}, name.replaceAll("_", " ")), el("dd", {}, typeof value === "number" ? String(Number(value.toPrecision(6))) : value)])),
    told.why.length ? [el("h3", {}, "What ‘auto’ chose, and why"), el("ul", {}, told.why.map((line) => el("li", {}, line)))] : null,
    told.margins ? margins(told.margins) : null,
    charts.length ? el("div.two", {}, charts) : null);
}

// How far the right label is ahead of the best other one: what is left of 0 is an error.
function margins(told) {
  return el("div.card", {}, el("h3", {}, `Margins of ${told.of}`), chart(`Margins of ${told.of}`, "margin", "texts",
    [{ points: told.bins.map((row) => [(row.from + row.to) / 2, row.texts]), dots: true }], { y: [0, Math.max(...told.bins.map((row) => row.texts))] }),
  el("p.small.soft", {}, `How far ${told.several ? "the least sure yes or no of a label is on the right side" : "the right label is ahead of the best other one"}, of ${count(told.texts)} texts; ${count(told.below)} are below 0, which are errors. The median is ${signed(told.median)}.`));
}
