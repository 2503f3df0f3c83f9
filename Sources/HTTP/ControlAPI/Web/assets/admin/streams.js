// The streams on air, with what each takes, and the latest that have ended.

import { ask, choice } from "../common/dialog.js";
import { element, reconcile, setText } from "../common/dom.js";
import { toast } from "../common/toasts.js";
import { get, patch, post } from "./desk.js";
import { action, empty, facts } from "./facts.js";
import { ageText, bitrateText, bytesText, coresText, countText, dateText,
  rateText } from "./words.js";

const interval = 3000; // ms
const endedMaximum = 10;

const phases = {
  starting: ["starting", "Starting"],
  running: ["live", "On air"],
  stopping: ["ending", "Ending"],
  post_processing: ["starting", "Making files"],
  completed: ["none", "Ended"],
  failed: ["failed", "Failed"],
};

const layouts = [
  ["grid", "Grid", "Everybody in tiles of one size"],
  ["speaker", "Speaker", "Whoever speaks large, the others beside"],
  ["screen", "Screen", "A shared screen large, people beside"],
  ["pip", "Picture in picture", "One large, one in a corner"],
  ["single", "Single", "One person alone"],
];

const names = ["Pictures", "Viewers", "CPU", "Memory", "Restarts", "Written", "Recording"];

const isOver = ({ status }) => status === "completed" || status === "failed";
const isOnAir = ({ status }) => status === "starting" || status === "running";
const nameOf = ({ room_id: room, metadata }) =>
  metadata && metadata !== "main" ? `${room}, ${metadata}` : room;

export const streams = {
  title: "Streams",
  interval,
  build() {
    const list = element("ul", { class: "cards", "data-testid": "streams" });
    const none = empty("Nothing is on air.");
    const past = element("ul", { class: "lines" });
    const ended = element("section", { hidden: true }, element("h2", {}, "Ended"), past);
    const node = element("div", { class: "stack" }, list, none, ended);
    let again = () => {};
    return {
      node,
      async refresh(tell, refreshSoon) {
        again = refreshSoon;
        const { data } = await get("/streams");
        const now = data.filter((stream) => !isOver(stream)).reverse();
        const over = data.filter(isOver).reverse().slice(0, endedMaximum);
        const live = now.filter(isOnAir).length;
        tell(`${live} on air`);
        none.hidden = now.length > 0;
        ended.hidden = over.length === 0;
        reconcile(list, now, {
          key: ({ id }) => id, create: (stream) => card(stream, () => again()), update,
        });
        reconcile(past, over,
          { key: ({ id }) => id, create: () => element("li", {}), update: tellEnd });
      },
    };
  },
};

const parts = new WeakMap(); // of the cards

function card(stream, again) {
  const title = `stream-${stream.id}`;
  const shown = facts(names);
  const layers = element("ul", { class: "layers", "aria-label": "Layers" });
  const about = nameOf(stream);
  const run = (path, value, words) => tried(async () => {
    await post(path, value);
    toast(words);
    again();
  });
  const buttons = {
    watch: element("a",
      { class: "button button-small", href: `/watch/${encodeURIComponent(stream.room_id)}`,
      "aria-label": `Watch ${about}` }, "Watch"),
    layout: action("Layout", `Layout of ${about}`, () => pickLayout(node, again),
      { testID: "layout" }),
    record: action("Record", `Record the room ${stream.room_id}`, () => run(
      `/v2/recordings/room/${encodeURIComponent(stream.room_id)}/start`, {},
      `A recording of ${stream.room_id} starts.`), { testID: "record" }),
    pause: action("Pause recording", `Pause the recording of ${about}`, () => run(
      recordingPath(stream, "pause"), {}, "The recording pauses.")),
    resume: action("Resume recording", `Resume the recording of ${about}`, () => run(
      recordingPath(stream, "resume"), {}, "The recording goes on.")),
    stop: action("Stop", `Stop ${about}`, () => stop(node, again),
      { isDanger: true, testID: "stop" }),
  };
  const lamp = element("span", { class: "lamp" });
  const detail = element("p", { class: "quiet" });
  const lack = element("p", { class: "warning" });
  const node = element(
    "li",
    { class: "card", "data-testid": "stream", "data-stream": stream.id },
    element("article", { class: "stack-small", "aria-labelledby": title },
      element("div", { class: "card-head" },
        element("h2", { id: title, tabindex: "-1" }, about), lamp),
      detail, lack, shown.node, layers,
      element("div", { class: "actions" }, ...Object.values(buttons))),
  );
  parts.set(node, { lamp, detail, lack, shown, layers, buttons, stream });
  return node;
}

function recordingPath(stream, what) {
  return stream.kind === "beam"
    ? `/v2/recordings/room/${encodeURIComponent(stream.room_id)}/${what}`
    : `/v2/live-streams/${stream.id}/${what}-recording`;
}

