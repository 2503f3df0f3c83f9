// The streams on air, with what each takes, and the latest that have ended.

import { ask, choice } from "../common/dialog.js";
import { element, reconcile, setText } from "../common/dom.js";
import { endText } from "../common/end-text.js";
import { toast } from "../common/toasts.js";
import { get, patch, post } from "./desk.js";
import { action, empty, facts } from "./facts.js";
import { ageText, bitrateText, bytesText, causeText, coresText, dateText,
  rateText } from "./words.js";
import { lacks } from "../playback/stream-words.js";
import { t } from "../common/texts.js";

const interval = 3000; // ms
const endedMaximum = 10;

const phases = {
  starting: ["starting", t("Starting")],
  running: ["live", t("On air")],
  stopping: ["ending", t("Ending")],
  post_processing: ["starting", t("Making files")],
  completed: ["none", t("Ended")],
  failed: ["failed", t("Failed")],
};

const layouts = [
  ["grid", t("Grid"), t("Everybody in tiles of one size")],
  ["speaker", t("Speaker"), t("Whoever speaks large, the others beside")],
  ["screen", t("Screen"), t("A shared screen large, people beside")],
  ["pip", t("Picture in picture"), t("One large, one in a corner")],
  ["single", t("Single"), t("One person alone")],
];

const names = {
  pictures: t("Pictures"), viewers: t("Viewers"), cpu: t("CPU"), memory: t("Memory"),
  restarts: t("Restarts"), written: t("Written"), recording: t("Recording"),
};

const isOver = ({ status }) => status === "completed" || status === "failed";
const isOnAir = ({ status }) => status === "starting" || status === "running";
const nameOf = ({ room_id: room, metadata }) =>
  metadata && metadata !== "main" ? `${room}, ${metadata}` : room;

export const streams = {
  title: t("Streams"),
  interval,
  build() {
    const list = element("ul", { class: "cards", "data-testid": "streams" });
    const none = empty(t("Nothing is on air."));
    const past = element("ul", { class: "lines" });
    const ended = element("section", { hidden: true }, element("h2", {}, t("Ended")), past);
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
        tell(t("{count} on air", { count: live }));
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
  const layers = element("ul", { class: "layers", "aria-label": t("Layers") });
  const about = nameOf(stream);
  const run = (path, value, words) => tried(async () => {
    await post(path, value);
    toast(words);
    again();
  });
  const buttons = {
    watch: element("a",
      { class: "button button-small", href: `/watch/${encodeURIComponent(stream.room_id)}`,
      "aria-label": t("Watch {name}", { name: about }) }, t("Watch")),
    layout: action(t("Layout"), t("Layout of {name}", { name: about }),
      () => pickLayout(node, again), { testID: "layout" }),
    record: action(t("Record"), t("Record the room {name}", { name: stream.room_id }), () => run(
      `/v2/recordings/room/${encodeURIComponent(stream.room_id)}/start`, {},
      t("A recording of {name} starts.", { name: stream.room_id })), { testID: "record" }),
    pause: action(t("Pause recording"), t("Pause the recording of {name}", { name: about }),
      () => run(recordingPath(stream, "pause"), {}, t("The recording pauses."))),
    resume: action(t("Resume recording"), t("Resume the recording of {name}", { name: about }),
      () => run(recordingPath(stream, "resume"), {}, t("The recording goes on."))),
    stop: action(t("Stop"), t("Stop {name}", { name: about }), () => stop(node, again),
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
  setText(part.lamp, phase === "live" && isRecording ? t("Recording") : text + percent);
  part.lamp.toggleAttribute("data-lack", Boolean(lackText(stream)));
  const since = Date.now() - Date.parse(stream.started_at ?? stream.created_at);
  setText(part.detail, [
    isRecording ? t("Recording without a stream") : t("Live stream"),
    stream.started_at ? t("for {time}", { time: ageText(since) })
      : t("asked for {time} ago", { time: ageText(since) }),
    stream.id,
  ].join(" · "));
  setText(part.lack, lackText(stream));
  part.lack.hidden = !lackText(stream);
  const death = stream.process_deaths.at(-1);
  part.shown.set({
    pictures: rateText(stream.status === "running" ? stream.frame_rate : null,
      stream.frame_rate_wanted),
    viewers: isRecording ? null : t("{now} now, {peak} at most", stream.viewers),
    cpu: coresText(stream.cores),
    memory: stream.memory === null ? "–"
      : t("{size} at most", { size: bytesText(stream.memory) }),
    restarts: stream.bot_restarts === 0 ? t("none")
      : `${stream.bot_restarts}${death ? ` (${causeText(death.cause)})` : ""}`,
    written: bytesText(stream.written),
    recording: !stream.recorded ? t("no") : stream.recording_paused ? t("paused") : t("yes"),
  });
  const layers = stream.layers.map((layer, index) => ({ ...layer, index: String(index) }));
  reconcile(part.layers, layers, {
    key: ({ index }) => index,
    create: () => element("li", {}),
    update: (line, layer) => setText(line, `${layer.width} × ${layer.height} · ${t(
      "{part} of {total}",
      { part: bitrateText(layer.bitrate), total: bitrateText(layer.bitrate_wanted) })}`),
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
  const reduction = { frame_rate: rate, layers_thinned: thinned, videos_left_out: videos };
  return t("Reduced picture, this machine is busy: {lacks}.",
    { lacks: lacks(reduction, wanted) });
}

async function stop(node, again) {
  const { stream } = parts.get(node);
  const about = nameOf(stream);
  const isSure = await ask({
    title: t("Stop {name}?", { name: about }),
    text: stream.kind === "beam" ? t("The recording ends, and its files are made.")
      : t("Its viewers see the end. A recording is finished."),
    confirm: t("Stop"), refuse: t("Leave it on"), isDanger: true,
  });
  if (!isSure) return;
  await tried(async () => {
    const kind = stream.kind === "beam" ? "recordings" : "live-streams";
    await post(`/v2/${kind}/${stream.id}/stop`);
    toast(t("{name} is ending.", { name: about }));
    again();
  });
}

async function pickLayout(node, again) {
  const { stream } = parts.get(node);
  const sorted = [...layouts].sort(([a], [b]) =>
    (b === stream.layout.name) - (a === stream.layout.name));
  const picked = choice("layout", t("How people are shown"), sorted.map(([value, text, hint]) => ({
    value, text, hint,
  })));
  const isSure = await ask({
    title: t("Layout of {name}", { name: nameOf(stream) }), content: [picked.node],
    confirm: t("Use it"), refuse: t("Cancel"),
  });
  if (!isSure) return;
  await tried(async () => {
    await patch(`/v2/live-streams/${stream.id}`, { layout: { name: picked.value() } });
    toast(t("The layout changes."));
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
  const [, text] = phases[stream.status];
  setText(line, [nameOf(stream), `${text} ${dateText(stream.stopped_at)}`,
    endText(stream.stop_reason, stream.stop_code)].filter(Boolean).join(" · "));
}
