// The machine and the last hour.

import { element, setText } from "../common/dom.js";
import { Chart } from "./chart.js";
import { get } from "./desk.js";
import { facts } from "./facts.js";
import { ageText, bitrateText, bytesText, countText, percentText } from "./words.js";

const interval = 5000; // ms

const charts = [
  ["Streams on air", "streams", (value) => String(Math.round(value)), 2],
  ["Viewers", "viewers", (value) => String(Math.round(value)), 5],
  ["People in rooms", "peers", (value) => String(Math.round(value)), 5],
  ["CPU of the machine", "busy", percentText, 1],
  ["Memory of the machine", "memory", percentText, 1],
  ["Bitrate of all layers", "bitrate", bitrateText, 1e6],
];

const names = ["CPU", "Memory", "Server", "Disk of streams", "Disk of recordings", "Running for"];

export const overview = {
  title: "Overview",
  interval,
  build() {
    const machine = facts(names);
    const faults = element("ul", { class: "faults", role: "alert" });
    const drawn = charts.map(([title, key, text, floor]) =>
      ({ key, chart: new Chart(title, text, floor) }));
    const node = element("div", { class: "stack" }, faults, machine.node,
      element("div", { class: "charts" }, ...drawn.map(({ chart }) => chart.node)));
    return {
      node,
      async refresh(tell) {
        const [now, { data }] = await Promise.all([get("/overview"), get("/history")]);
        const { machine: figures } = now;
        tell([
          countText(now.streams, "stream", "streams"), countText(now.viewers, "viewer", "viewers"),
          countText(now.peers, "person", "people"), countText(now.rooms, "room", "rooms"),
        ].join(" · "));
        if (faults.textContent !== now.faults.join("")) {
          faults.replaceChildren(...now.faults.map((fault) => element("li", {}, fault)));
        }
        machine.set(machineTexts(figures));
        const samples = data.map((sample) => ({ ...sample, time: Date.parse(sample.time) }));
        // The server's clock: that of this device may be wrong.
        const end = samples.at(-1)?.time ?? Date.now();
        for (const { key, chart } of drawn) {
          chart.show(samples.map((sample) => ({ time: sample.time, value: sample[key] })), end);
        }
      },
    };
  },
};

function machineTexts(figures) {
  const used = figures.memory === null || figures.memory_free === null
    ? null : figures.memory - figures.memory_free;
  const disk = (name) => {
    const found = figures.disks.find((one) => one.name === name);
    return found ? `${bytesText(found.free)} free of ${bytesText(found.total)}` : "–";
  };
  const busy = figures.busy_cores === null ? "–" : figures.busy_cores.toFixed(1);
  return {
    CPU: `${busy} of ${countText(Math.round(figures.cores), "core", "cores")}`,
    Memory: used === null ? "–" : `${bytesText(used)} of ${bytesText(figures.memory)}`,
    Server: `${bytesText(figures.server_memory)} without bots`,
    "Disk of streams": disk("output"),
    "Disk of recordings": disk("recordings"),
    "Running for": ageText(Date.now() - Date.parse(figures.started_at)),
  };
}
