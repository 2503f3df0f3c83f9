// A small drawing of a layout.

const namespace = "http://www.w3.org/2000/svg";

/** @param {import("./layouts.js").Tile[]} tiles */
export function layoutDrawing(tiles) {
  const svg = node("svg", { viewBox: "0 0 64 36", class: "layout-drawing", "aria-hidden": "true" });
  for (const tile of tiles) svg.append(...tileDrawing(tile));
  return svg;
}

function tileDrawing({ x, y, width, height, kind }) {
  const gap = 0.8;
  const frame = node("rect", {
    class: `layout-${kind}`, x: x + gap, y: y + gap, width: width - 2 * gap,
    height: height - 2 * gap,
    rx: 1.4,
  });
  const [middle, unit] = [x + width / 2, Math.min(width, height)];
  if (kind === "screen") return [frame, ...linesOfText(x, y, width, height)];
  const head = node("circle", { class: "layout-head", cx: middle, cy: y + height / 2 - unit * 0.1,
    r: unit * 0.15 });
  const [base, half] = [y + height / 2 + unit * 0.34, unit * 0.27];
  const shoulders = node("path", { class: "layout-head",
    d: `M${middle - half} ${base}a${half} ${unit * 0.26} 0 0 1 ${2 * half} 0Z` });
  return [frame, head, shoulders];
}

function linesOfText(x, y, width, height) {
  return [0.5, 0.62, 0.38].map((share, index) =>
    node("rect", { class: "layout-line", x: x + width * 0.14, y: y + height * (0.26 + index * 0.19),
      width: width * share, height: 1.8, rx: 0.9 }));
}

function node(name, attributes) {
  const made = document.createElementNS(namespace, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
