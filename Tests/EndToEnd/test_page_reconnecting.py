"""How the page comes back into a room that it has lost, without the server."""

import json

import pytest
from harness.room_world import HAND


def test_codes_tell_what_is_worth_another_try(page):
    codes = page.evaluate("""async (codes) => {
      const { SignalError } = await import("/assets/client/signal.js");
      return codes.map((code) => new SignalError(code, ""))
        .map(({ isFinal, isTransient }) => [isFinal, isTransient]);
    }""", [400, 401, 403, 410, 40001, 40101, 41001, 1003, 429, 503, 404, 2003])
    assert codes == [[True, False]] * 7 + [[False, True]] * 3 + [[False, False]] * 2


def in_a_room(answers, steps):
    """Runs the steps with a `client` in a room that publishes a picture and a sound, and is then
    cut off.

    `answers` are the server's answers to each further call but pings, by the number of the socket
    and the method: true accepts it, a number is an error's code, "cut" closes the socket. `made` are
    the page's connections, the sending one first, `hasten` speeds up the page's clock, and `become`
    makes a connection report another state.
    """
    return """async () => {
  const { RoomcastClient } = await import("/assets/client/roomcast-client.js");
  const answers = %s;
  const sockets = [], calls = [];
  class Socket extends EventTarget {
    static OPEN = 1;
    readyState = 1;
    number = sockets.push(this) - 1;
    connection = null;
    constructor() {
      super();
      setTimeout(() => {
        this.dispatchEvent(new Event("open"));
        this.say({ method: "on-policy-change", params: { name: "host", known_roles: {} } });
      });
    }
    say(message) {
      this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
    }
    async send(text) {
      const { id, method, params } = JSON.parse(text);
      if (!id) return;
      const isTaken = method === "ping" || (answers[this.number]?.[method]?.shift() ?? true);
      if (method !== "ping") calls.push([this.number, method, params]);
      if (isTaken === "cut") return this.close();
      if (isTaken !== true) return this.say({ id, error: { code: isTaken, message: "No." } });
      const result = method === "join" ? await answer(params.offer)
        : method === "offer" ? await answer(params.desc) : { timestamp: 1 };
      this.say({ id, result });
    }
    close() {
      this.readyState = 3;
      this.dispatchEvent(new CloseEvent("close", { code: 1006 }));
    }
  }
  const real = { WebSocket, RTCPeerConnection, fetch, setTimeout, setInterval };
  const made = [];
  let far = null;
  let session = "";
  async function answer(offer) {
    const began = offer.sdp.match(/a=fingerprint:.*/)[0];
    if (began !== session) {
      far = new real.RTCPeerConnection();
      session = began;
    }
    await far.setRemoteDescription(offer);
    await far.setLocalDescription(await far.createAnswer());
    return far.localDescription.toJSON();
  }
  const raised = [["_handraise"], []].map((groups) => ({
    method: "on-peer-update", params: { peer_id: "", groups } }));
  const tell = (message) => {
    message.params.peer_id = client.peerID;
    sockets.at(-1).say(message);
  };
  window.RTCPeerConnection = class extends RTCPeerConnection {
    constructor(...options) {
      super(...options);
      // What is played here is all that happens.
      this.addEventListener("connectionstatechange", (event) => {
        if (!event.isPlayed) event.stopImmediatePropagation();
      });
      made.push(this);
    }
  };
  const hasten = (factor) => {
    for (const name of ["setTimeout", "setInterval"]) {
      // An answer (15 s) is real work here, which goes no faster.
      window[name] = (run, wait = 0) =>
        real[name].call(window, run, wait === 15000 ? wait : wait / factor);
    }
  };
  const pause = (wait) => new Promise((resolve) => real.setTimeout.call(window, resolve, wait));
  const within = (wait, promise) => Promise.race([
    promise, pause(wait).then(() => { throw new Error(`not within ${wait} ms`); })]);
  const become = (connection, state) => {
    Object.defineProperty(connection, "connectionState", { value: state, configurable: true });
    connection.dispatchEvent(
      Object.assign(new Event("connectionstatechange"), { isPlayed: true }));
  };
  window.WebSocket = Socket;
  window.fetch = async () => new Response(JSON.stringify({ endpoint: "wss://h.test/ws" }));
  const client = new RoomcastClient({ origin: location.origin, token: "t" });
  const joined = () => new Promise((resolve, reject) =>
    client.addEventListener("state", ({ detail: { state, reason } }) => {
      if (state === "joined") resolve();
      if (state === "left") reject(new Error(reason));
    }));
  const published = () => Object.values(calls.findLast(([, method]) => method === "offer")[2].tracks)
    .map(({ type }) => type).sort();
  const canvas = document.createElement("canvas");
  canvas.getContext("2d");
  window.context ??= new AudioContext();
  const streams = [canvas.captureStream(), window.context.createMediaStreamDestination().stream];
  try {
    await client.connect();
    await client.join({ name: "Ann" });
    for (const stream of streams) await client.publish(stream.getTracks()[0], stream);
    %s
  } finally {
    client.leave();
    Object.assign(window, real);
  }
}""" % (json.dumps(answers), steps)


