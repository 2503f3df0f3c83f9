"""The watch page, with the stream in transport streams: in Chromium's own player."""

from harness.waiting import wait_for

LENGTH = 10  # s that playback must advance: several segments
ON_AIR_TIMEOUT = 60  # s
CAMERA_RATE = 15  # frames/s

STATE = """() => {
  const video = document.querySelector("[data-testid=video]");
  return {time: video.currentTime, width: video.videoWidth, paused: video.paused,
          error: video.error && video.error.message, frames: video.getVideoPlaybackQuality(),
          hidden: video.hidden};
}"""


def test_the_watch_page_waits_plays_and_says_when_it_is_over(enter, browser, server, room):
    enter("Ann")
    context = browser.new_context()
    page = context.new_page()
    # Another name, and so another origin, than the server's own.
    page.goto(f"http://localhost:{server.port}/watch/{room}")
    page.wait_for_selector("[data-testid=notice]")
    assert not page.is_visible("[data-testid=video]")

    stream = server.start_stream(room)
    try:
        server.wait_for_status(stream["id"], "running", ON_AIR_TIMEOUT)
        wait_for("playback begins", lambda: page.evaluate(STATE)["time"] > 0.5, ON_AIR_TIMEOUT)
        assert page.inner_text("[data-testid=live-badge]").startswith("Live")
        begin = page.evaluate(STATE)["time"]
        wait_for(
            f"playback advances by {LENGTH} s",
            lambda: page.evaluate(STATE)["time"] >= begin + LENGTH,
            LENGTH + ON_AIR_TIMEOUT,
            interval=0.5,
        )
        state = page.evaluate(STATE)
        assert state["error"] is None and state["width"] > 0 and not state["paused"]
        assert not page.is_visible("[data-testid=sound-only]")
    finally:
        server.stop_stream(room)
    server.wait_for_status(stream["id"], "completed", ON_AIR_TIMEOUT)
    # The rest plays out before the page says so.
    wait_for(
        "the page says that it is over",
        lambda: page.is_visible("[data-testid=notice]")
        and "ended" in page.inner_text("[data-testid=notice]"),
        ON_AIR_TIMEOUT,
        interval=0.5,
    )
    context.close()


def test_a_stream_of_sound_alone_plays_and_says_so(enter, browser, server, room):
    enter("Ann")
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{server.base}/watch/{room}")
    stream = server.start_stream(room, {"audio": {"only": True}})
    try:
        server.wait_for_status(stream["id"], "running", ON_AIR_TIMEOUT)
        wait_for("playback begins", lambda: page.evaluate(STATE)["time"] > 0.5, ON_AIR_TIMEOUT)
        begin = page.evaluate(STATE)["time"]
        wait_for(
            "playback advances by 4 s", lambda: page.evaluate(STATE)["time"] >= begin + 4, ON_AIR_TIMEOUT,
            interval=0.5)
        state = page.evaluate(STATE)
        assert state["error"] is None and state["width"] == 0 and not state["paused"]
        assert "Sound only" in page.inner_text("[data-testid=sound-only]")
        # The text does not cover the controls, and they work.
        video = page.locator("[data-testid=video]").bounding_box()
        text = page.locator("[data-testid=sound-only]").bounding_box()
        assert text["y"] + text["height"] <= video["y"] + video["height"] - 60
        page.eval_on_selector("[data-testid=video]", "video => video.pause()")
        page.wait_for_selector("[data-testid=sound-only][data-state=paused]")
        page.eval_on_selector("[data-testid=video]", "video => video.play()")
        page.wait_for_selector("[data-testid=sound-only][data-state=playing]")
    finally:
        server.stop_stream(room)
    wait_for(
        "the page says that it is over",
        lambda: "ended" in page.inner_text("[data-testid=notice]"), ON_AIR_TIMEOUT, interval=0.5)
    assert not page.is_visible("[data-testid=sound-only]")
    context.close()


