"""The page's publishing of camera, microphone and screen, without the server."""

import pytest


def test_the_description_names_stream_and_track_of_each_section(page):
    sdp = "\r\n".join([
        "v=0", "a=group:BUNDLE 0 1 2", "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
        "a=mid:0", "m=audio 9 UDP/TLS/RTP/SAVPF 111", "a=mid:1", "a=msid:stream-a track-a",
        "m=video 9 UDP/TLS/RTP/SAVPF 96", "a=msid:{stream-b} {track-b}", "a=mid:2", "",
    ])
    found = page.evaluate(
        """async (sdp) => {
          const { mediaIdentifiers } = await import("/assets/client/sdp.js");
          return [...mediaIdentifiers(sdp)];
        }""",
        sdp,
    )
    assert found == [
        ["1", {"streamID": "stream-a", "trackID": "track-a"}],
        ["2", {"streamID": "{stream-b}", "trackID": "{track-b}"}],
    ]


def test_sound_is_wished_without_silence_and_what_a_screen_plays_in_stereo(page):
    sdp = "\r\n".join([
        "v=0", "m=audio 9 UDP/TLS/RTP/SAVPF 111 63", "a=mid:0", "a=rtpmap:111 opus/48000/2",
        "a=fmtp:111 minptime=10;useinbandfec=1", "a=fmtp:63 111/111",
        "m=audio 9 UDP/TLS/RTP/SAVPF 111", "a=mid:1", "a=fmtp:111 minptime=10;useinbandfec=1",
        "m=audio 9 UDP/TLS/RTP/SAVPF 111", "a=mid:2", "a=fmtp:111 stereo=1;useinbandfec=1",
        "m=video 9 UDP/TLS/RTP/SAVPF 96", "a=mid:3", "a=fmtp:96 profile-id=0", "",
    ])
    found = page.evaluate(
        """async (sdp) => {
          const { withSoundWishes } = await import("/assets/client/sdp.js");
          return withSoundWishes(sdp, new Set(["1", "2"]));
        }""",
        sdp,
    )
    assert [line for line in found.split("\r\n") if "fmtp" in line] == [
        "a=fmtp:111 minptime=10;useinbandfec=1;usedtx=1", "a=fmtp:63 111/111",
        "a=fmtp:111 minptime=10;useinbandfec=1;stereo=1;usedtx=1",
        "a=fmtp:111 stereo=1;useinbandfec=1;usedtx=1",
        "a=fmtp:96 profile-id=0",
    ]
    assert len(found.split("\r\n")) == len(sdp.split("\r\n"))


PUBLISHING = """async ([roles, screen]) => {
  const { Publishing } = await import("/assets/room/publishing.js");
  const [picture, sound] = ["video", "audio"].map((kind) => ({ kind }));
  const calls = [], faults = [];
  const client = {
    state: "joined",
    role: null,
    async publish(track, stream, { maximumBitrate, layers, source = "regular" }) {
      calls.push(["publish", `${source} ${track.kind}`, maximumBitrate ?? 0, layers?.length ?? 0]);
      return { media: track, isMuted: false };
    },
    async unpublish(publication) {
      calls.push(["unpublish", publication.media.kind]);
    },
  };
  const media = {
    camera: picture, microphone: sound, isCameraOn: true, isMicrophoneOn: true, stream: {} };
  const attempt = (action) => action().catch((error) => faults.push(error.message));
  const publishing = new Publishing({ client, media, attempt, onChange: () => {} });
  const wanted = [];
  navigator.mediaDevices.getDisplayMedia = async (constraints) => {
    wanted.push(constraints.video);
    if (typeof screen === "string") throw new DOMException(screen, "NotAllowedError");
    const canvas = document.createElement("canvas");
    canvas.getContext("2d");
    return canvas.captureStream();
  };
  try {
    for (const publishParams of roles) {
      client.role = { publishParams };
      await publishing.sync();
    }
    if (screen) await publishing.startScreen();
    await publishing.settled;
  } finally {
    delete navigator.mediaDevices.getDisplayMedia;
  }
  return { calls, faults, wanted };
}"""
CAMERA = {"allowed": ["audio", "video", "screen"], "video": {"bitRate": 900}}
LAYERS = {"simulcast": {"video": {"layers": [{"rid": "f"}, {"rid": "h"}]}}}


