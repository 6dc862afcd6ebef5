// The page: one view at a time, named by the part of the address behind #.
import { ask, el, fill, visible, wrong } from "./dom.js";
import * as attempt from "./try.js";
import * as errors from "./errors.js";
import * as labels from "./labels.js";
import * as teach from "./teach.js";
import * as weights from "./weights.js";

const VIEWS = {
  try: ["Try", attempt], errors: ["Errors", errors], labels: ["Labels that look wrong", labels],
  teach: ["Teach", teach], weights: ["Weights", weights],
};
let leave = null, shown = 0;

async function show(about, move) {
  const mine = ++shown, place = document.getElementById("view");
  const name = about.views.includes(location.hash.slice(1)) ? location.hash.slice(1) : "try";
  if (leave) leave();
  document.getElementById("said").textContent = "";
  leave = null;
  fill(document.getElementById("views"), about.views.map((view) =>
    el("a", { href: "#" + view, "aria-current": view === name ? "page" : null }, VIEWS[view][0])));
  document.title = `${VIEWS[name][0]} – ${visible(about.name)} – Linnet`;
  const room = el("div", {}, el("p.busy", {}, "Loading…")); // its own: who is late writes over no other view
  fill(place, room);
  if (move) place.focus();
  let end = null;
  try { end = await VIEWS[name][1].show(room, about) || null; } catch (error) {
    fill(room, el("h1", {}, VIEWS[name][0]), wrong(error));
  }
  if (mine === shown) leave = end;
  else if (end) end();
}

try {
  const about = await ask("about");
  fill(document.getElementById("model"), about.name, " ", el("span.soft.small", {}, about.kind));
  window.addEventListener("hashchange", () => show(about, true));
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault(); // the part of the address behind # names a view
    document.getElementById("view").focus();
  });
  await show(about, false);
} catch (error) {
  fill(document.getElementById("view"), wrong(error));
}