function update(node, stream) {
  const part = parts.get(node);
  part.stream = stream;
  const [phase, text] = phases[stream.status] ?? ["none", stream.status];
  const isRecording = stream.kind === "beam";
  part.lamp.dataset.phase = phase === "live" && isRecording ? "recording" : phase;
  const percent = stream.progress === null ? "" : ` ${Math.round(stream.progress * 100)} %`;
  setText(part.lamp, phase === "live" && isRecording ? "Recording" : text + percent);
  part.lamp.toggleAttribute("data-lack", Boolean(lackText(stream)));
  const since = Date.now() - Date.parse(stream.started_at ?? stream.created_at);
  setText(part.detail, [
    isRecording ? "Recording without a stream" : "Live stream",
    stream.started_at ? `for ${ageText(since)}` : `asked for ${ageText(since)} ago`,
    stream.id,
  ].join(" · "));
  setText(part.lack, lackText(stream));
  part.lack.hidden = !lackText(stream);
  const death = stream.process_deaths.at(-1);
  part.shown.set({
    Pictures: rateText(stream.status === "running" ? stream.frame_rate : null,
      stream.frame_rate_wanted),
    Viewers: isRecording ? null : `${stream.viewers.now} now, ${stream.viewers.peak} at most`,
    CPU: coresText(stream.cores),
    Memory: stream.memory === null ? "–" : `${bytesText(stream.memory)} at most`,
    Restarts: stream.bot_restarts === 0 ? "none"
      : `${stream.bot_restarts}${death ? ` (${death.cause.replaceAll("_", " ")})` : ""}`,
    Written: bytesText(stream.written),
    Recording: !stream.recorded ? "no" : stream.recording_paused ? "paused" : "yes",
  });
  const layers = stream.layers.map((layer, index) => ({ ...layer, index: String(index) }));
  reconcile(part.layers, layers, {
    key: ({ index }) => index,
    create: () => element("li", {}),
    update: (line, layer) => setText(line, `${layer.width} × ${layer.height} · `
      + `${bitrateText(layer.bitrate)} of ${bitrateText(layer.bitrate_wanted)}`),
  });
  const { watch, layout, record, pause, resume, stop } = part.buttons;
  const canChange = isOnAir(stream);
  watch.hidden = isRecording || !canChange;
  layout.hidden = !canChange || isRecording || stream.frame_rate_wanted === null;
  record.hidden = !canChange || stream.recorded;
  pause.hidden = !canChange || !stream.recorded || stream.recording_paused;
  resume.hidden = !canChange || !stream.recorded || !stream.recording_paused;
  stop.hidden = !canChange;
}

function lackText(stream) {
  const { degradation, frame_rate: rate, frame_rate_wanted: wanted } = stream;
  if (wanted === null || rate === null || stream.status !== "running") return "";
  const { layers_thinned: thinned = 0, videos_left_out: videos = 0 } = degradation ?? {};
  if (rate >= wanted * 0.9 && thinned === 0 && videos === 0) return "";
  const lacks = [`${Math.round(rate * 10) / 10} pictures a second instead of ${wanted}`];
  if (thinned > 0) lacks.push("even fewer in small layers");
  if (videos > 0) lacks.push(`${countText(videos, "video", "videos")} left out`);
  return `Reduced picture, this machine is busy: ${lacks.join(", ")}.`;
}

async function stop(node, again) {
  const { stream } = parts.get(node);
  const about = nameOf(stream);
  const isSure = await ask({
    title: `Stop ${about}?`,
    text: stream.kind === "beam" ? "The recording ends, and its files are made."
      : "Its viewers see the end. A recording is finished.",
    confirm: "Stop", refuse: "Leave it on", isDanger: true,
  });
  if (!isSure) return;
  await tried(async () => {
    const kind = stream.kind === "beam" ? "recordings" : "live-streams";
    await post(`/v2/${kind}/${stream.id}/stop`);
    toast(`${about} is ending.`);
    again();
  });
}

async function pickLayout(node, again) {
  const { stream } = parts.get(node);
  const sorted = [...layouts].sort(([a], [b]) =>
    (b === stream.layout.name) - (a === stream.layout.name));
  const picked = choice("layout", "How people are shown", sorted.map(([value, text, hint]) => ({
    value, text, hint,
  })));
  const isSure = await ask({
    title: `Layout of ${nameOf(stream)}`, content: [picked.node], confirm: "Use it",
    refuse: "Cancel",
  });
  if (!isSure) return;
  await tried(async () => {
    await patch(`/v2/live-streams/${stream.id}`, { layout: { name: picked.value() } });
    toast("The layout changes.");
    again();
  });
}

/** Tells what went wrong. */
export async function tried(run) {
  try {
    await run();
  } catch (error) {
    toast(error.message, "error");
  }
}

function tellEnd(line, stream) {
  const reason = stream.stop_reason ? ` · ${stream.stop_reason.replace(/^failure: /, "")}` : "";
  const [, text] = phases[stream.status];
  setText(line, `${nameOf(stream)} · ${text} ${dateText(stream.stopped_at)}${reason}`);
}
