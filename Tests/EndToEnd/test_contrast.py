"""The text on the pages is readable, in light and dark mode: axe-core checks the contrast of all
text (WCAG 2.2, 1.4.3)."""

import pytest
from harness import axe
from harness.waiting import wait_for

# axe assumes that text in exactly its background's colour may be hidden on purpose. None is here.
LOOK = """() => axe.run(document, { runOnly: ["color-contrast"] })
  .then(({ violations, incomplete }) => [...violations, ...incomplete].flatMap(({ nodes }) => nodes)
    .filter(({ any }) => any[0].data?.contrastRatio > 0
      && any[0].data.contrastRatio < parseFloat(any[0].data.expectedContrastRatio))
    .map(({ target, any }) => `${target.join(" ")}: ${any[0].message}`))"""
CAMERA_RATE = 5  # frames/s
WATCH_STATES = ["none", "starting", "running", "failed"]


@pytest.fixture(params=["light", "dark"])
def scheme(request):
    return request.param


@pytest.fixture
def page(browser, scheme):
    context = browser.new_context(color_scheme=scheme, reduced_motion="reduce")
    yield context.new_page()
    context.close()


def unreadable(page):
    return axe.look(page, LOOK)


def test_the_check_sees_white_on_white(page, server):
    page.goto(server.base)
    page.evaluate("""() => {
      const style = document.querySelector(".lead").style;
      style.color = style.backgroundColor = "#eee";
    }""")
    assert ".lead" in " ".join(unreadable(page))


@pytest.mark.parametrize("path", ["/", "/docs", "/recordings", "/rooms/contrast", "/nowhere"])
def test_a_page_can_be_read(page, server, path):
    page.goto(f"{server.base}{path}", wait_until="networkidle")
    page.wait_for_selector("h1")
    assert unreadable(page) == []


@pytest.mark.parametrize("state", WATCH_STATES)
def test_the_watch_page_can_be_read(page, server, state):
    lack = {"frame_rate": 5, "layers_thinned": 1, "videos_left_out": 0, "changes": 1}
    answer = {"state": state, "url": f"{server.base}/hls/r/s/master.m3u8", "id": "s",
              "started_at": None, "bot_restarts": 1, "degradation": lack}
    page.route("**/api/rooms/*/stream", lambda route: route.fulfill(json=answer))
    # As in a browser without HLS: the page shows the address.
    page.add_init_script("HTMLMediaElement.prototype.canPlayType = () => ''")
    page.goto(f"{server.base}/watch/contrast", wait_until="networkidle")
    if state == "running":
        page.wait_for_selector("#address", state="visible")
    assert unreadable(page) == []


def test_the_room_with_its_panels_and_questions_can_be_read(enter, server, scheme):
    ann = enter("Ann")
    page = ann.page
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    assert unreadable(page) == []
    for button in ("People", "Chat", "Polls", "Studio"):
        page.get_by_role("button", name=button, exact=False).first.click()
        assert unreadable(page) == [], button
    page.click("[data-testid=go-live]")
    wait_for("the question is asked", lambda: page.is_visible("[data-testid=dialog]"), 60)
    assert unreadable(page) == []
    page.click("[data-testid=refuse]")
    for phase, attributes in (("live", {}), ("live", {"lack": ""}), ("starting", {}),
                              ("ending", {}), ("failed", {})):
        page.evaluate("""([phase, attributes]) => {
          const lamp = document.getElementById("lamp");
          lamp.hidden = false;
          delete lamp.dataset.lack;
          Object.assign(lamp.dataset, { phase }, attributes);
          lamp.textContent = "A lamp";
        }""", [phase, attributes])
        assert unreadable(page) == [], (phase, attributes)
