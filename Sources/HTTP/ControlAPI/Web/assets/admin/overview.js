// The machine and the last hour.

import { element, setText } from "../common/dom.js";
import { Chart } from "./chart.js";
import { get } from "./desk.js";
import { facts } from "./facts.js";
import { ageText, bitrateText, bytesText, percentText } from "./words.js";
import { decimal, t, tn } from "../common/texts.js";

const interval = 5000; // ms

const charts = [
  [t("Streams on air"), "streams", (value) => String(Math.round(value)), 2],
  [t("Viewers"), "viewers", (value) => String(Math.round(value)), 5],
  [t("People in rooms"), "peers", (value) => String(Math.round(value)), 5],
  [t("CPU of the machine"), "busy", percentText, 1],
  [t("Memory of the machine"), "memory", percentText, 1],
  [t("Bitrate of all layers"), "bitrate", bitrateText, 1e6],
];

const names = {
  cpu: t("CPU"), memory: t("Memory"), server: t("Server"), output: t("Disk of streams"),
  recordings: t("Disk of recordings"), age: t("Running for"),
};

export const overview = {
  title: t("Overview"),
  interval,
  build() {
    const machine = facts(names);
    const faults = element("ul", { class: "faults", role: "alert" });
    const drawn = charts.map(([title, key, text, floor]) =>
      ({ key, chart: new Chart(title, text, floor) }));
    const first = element("p", { class: "notice first-step", hidden: true },
      t("Nobody is in any room. Make one, and open its host's link to go live."), " ",
      element("a", { class: "button button-small button-primary", href: "#access",
        "data-testid": "first-room" }, t("Make a room")));
    const node = element("div", { class: "stack" }, faults, first, machine.node,
      element("div", { class: "charts" }, ...drawn.map(({ chart }) => chart.node)));
    return {
      node,
      async refresh(tell) {
        const [now, { data }] = await Promise.all([get("/overview"), get("/history")]);
        const { machine: figures } = now;
        tell([
          tn(now.streams, { one: "{count} stream", other: "{count} streams" }),
          tn(now.viewers, { one: "{count} viewer", other: "{count} viewers" }),
          tn(now.peers, { one: "{count} person", other: "{count} people" }),
          tn(now.rooms, { one: "{count} room", other: "{count} rooms" }),
        ].join(" · "));
        const found = now.faults.map((fault) => t(fault));
        if (faults.textContent !== found.join("")) {
          faults.replaceChildren(...found.map((fault) => element("li", {}, fault)));
        }
        first.hidden = now.rooms > 0 || now.streams > 0;
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
    return found
      ? t("{free} free of {total}", { free: bytesText(found.free), total: bytesText(found.total) })
      : "–";
  };
  const busy = figures.busy_cores === null ? "–" : decimal(figures.busy_cores, 1);
  return {
    cpu: tn(Math.round(figures.cores),
      { one: "{busy} of {count} core", other: "{busy} of {count} cores" }, { busy }),
    memory: used === null ? "–"
      : t("{part} of {total}", { part: bytesText(used), total: bytesText(figures.memory) }),
    server: t("{size} without bots", { size: bytesText(figures.server_memory) }),
    output: disk("output"),
    recordings: disk("recordings"),
    age: ageText(Date.now() - Date.parse(figures.started_at)),
  };
}
