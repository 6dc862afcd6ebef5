// Small charts: axes from 0 to 1 or as the numbers are; what is drawn is told in a table as well.
import { svg } from "./dom.js";

const L = 58, R = 22, T = 12, B = 42;

export function chart(title, xname, yname, lines, options = {}) {
  const W = Math.max(240, Math.min(450, window.innerWidth - 62)), H = 0.64 * W; // letters keep their size
  const all = lines.flatMap((line) => line.points).filter((p) => p[1] !== null);
  const [x0, x1] = options.x || range(all.map((p) => p[0]));
  const [y0, y1] = options.y || range(all.map((p) => p[1]));
  const x = (v) => L + ((v - x0) / (x1 - x0 || 1)) * (W - L - R);
  const y = (v) => H - B - ((v - y0) / (y1 - y0 || 1)) * (H - B - T);
  const parts = [svg("title", {}, title)];
  for (let k = 0; k <= 4; k += 1) {
    const u = x0 + (k * (x1 - x0)) / 4, v = y0 + (k * (y1 - y0)) / 4;
    parts.push(svg("line", { class: "grid", x1: L, x2: W - R, y1: y(v), y2: y(v) }));
    parts.push(svg("text", { x: L - 6, y: y(v) + 4, "text-anchor": "end" }, short(v)));
    parts.push(svg("text", { x: x(u), y: H - B + 17, "text-anchor": "middle" }, short(u)));
  }
  parts.push(svg("path", { class: "axis", d: `M${L},${T}V${H - B}H${W - R}` }));
  parts.push(svg("text", { x: (L + W - R) / 2, y: H - 6, "text-anchor": "middle" }, xname));
  parts.push(svg("text", { x: 12, y: (T + H - B) / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${(T + H - B) / 2})` }, yname));
  if (options.diagonal) parts.push(svg("line", { class: "diagonal", x1: x(0), y1: y(0), x2: x(1), y2: y(1) }));
  for (const line of lines) {
    const points = line.points.filter((p) => p[1] !== null);
    const path = points.map((p, k) => `${k ? "L" : "M"}${x(p[0]).toFixed(1)},${y(p[1]).toFixed(1)}`).join("");
    if (path) parts.push(svg("path", { class: line.class || "curve", d: path }));
    if (line.dots || points.length === 1) {
      for (const p of points) parts.push(svg("circle", { class: "dot", cx: x(p[0]), cy: y(p[1]), r: 3.5 }));
    }
  }
  const mark = svg("line", { class: "mark", x1: -9, x2: -9, y1: T, y2: H - B });
  const spot = svg("circle", { class: "spot", cx: -9, cy: -9, r: 5 });
  parts.push(mark, spot);
  const made = svg("svg", { viewBox: `0 0 ${W} ${H}`, width: W, height: H, role: "img", "aria-label": title }, parts);
  made.mark = (u) => { mark.setAttribute("x1", x(u)); mark.setAttribute("x2", x(u)); };
  made.spot = (u, v) => {
    const shown = u !== null && v !== null;
    spot.setAttribute("cx", shown ? x(u) : -9);
    spot.setAttribute("cy", shown ? y(v) : -9);
  };
  return made;
}

function range(values) {
  const low = Math.min(...values), high = Math.max(...values);
  return low === high ? [low - 1, high + 1] : [low, high];
}

function short(value) {
  const size = Math.abs(value);
  if (size >= 1e5 || (size > 0 && size < 1e-3)) return value.toExponential(0);
  return String(Number(value.toPrecision(size >= 100 ? 4 : 3)));
}
