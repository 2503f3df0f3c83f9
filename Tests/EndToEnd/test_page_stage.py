"""The places on the page's stage, without the server."""

import pytest


@pytest.mark.parametrize("size", [(1600, 900), (1280, 640), (390, 600), (900, 900)])
@pytest.mark.parametrize("screens", [0, 1, 2])
def test_tiles_stay_on_the_stage_and_apart(page, size, screens):
    width, height = size
    places = page.evaluate(
        """async ([screens, width, height]) => {
          const { layout } = await import("/assets/room/stage/stage-layout.js");
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


@pytest.mark.parametrize(("size", "people", "least"), [
    ((1248, 560), 2, 1.7), ((1248, 640), 2, 1.7), ((888, 560), 2, 1.7), ((1900, 900), 2, 1.7),
    ((1248, 640), 1, 1.7), ((1248, 640), 3, 1.7), ((1248, 640), 4, 1.7), ((1248, 640), 9, 1.7),
    ((374, 520), 2, 1.3), ((374, 640), 2, 1.3), ((820, 900), 2, 1.3),
])
def test_few_people_are_not_cut_to_squares(page, size, people, least):
    places = page.evaluate("""async ([people, width, height]) => {
      const { layout } = await import("/assets/room/stage/stage-layout.js");
      return layout(0, people, width, height);
    }""", [people, *size])
    for place in places:
        assert place["width"] / place["height"] >= least


@pytest.mark.parametrize(("picture", "tile", "is_whole"), [
    ((1280, 720), (619, 348), False), ((1280, 720), (374, 249), False),
    ((640, 480), (619, 348), False), ((720, 1280), (619, 348), True), ((720, 1280), (200, 200), True),
    ((720, 720), (619, 348), True), ((1280, 720), (200, 250), True), ((0, 0), (619, 348), False),
])
def test_a_picture_is_shown_whole_where_too_much_would_be_cut_off(page, picture, tile, is_whole):
    assert page.evaluate("""async ([picture, tile]) => {
      const { fitsWhole } = await import("/assets/room/stage/stage-layout.js");
      const size = ([width, height]) => ({ width, height });
      return fitsWhole(size(picture), size(tile));
    }""", [picture, tile]) is is_whole


CAST = """async ([tiles, wish, width, height]) => {
  const { cast } = await import("/assets/room/stage/stage-layout.js");
  const spoke = new Map(Object.entries(wish.spoke));
  const { large, small, left } = cast(tiles, { ...wish, spoke }, width, height);
  return [large, small, left].map((some) => some.map(({ key }) => key));
}"""
NO_WISH = {"isSpeakerView": False, "pinned": None, "speaker": None, "spoke": {}}


def tiles(*names, screens=()):
    return [{"key": name, "peerID": name, "isLocal": name == "local",
             "source": "screen" if name in screens else "regular"} for name in names]


@pytest.mark.parametrize(("wish", "screens", "expected"), [
    ({}, (), ([], ["a", "b", "c", "local"])),
    ({"speaker": "b"}, (), ([], ["a", "b", "c", "local"])),
    ({"isSpeakerView": True}, (), (["a"], ["b", "c", "local"])),
    ({"isSpeakerView": True, "speaker": "b"}, (), (["b"], ["a", "c", "local"])),
    ({"isSpeakerView": True, "speaker": "gone"}, (), (["a"], ["b", "c", "local"])),
    ({"isSpeakerView": True, "speaker": "b"}, ("c",), (["c"], ["a", "b", "local"])),
    ({"pinned": "b"}, ("c",), (["b"], ["a", "c", "local"])),
])
def test_the_large_tile_is_the_pinned_one_or_a_screen_or_the_speaker(page, wish, screens, expected):
    found = page.evaluate(
        CAST, [tiles("a", "b", "c", "local", screens=screens), NO_WISH | wish, 1280, 640])
    assert found == [*expected, []]


def test_who_does_not_fit_is_who_spoke_longest_ago_and_never_oneself(page):
    names = [f"p{number}" for number in range(40)]
    wish = NO_WISH | {"spoke": {"p39": 7, "p20": 9}}
    large, small, left = page.evaluate(CAST, [tiles(*names, "local"), wish, 1600, 900])
    assert large == [] and len(small) == 24 and len(left) == 17
    assert {"p39", "p20", "local"} <= set(small)
    assert small == sorted(small, key=[*names, "local"].index), "they keep their order"
    # A small stage holds fewer; one place is for the tile that counts the others.
    for width, height in [(390, 600), (300, 200), (100, 80)]:
        _, small, left = page.evaluate(CAST, [tiles(*names, "local"), wish, width, height])
        assert len(small) + len(left) == 41 and len(small) < 24


@pytest.mark.parametrize(("size", "spoke", "small"), [
    ((300, 420), {}, ["a"]), ((300, 420), {"b": 3}, ["b"]), ((200, 110), {"b": 3}, []),
    ((360, 420), {"b": 3}, ["b", "local"]),
])
def test_the_only_face_beside_a_screen_is_not_ones_own(page, size, spoke, small):
    found = page.evaluate(
        CAST, [tiles("a", "screen", "b", "c", "d", "e", "local", screens=["screen"]),
               NO_WISH | {"spoke": spoke}, *size])
    assert found[:2] == [["screen"], small]


def test_a_picture_is_asked_for_in_the_size_in_which_it_is_shown(page):
    layers = page.evaluate("""async (heights) => {
      const { layerFor } = await import("/assets/room/stage/stage-layout.js");
      return heights.map(layerFor);
    }""", [90, 200, 201, 400, 401, 1080])
    assert layers == ["low", "low", "medium", "medium", "high", "high"]


SPOTLIGHT = """async (reports) => {
  const { Spotlight } = await import("/assets/room/stage/spotlight.js");
  const spotlight = new Spotlight();
  return reports.map((levels) => {
    spotlight.take(new Map(Object.entries(levels)));
    return spotlight.peerID;
  });
}"""


def test_the_spotlight_has_some_patience(page):
    assert page.evaluate(SPOTLIGHT, [
        {"a": 40}, {"b": 60}, {"a": 50}, {"b": 60, "a": 20}, {"b": 60, "a": 59}, {}, {"c": 30}, {},
        {"c": 30}, {"c": 30},
    ]) == ["a", "a", "a", "a", "b", "b", "b", "b", "b", "c"]


@pytest.mark.parametrize(("address", "is_allowed"), [
    ("https://a.test/x.png", True), ("https://a.test:443/", True), ("HTTPS://A.test/", True),
    ("http://a.test/x.png", False), ("https://b.a.test/", False), ("https://a.test:444/", False),
    ("https://a_test/", False),
    ("https://x.b.test:8443/", True), ("https://x.y.b.test:8443/", True),
    ("https://b.test:8443/", False), ("https://x.b.test/", False), ("https://xb.test:8443/", False),
    ("https://evil.test/.b.test:8443", False), ("https://evil.test:1/x.b.test:8443", False),
    ("data:image/png;base64,", False), ("/x.png", False), ("", False), (None, False),
])
def test_images_come_from_the_listed_hosts_only(page, address, is_allowed):
    assert page.evaluate("""async (address) => {
      const { ImageSources } = await import("/assets/room/stage/image-sources.js");
      return new ImageSources(["https://a.test", "https://*.b.test:8443"]).allowed(address);
    }""", address) == (address if is_allowed else None)
