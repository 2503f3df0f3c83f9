"""A client that changes its network during a call stays in it."""

import pytest

from harness import chromium
from harness.namespace import ADDRESS
from harness.server import Server
from harness.waiting import wait_for

CAMERA_RATE = 10  # frames/s
# Each network has one end of the namespace's pair.
BEFORE, AFTER = ("cast0", "10.98.0.2"), ("cast1", "10.97.0.2")
TIMEOUT = 90  # s; browsers give a path up 15 s after its last answer


@pytest.fixture(scope="module")
def network(namespace):
    """The server's address is on the loopback, which browsers do not use as their own."""
    namespace.run(f"ip address delete {ADDRESS}/24 dev cast0")
    namespace.run(f"ip address add {ADDRESS}/32 dev lo")
    join(namespace, *BEFORE)
    return namespace


@pytest.fixture(scope="module")
def server(binary, network, tmp_path_factory):
    server = Server(
        tmp_path_factory.mktemp("server"), namespace=network, media_address=ADDRESS)
    yield server
    assert server.stop() == 0, server.tail()


@pytest.fixture(scope="module")
def browser(playwright, network, tmp_path_factory):
    directory = tmp_path_factory.mktemp("chromium")
    with chromium.inside(playwright, network, directory, CAMERA_RATE) as browser:
        yield browser


def join(network, device, address):
    network.run(f"ip address add {address}/24 dev {device}")
    network.run(f"ip route replace default via {address[:-1]}254 dev {device}")


def leave(network, device, address):
    network.run(f"ip address delete {address}/24 dev {device}")


def is_on(person, address):
    paths = person.paths()
    return len(paths) == 2 and all(path["from"] == address for path in paths)


def test_a_call_goes_on_in_another_network(enter, network, room):
    ann, ben = enter("Ann"), enter("Ben", role="guest")
    people = [(ann, ben), (ben, ann)]
    for one, other in people:
        one.wait_for_picture_of(other.name)
        wait_for(f"{one.name} has both ways", lambda one=one: is_on(one, BEFORE[1]), TIMEOUT)

    join(network, *AFTER)
    leave(network, *BEFORE)
    for one, _ in people:
        wait_for(f"{one.name} is in the other network", lambda one=one: is_on(one, AFTER[1]),
                 TIMEOUT, interval=0.25)
    for one, other in people:
        before = one.wait_for_picture_of(other.name)["time"]
        wait_for(f"{one.name} sees {other.name} go on",
                 lambda one=one, other=other, before=before:
                     one.tile(other.name)["time"] > before + 3, TIMEOUT)
        # Nobody has left and come again.
        assert [tile["name"] for tile in one.tiles()].count(other.name) == 1