# Whether this browser can play a stream, as far as the page knows.
ON_AIR = """(canPlay) => {
  HTMLMediaElement.prototype.canPlayType = () => (canPlay ? "maybe" : "");
  HTMLMediaElement.prototype.play = async () => {};
  const real = window.fetch;
  window.fetch = async (url, ...more) => (String(url).endsWith("/stream")
    ? new Response(JSON.stringify({ id: "s", state: "running", url: "/streams/s/master.m3u8" }))
    : real(url, ...more));
}"""
PRESS = """(id) => {
  const button = document.getElementById(id);
  button.hidden = false;
  button.focus();
  button.click();
}"""


def test_the_focus_of_a_button_that_goes_is_at_the_picture_then(browser, server, room):
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script(f"({ON_AIR})(true)")
    page.goto(f"{server.base}/watch/{room}")
    page.wait_for_selector("[data-testid=video]")
    page.evaluate(PRESS, "unmute")
    page.wait_for_selector("#unmute", state="hidden")
    assert page.evaluate("document.activeElement.id") == "video"
    context.close()


def test_a_viewer_is_told_why_there_is_no_picture_yet(browser, server, room):
    context = browser.new_context()
    page = context.new_page()
    page.clock.install()
    answer = {"state": "starting", "url": None, "id": "s", "started_at": None, "bot_restarts": 0,
              "degradation": None}
    page.route("**/api/rooms/*/stream", lambda route: route.fulfill(json=answer))
    page.route("**/hls/**", lambda route: None)  # never answered
    page.goto(f"{server.base}/watch/{room}")
    notice = page.get_by_test_id("notice")

    def is_said(text, seconds=0):
        if seconds:
            page.clock.fast_forward(seconds * 1000)
        wait_for(f"'{text}' is said", lambda: page.clock.run_for(500) or
                 text in notice.inner_text(), ON_AIR_TIMEOUT)

    is_said("Only a few seconds more")
    is_said("It takes longer than usual", seconds=11)
    answer["bot_restarts"] = 1
    is_said("tried again (attempt 2)", seconds=3)
    answer |= {"state": "running", "url": f"{server.base}/hls/{room}/s/master.m3u8"}
    is_said("Connecting …", seconds=3)
    is_said("It takes longer than usual", seconds=11)
    page.unroute_all(behavior="ignoreErrors")
    context.close()


def test_that_an_address_is_copied_is_said(browser, server, room):
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.add_init_script(f"({ON_AIR})(false)")
    page.goto(f"{server.base}/watch/{room}")
    page.click("#copy")
    said = page.get_by_role("status").filter(has_text="The address is copied.")
    said.wait_for()
    address = page.evaluate("navigator.clipboard.readText()")
    assert address.endswith("/streams/s/master.m3u8")
    page.evaluate("() => { navigator.clipboard.writeText = async () => { throw new Error(); }; }")
    page.click("#copy")
    page.get_by_role("status").filter(has_text="The address is selected.").wait_for()
    context.close()


def test_the_first_page_lists_the_room_and_leads_into_it(enter, browser, server, room):
    enter("Ann")
    context = browser.new_context()
    page = context.new_page()
    page.goto(server.base)
    card = page.wait_for_selector(f"[data-testid=room-card][data-room={room}]")
    assert "1 person" in card.inner_text()
    card.query_selector("[data-testid=join-link]").click()
    page.wait_for_url(f"**/rooms/{room}")
    context.close()


def test_the_preview_joins_with_a_token_of_the_page_api(browser, server, room):
    context = browser.new_context(permissions=["camera", "microphone"])
    page = context.new_page()
    page.goto(f"{server.base}/rooms/{room}")
    page.fill("[data-testid=name]", "Dora")
    page.select_option("[data-testid=role]", "guest")
    page.click("[data-testid=join]")
    page.wait_for_selector("[data-testid=call]")
    wait_for("Dora is counted", lambda: server.peer_count(room) == 1, ON_AIR_TIMEOUT)
    context.close()
    # A peer that had no time to say goodbye is detected as gone.
    wait_for("Dora is gone with her page", lambda: server.peer_count(room) == 0, ON_AIR_TIMEOUT)
