// A line over the last hour, or over what is known of it. Screen readers get its figures in words.

import { element, setText } from "../common/dom.js";
import { ageText, clockTime } from "./words.js";
import { t } from "../common/texts.js";

const namespace = "http://www.w3.org/2000/svg";
const [width, height] = [600, 120];
const spanMaximum = 3600e3; // ms
const spanMinimum = 300e3; // ms: a server that has just started has a short line, not a speck
const gap = 35e3; // ms without a sample: the line is broken there

function shape(name, attributes) {
  const node = document.createElementNS(namespace, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

export class Chart {
  #title;
  #text;
  #floor;
  #line = shape("path", { class: "chart-line", "vector-effect": "non-scaling-stroke" });
  #area = shape("path", { class: "chart-area" });
  #picture;
  #now = element("b", { class: "chart-now" });
  #top = element("span", {});
  #mark = element("span", { class: "chart-mark", hidden: true });
  #begin = element("span", {});
  #points = [];
  #end = 0;
  #span = spanMaximum;

  /**
   * @param {string} title
   * @param {(value: number) => string} text of a value
   * @param {number} floor the scale ends at least there
   */
  constructor(title, text, floor) {
    this.#title = title;
    this.#text = text;
    this.#floor = floor;
    this.#picture = shape("svg", {
      viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img",
      "aria-label": title,
      class: "chart-picture",
    });
    for (const share of [0.5]) {
      this.#picture.append(shape("line", {
        class: "chart-grid", x1: 0, x2: width, y1: height * share, y2: height * share,
        "vector-effect": "non-scaling-stroke",
      }));
    }
    this.#picture.append(this.#area, this.#line);
    this.#picture.addEventListener("pointermove", (event) => this.#point(event));
    this.#picture.addEventListener("pointerleave", () => { this.#mark.hidden = true; });
    this.node = element(
      "figure",
      { class: "chart" },
      element("figcaption", {}, element("span", {}, title), this.#now),
      element(
        "div",
        { class: "chart-plot" },
        element("div", { class: "chart-scale", "aria-hidden": "true" }, this.#top,
          element("span", {}, text(0))),
        this.#picture,
        this.#mark,
      ),
      element("div", { class: "chart-time", "aria-hidden": "true" },
        this.#begin, element("span", {}, t("now"))),
    );
  }

  /**
   * @param {{time: number, value: number|null}[]} samples oldest first; time in ms
   * @param {number} now
   */
  show(samples, now) {
    this.#end = now;
    const known = now - (samples[0]?.time ?? now);
    const span = Math.min(spanMaximum, Math.max(spanMinimum, Math.ceil(known / 60e3) * 60e3));
    this.#span = span;
    setText(this.#begin, span === spanMaximum ? t("an hour ago")
      : t("{time} ago", { time: ageText(span) }));
    this.#points = samples.filter(({ time, value }) => value !== null && time >= now - span);
    const values = this.#points.map(({ value }) => value);
    const top = nice(Math.max(this.#floor, ...values));
    setText(this.#top, this.#text(top));
    const last = this.#points.at(-1);
    setText(this.#now, last ? this.#text(last.value) : "–");
    this.#picture.setAttribute("aria-label", last
      ? t("{title}: {value} now, {least} to {most} in the last hour", {
        title: this.#title, value: this.#text(last.value), least: this.#text(Math.min(...values)),
        most: this.#text(Math.max(...values)),
      })
      : t("{title}: nothing is known yet", { title: this.#title }));
    const place = ({ time, value }) => [
      (1 - (now - time) / span) * width, height - (Math.min(value, top) / top) * (height - 4),
    ];
    let [line, area, start, previous] = ["", "", null, null];
    for (const point of this.#points) {
      const [x, y] = place(point).map((number) => number.toFixed(1));
      if (previous === null || point.time - previous.time > gap) {
        if (previous) area += `L${previous.x} ${height}Z`;
        line += `M${x} ${y}`;
        area += `M${x} ${height}L${x} ${y}`;
        start = x;
      } else {
        line += `L${x} ${y}`;
        area += `L${x} ${y}`;
      }
      previous = { time: point.time, x };
    }
    if (previous && start !== null) area += `L${previous.x} ${height}Z`;
    this.#line.setAttribute("d", line);
    this.#area.setAttribute("d", area);
  }

  #point({ clientX }) {
    const { left, width: wide } = this.#picture.getBoundingClientRect();
    const time = this.#end - (1 - (clientX - left) / wide) * this.#span;
    const near = this.#points.reduce((best, point) =>
      best && Math.abs(best.time - time) <= Math.abs(point.time - time) ? best : point, null);
    this.#mark.hidden = !near;
    if (near) setText(this.#mark, `${clockTime(near.time)} · ${this.#text(near.value)}`);
  }
}

/** The next round number: 1, 2 or 5 times a power of ten. */
function nice(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((number) => number >= value * 0.999);
}