@pytest.mark.parametrize(("role", "expected"), [
    (CAMERA, []),
    (CAMERA | {"screen": {"bitRate": 2000}}, []),
    (CAMERA | {"video": {"bitRate": 300}},
     [["unpublish", "video"], ["publish", "regular video", 300_000, 0]]),
    (CAMERA | LAYERS, [["unpublish", "video"], ["publish", "regular video", 900_000, 2]]),
    (CAMERA | {"allowed": ["audio"]}, [["unpublish", "video"]]),
])
def test_a_camera_is_sent_as_the_new_role_has_it(page, role, expected):
    calls = page.evaluate(PUBLISHING, [[CAMERA, role], False])["calls"]
    assert calls == [["publish", "regular audio", 0, 0],
                     ["publish", "regular video", 900_000, 0], *expected]


def test_a_screen_is_sent_as_the_role_has_it_and_no_larger_than_is_recorded(page):
    role = {"allowed": ["screen"], "screen": {"bitRate": 1500}}
    found = page.evaluate(PUBLISHING, [[role], True])
    assert found["calls"] == [["publish", "screen video", 1_500_000, 0]]
    [wanted] = found["wanted"]
    assert (wanted["width"], wanted["height"]) == ({"max": 3840}, {"max": 2160})


@pytest.mark.parametrize(("reason", "faults"), [
    ("Permission denied", []),  # by the user
    ("Permission denied by user", []),
    ("Permission denied by system",
     ["The system does not let this browser show the screen. Allow it in the system's settings."]),
])
def test_a_screen_that_the_system_refuses_is_told(page, reason, faults):
    assert page.evaluate(PUBLISHING, [[CAMERA], reason])["faults"] == faults


CHOOSE_SCREEN = """async (meanwhile) => {
  const { Publishing } = await import("/assets/room/publishing.js");
  const client = {
    state: "joined",
    role: { publishParams: { allowed: ["screen"] } },
    publish: async (media) => ({ media, isMuted: false }),
    unpublish: async () => {},
  };
  const publishing = new Publishing({
    client, media: { stream: {} }, attempt: (action) => action(), onChange: () => {} });
  const answers = [], ends = [];
  const open = () => new Promise((resolve) => answers.push(() => {
    const canvas = document.createElement("canvas");
    canvas.getContext("2d");
    const stream = canvas.captureStream();
    // No page can make a track end by itself, and Firefox' tracks dispatch nothing of a page's.
    stream.getTracks()[0].addEventListener = (type, handler) => ends.push(handler);
    resolve(stream);
    return stream;
  }));
  navigator.mediaDevices.getDisplayMedia = open;
  try {
    const done = [publishing.startScreen()];
    if (meanwhile === "pressed again") done.push(publishing.startScreen());
    if (meanwhile === "removed") client.state = "left";
    if (meanwhile === "away") client.state = "reconnecting";
    if (meanwhile === "another role") client.role.publishParams.allowed = [];
    const streams = answers.map((answer) => answer());
    await Promise.all(done);
    if (meanwhile === "shared anew") {
      publishing.stopScreen();
      const again = publishing.startScreen();
      streams.push(answers.at(-1)());
      await again;
      ends[0]();
    }
    await publishing.settled;
    return [streams.map((stream) => stream.active), publishing.screen !== null];
  } finally {
    delete navigator.mediaDevices.getDisplayMedia;
  }
}"""


@pytest.mark.parametrize(("meanwhile", "active", "is_shared"), [
    ("nothing", [True], True),
    ("away", [True], True),
    ("removed", [False], False),
    ("another role", [False], False),
    ("pressed again", [True], True),
    ("shared anew", [False, True], True),
])
def test_a_chosen_screen_is_shared_where_that_is_still_wanted(page, meanwhile, active, is_shared):
    assert page.evaluate(CHOOSE_SCREEN, meanwhile) == [active, is_shared]


def test_what_is_cut_off_while_it_is_published_is_no_fault(page):
    found = page.evaluate("""async () => {
      const { Publishing } = await import("/assets/room/publishing.js");
      const client = {
        role: { publishParams: { allowed: ["audio"] } },
        async publish() {
          client.state = client.becomes;
          throw new Error("No.");
        },
      };
      const media = { microphone: {}, isMicrophoneOn: true, stream: {} };
      const faults = [];
      const attempt = (action) => action().catch((error) => faults.push(error.message));
      const publishing = new Publishing({ client, media, attempt, onChange: () => {} });
      const told = [];
      for (const becomes of ["reconnecting", "joined"]) {
        Object.assign(client, { state: "joined", becomes });
        await publishing.sync();
        told.push(faults.length);
      }
      return told;
    }""")
    assert found == [0, 1]