@pytest.mark.parametrize("answers", [
    {1: {"offer": [404], "join": [503]}, 2: {"offer": [404]}},  # forgotten, and busy for a while
    {1: {"offer": [404], "join": [503]}},  # the join was taken, and its answer lost
    {1: {"offer": [404, 503]}},
    {1: {"offer": [404, 503]}, 2: {"offer": [404]}},
])
def test_what_was_published_is_so_again_however_often_the_way_back_fails(page, answers):
    assert page.evaluate(in_a_room(answers, """
      const back = joined();
      sockets[0].close();
      await back;
      return published();
    """)) == ["audio", "video"]


@pytest.mark.parametrize(("answers", "joins"), [
    ({0: {"offer": [True, True, "cut"]}}, 1),
    ({0: {"offer": [True, True, "cut"]}, 1: {"offer": ["cut"]}}, 1),
    ({0: {"offer": [True, True, "cut"]}, 1: {"offer": [404]}}, 2),  # forgotten meanwhile
])
def test_a_socket_that_is_lost_in_the_middle_of_an_offer_costs_only_what_was_offered(
        page, answers, joins):
    tracks, error, received, entered = page.evaluate(in_a_room(answers, """
      const back = joined();
      const stream = canvas.captureStream();
      const error = await client.publish(stream.getTracks()[0], stream, { source: "screen" })
        .then(() => "", ({ name }) => name);
      await within(60000, back);
      const [, , { desc, tracks }] = calls.findLast(([, method]) => method === "offer");
      const received = far.getTransceivers().filter(({ currentDirection }) =>
        currentDirection === "recvonly").length;
      return [Object.values(tracks).map(({ source }) => source).sort(), error, received,
        calls.filter(([, method]) => method === "join").length];
    """))
    assert tracks == ["regular", "regular"]
    assert (error, received, entered) == ("SignalError", 2, joins)


def test_what_is_published_and_taken_back_makes_no_later_offer_longer(page):
    assert page.evaluate(in_a_room({}, """
      const track = streams[0].getTracks()[0];
      for (let round = 0; round < 5; round += 1) {
        await client.unpublish(await client.publish(track.clone(), streams[0]));
      }
      const [, , { desc }] = calls.findLast(([, method]) => method === "offer");
      return desc.sdp.match(/^m=/gm).length;
    """)) == 4, "the channel, two tracks, and what was taken back"


@pytest.mark.parametrize("is_raised", [True, False])
def test_a_raised_hand_is_raised_again_where_the_server_has_forgotten_it(page, is_raised):
    assert page.evaluate(in_a_room({1: {"offer": [404]}}, f"""
      tell(raised[0]);
      if (!{json.dumps(is_raised)}) tell(raised[1]);
      const back = joined();
      sockets[0].close();
      await back;
      return calls.filter(([number, method]) => number === 1 && method === "group-join")
        .map(([, , params]) => params.name);
    """)) == ([HAND] if is_raised else [])


