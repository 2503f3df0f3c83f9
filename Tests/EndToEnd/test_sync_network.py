"""Audio/video sync over realistic networks and clocks: losses, delays and errors."""

import dataclasses

import numpy as np
import pytest
from harness import checks, scene
from harness.scene import Guest, film

NETWORKS = {
    "ann": Guest("ann", "--loss 5 --by-the-clock"),
    "ben": Guest("ben", "--loss 20 --seed 2"),
    "cleo": Guest("cleo", "--jitter 50 --seed 3"),
    "dora": Guest("dora", "--reorder 10 --seed 4"),
}
CLOCKS = {
    "ann": Guest("ann", "--clock-skew 300"),
    "ben": Guest("ben", "--clock-skew -300 --wrap-soon --by-the-clock"),
    "cleo": Guest("cleo", "--sender-reports none --by-the-clock", late=0),
    "dora": Guest("dora", "--sender-reports late --by-the-clock"),
}


@pytest.fixture(scope="module")
def networks(server, tmp_path_factory):
    return film(server, "networks", 18, NETWORKS.values(), tmp_path_factory.mktemp("networks"))


@pytest.fixture(scope="module")
def equals(server, tmp_path_factory):
    """Three whose networks are alike, and later a fourth."""
    guests = [Guest(name, "--by-the-clock", late)
              for name, late in (("ann", None), ("ben", None), ("cleo", None), ("dora", 4))]
    return film(server, "equals", 18, guests, tmp_path_factory.mktemp("equals"))


@pytest.fixture(scope="module")
def clocks(server, tmp_path_factory):
    return film(server, "clocks", 20, CLOCKS.values(), tmp_path_factory.mktemp("clocks"))


@pytest.mark.parametrize("name", NETWORKS)
def test_loss_jitter_and_reordering_are_not_noticed(networks, name):
    publisher = networks.publisher(name)
    scene.is_in_time(publisher)
    # A flash whose repair was lost too may be missing entirely.
    scene.is_complete(publisher, spare=1)


@pytest.mark.parametrize("name", CLOCKS)
def test_skewed_clocks_and_missing_reports_are_not_noticed(clocks, name):
    publisher = clocks.publisher(name)
    scene.is_in_time(publisher)
    # Cleo comes later, and the others' tiles move.
    scene.is_complete(publisher, spare=1)


def test_those_whose_networks_are_alike_agree(equals):
    early = {name: equals.publisher(name) for name in ("ann", "ben", "cleo")}
    report = dataclasses.replace(equals.measurement, publishers=early).report()
    # Their clips beep at each full second of the wall clock.
    assert report["agreement"]["second_spread_ms"] <= 45, report["agreement"]
    assert report["agreement"]["offset_spread_ms"] <= 45, report["agreement"]
    # The offsets must be small, not only alike: the time of a flash is known to half a picture.
    offsets = {name: one["offset"]["p50_ms"] for name, one in report["publishers"].items()}
    assert max(map(abs, offsets.values())) <= 25, offsets


def test_those_who_join_at_different_times_agree(equals):
    report = equals.measurement.report(expected=4)
    assert report["agreement"]["offset_spread_ms"] <= 45, report["agreement"]
    # A newcomer's playout delay is up to 90 ms longer for a while than that of a peer known to have
    # a good network.
    assert report["agreement"]["second_spread_ms"] <= 100, report["agreement"]


def test_those_whose_clocks_are_wrong_agree(clocks):
    # Their clips beep at each full second of the wall clock. Half a second away from the seam.
    middle = clocks.publisher("dora").beeps[-1] - 0.5
    phases = [
        float(np.median((clocks.publisher(name).beeps[-8:] - middle) % 1))
        for name in ("ben", "cleo", "dora")
    ]
    # Ben's clock has lost 6 ms by the end; 31 ms between the clocks were measured. A newcomer's
    # playout delay is up to 90 ms longer for a while, by a different amount for each.
    assert max(phases) - min(phases) <= 0.12, phases


def test_what_was_said_in_the_last_second_before_the_stop_is_there(networks, clocks):
    scene.the_last_second_is_there(networks, "ann")
    scene.the_last_second_is_there(clocks, "cleo")


@pytest.mark.parametrize("take", ["networks", "clocks"])
def test_the_stream_itself_never_wavers(take, request):
    stream = request.getfixturevalue(take).stream
    checks.playlists_are_sound(stream, scene.LADDER)
    checks.time_runs_evenly(stream)
