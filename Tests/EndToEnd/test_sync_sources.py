"""Sources of every kind: frame rates, silence that is not sent, reports that are wrong."""

import pytest
from harness import checks, scene
from harness.scene import Guest, film

GRAPHS = {
    "ann": (5, "select='not(mod(n,6))',setpts=N/5/TB"),
    "ben": (15, "select='not(mod(n,2))',setpts=N/15/TB"),
    "cleo": (24, "fps=24:round=down"),
    "dora": (60, "fps=60"),
}
OPTIONS = {
    "ann": "--dtx",
    "ben": "--sender-reports shifted",
    "cleo": "--sender-reports erratic",
    "dora": "",
}


@pytest.fixture(scope="module")
def sources(server, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sources")
    guests = [
        Guest(scene.make_clip(folder, clip, rate, graph, seconds=6), OPTIONS[clip])
        for clip, (rate, graph) in GRAPHS.items()
    ]
    return film(server, "sources", 16, guests, folder)


@pytest.mark.parametrize("name", GRAPHS)
def test_every_frame_rate_is_in_time(sources, name):
    publisher = sources.publisher(name)
    scene.is_in_time(publisher)
    scene.is_complete(publisher)


def test_pictures_follow_each_other_as_they_did_in_the_source(sources):
    for name, (rate, _) in GRAPHS.items():
        # The flash lasts 100 ms or one picture; twice that is a hitch, three times a freeze.
        usual = max(0.1, 1 / rate)
        assert sources.publisher(name).longest_freeze <= 3 * usual + 0.1, name


def test_the_stream_itself_never_wavers(sources):
    checks.playlists_are_sound(sources.stream, scene.LADDER)
    checks.time_runs_evenly(sources.stream)
