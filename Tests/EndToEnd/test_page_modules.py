"""The pages' pure modules, in the browser that runs them, without a server."""

import mimetypes
import re

import pytest

from harness.server import REPOSITORY

WEB = REPOSITORY / "Sources/ControlAPI/Web"
ORIGIN = "http://pages.test"


@pytest.fixture(scope="module")
def page(browser):
    context = browser.new_context()
    page = context.new_page()

    def fulfil(route):
        path = WEB / route.request.url.removeprefix(ORIGIN).lstrip("/")
        if not path.is_file():
            return route.fulfill(status=200, content_type="text/html", body="<body></body>")
        kind = mimetypes.guess_type(path.name)[0] or "text/plain"
        return route.fulfill(status=200, content_type=kind, body=path.read_bytes())

    page.route(f"{ORIGIN}/**", fulfil)
    page.goto(f"{ORIGIN}/blank")
    yield page
    context.close()


def test_no_page_needs_inline_scripts_or_styles():
    for file in WEB.glob("*.html"):
        text = file.read_text()
        assert re.search(r"<script(?![^>]*\bsrc=)", text) is None, file.name
        assert " style=" not in text and "<style" not in text, file.name
        assert re.search(r"\son[a-z]+=", text) is None, file.name


def test_no_module_makes_markup_of_text():
    for file in WEB.glob("assets/**/*.js"):
        text = file.read_text()
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
            assert word not in text, f"{word} in {file.name}"


def test_every_module_loads(page):
    names = [f"/{file.relative_to(WEB)}" for file in WEB.glob("assets/**/*.js")]
    # These run a page as soon as they are loaded.
    names = [name for name in names if not re.search(r"/(home|recordings|room|watch)\.js$", name)]
    pages_parts = ("preview", "side-panel", "on-air", "call")  # look for their page's elements
    for name in names:
        if name.rsplit("/", 1)[1].removesuffix(".js") not in pages_parts:
            page.evaluate("(name) => import(name).then(() => true)", name)


def test_the_cues_of_a_sheet_of_pictures_are_read(page):
    text = ("WEBVTT\r\n\r\n00:00:00.000 --> 00:00:02.500 align:start\r\na b.jpg#xywh=0,0,160,90\r\n"
            "\r\n2\r\n59:02.500 --> 01:00:04.000\r\nhttps://o.test/c.jpg#xywh=160,90,160,90\r\n")
    cues = page.evaluate(
        "(text) => import('/assets/scrubber.js').then((scrubber) =>"
        " scrubber.parseCues(text, 'https://h.test/d/e.vtt'))", text)
    size = {"width": 160, "height": 90}
    assert cues == [
        {"begin": 0, "end": 2.5, "url": "https://h.test/d/a%20b.jpg", "x": 0, "y": 0} | size,
        {"begin": 3542.5, "end": 3604, "url": "https://o.test/c.jpg", "x": 160, "y": 90} | size]
    assert page.evaluate(
        "() => import('/assets/scrubber.js').then((scrubber) =>"
        " scrubber.parseCues('<html>', 'https://h.test/'))") == []


@pytest.mark.parametrize("size", [(1600, 900), (1280, 640), (390, 600), (900, 900)])
@pytest.mark.parametrize("screens", [0, 1, 2])
def test_tiles_stay_on_the_stage_and_apart(page, size, screens):
    width, height = size
    places = page.evaluate(
        """async ([screens, width, height]) => {
          const { layout } = await import("/assets/stage-layout.js");
          return Array.from({length: 26}, (_, cameras) => layout(screens, cameras, width, height));
        }""",
        [screens, width, height],
    )
    for cameras, tiles in enumerate(places):
        assert len(tiles) == screens + cameras
        for index, one in enumerate(tiles):
            assert one["width"] > 0 and one["height"] > 0
            assert -1 <= one["x"] and one["x"] + one["width"] <= width + 1
            assert -1 <= one["y"] and one["y"] + one["height"] <= height + 1
            for other in tiles[index + 1:]:
                assert (one["x"] + one["width"] <= other["x"] + 1
                        or other["x"] + other["width"] <= one["x"] + 1
                        or one["y"] + one["height"] <= other["y"] + 1
                        or other["y"] + other["height"] <= one["y"] + 1)


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


ROOM = """async (messages) => {
  const { RoomState } = await import("/assets/client/room-state.js");
  const room = new RoomState("me");
  const events = messages.map(([method, params]) => room.take(method, params).map(([one]) => one));
  return {
    events,
    streaming: room.streaming,
    peers: [...room.peers.values()].map((peer) => ({
      id: peer.id, name: peer.name, tracks: [...peer.tracks.values()],
    })),
  };
}"""


def peer(identifier, name, **tracks):
    return {
        "peer_id": identifier, "role": "guest", "joined_at": 1, "info": {"name": name},
        "tracks": {key: {"track_id": key, "type": kind} for key, kind in tracks.items()},
    }


def test_the_room_keeps_others_and_never_itself(page):
    state = page.evaluate(ROOM, [
        ["peer-list", {"peers": {"me": peer("me", "Me"), "a": peer("a", "Ann", t1="video")},
                       "room": {"name": "r"}}],
        ["on-peer-join", peer("b", "Ben")],
        ["on-peer-join", peer("me", "Me")],
        ["on-track-add", {"tracks": {"t2": {"track_id": "t2", "type": "audio", "mute": True}},
                          "peer": peer("b", "Ben")}],
    ])
    assert state["events"] == [["streaming", "peers"], ["presence", "peers"], [], ["peers"]]
    assert [one["name"] for one in state["peers"]] == ["Ann", "Ben"]
    assert state["peers"][1]["tracks"] == [
        {"id": "t2", "kind": "audio", "source": "regular", "isMuted": True}
    ]


def test_a_late_track_removal_does_not_bring_a_peer_back(page):
    state = page.evaluate(ROOM, [
        ["on-peer-join", peer("b", "Ben")],
        ["on-peer-leave", peer("b", "Ben")],
        ["on-track-remove", {"tracks": {"t": {"track_id": "t"}}, "peer": peer("b", "Ben")}],
    ])
    assert state["peers"] == []


@pytest.mark.parametrize(("variants", "expected"), [
    ([], "none"),
    ([{"state": "initialised"}], "initialised"),
    ([{"state": "stopped"}, {"state": "started", "url": "u"}], "started"),
    ([{"state": "failed", "error": {"message": "why"}}], "failed"),
])
def test_the_most_advanced_variant_is_the_rooms_state(page, variants, expected):
    state = page.evaluate(ROOM, [["on-hls-update", {"enabled": True, "variants": variants}]])
    assert state["streaming"]["state"] == expected
    assert (state["streaming"]["url"] == "u") == (expected == "started")