def test_media_that_gets_through_no_more_is_told_until_it_does_again(page):
    assert page.evaluate(in_a_room({}, """
      const told = [];
      client.addEventListener("path", ({ detail }) => told.push(detail.isBroken));
      hasten(50);
      for (const state of ["disconnected", "connected"]) become(made[1], state);
      await pause(1000);
      const brief = [...told];
      for (const state of ["disconnected", "failed", "connecting", "failed"]) {
        become(made[1], state);
      }
      for (let look = 0; look < 1200 && told.length === 0; look += 1) await pause(50);
      const soon = [...told];
      become(made[1], "connected");
      return [brief, soon, told, sockets.length];
    """)) == [[], [True], [True, False], 1]


def test_who_leaves_while_the_page_comes_back_is_gone(page):
    assert page.evaluate(in_a_room({}, """
      const answering = window.fetch;
      let answer = null;
      window.fetch = () => new Promise((resolve) => { answer = () => resolve(answering()); });
      hasten(50);
      sockets[0].close();
      for (let look = 0; look < 1200 && !answer; look += 1) await pause(50);
      client.leave();
      answer();
      await pause(500);
      return [client.state, sockets.length];
    """)) == ["left", 1]


def test_who_does_not_get_back_in_the_rooms_time_is_told_for_how_long_it_was_tried(page):
    reason, tries = page.evaluate(in_a_room({}, """
      sockets[0].say({ method: "room-info", params: { reconnection_seconds: 4 } });
      const left = joined().catch(({ message }) => message);
      let tries = 0;
      window.fetch = async () => { tries += 1; throw new TypeError("no network"); };
      sockets[0].close();
      return [await within(60000, left), tries];
    """))
    assert reason == "The connection was lost, and 4 s of trying did not bring it back."
    assert 1 <= tries <= 4


def test_a_server_that_was_restarted_is_entered_again(page):
    """It refuses the offer, ends the session of whoever knows no better, and closes the socket."""
    tries, tracks, state = page.evaluate(in_a_room({1: {"offer": [410], "join": [1003]}}, """
      const sockets1 = new Promise((resolve) => {
        const look = () => sockets[1] && calls.some(([number, method]) => number === 1
          && method === "offer") ? resolve(sockets[1]) : real.setTimeout.call(window, look, 5);
        look();
      });
      const back = joined();
      sockets[0].close();
      const restarted = await sockets1;
      restarted.say({ method: "on-error", params: { code: 410, message: "join again" } });
      restarted.close();
      await within(60000, back);
      return [calls.filter(([number, method]) => number === 2 && method === "join").length,
        published(), client.state];
    """))
    assert (tries, tracks, state) == (1, ["audio", "video"], "joined")


@pytest.mark.parametrize("code", [429, 404])
def test_a_restart_that_is_not_taken_is_tried_again(page, code):
    restarts, faults, before = page.evaluate(in_a_room({}, f"""
      const faults = [];
      client.addEventListener("fault", ({{ detail }}) => faults.push(detail.code));
      const restarts = () => calls.filter(([, method]) => method === "offer").length;
      const before = restarts();
      answers[0] = {{ offer: [{code}, {code}] }};
      hasten(100);
      become(made[0], "failed");
      for (let look = 0; look < 1200 && restarts() < before + 3; look += 1) await pause(50);
      await pause(300); // a fourth one would have come
      return [restarts(), faults, before];
    """))
    assert restarts - before == 3, "the third one was taken"
    assert faults == [], "what gets through says so"


@pytest.mark.parametrize("half", ["answer", "body"])
def test_a_server_that_does_not_answer_at_all_costs_one_try_to_come_back(page, half):
    assert page.evaluate(in_a_room({}, f"""
      const tries = [];
      const answering = window.fetch;
      window.fetch = (url, {{ signal }}) => {{
        tries.push(signal instanceof AbortSignal);
        if (tries.length > 1) return answering();
        const never = () => new Promise((resolve, reject) => {{
          signal?.addEventListener("abort", () => reject(signal.reason));
        }});
        return "{half}" === "answer" ? never() : Promise.resolve({{ ok: true, text: () => never() }});
      }};
      const timeout = AbortSignal.timeout;
      AbortSignal.timeout = (wait) => timeout.call(AbortSignal, wait / 100);
      try {{
        const back = joined();
        sockets[0].close();
        await within(60000, back);
      }} finally {{
        AbortSignal.timeout = timeout;
      }}
      return tries;
    """)) == [True, True]
