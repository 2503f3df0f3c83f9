"""Peers whose token, socket or media fail, and what the others see."""

import time

import pytest
import websockets.exceptions
from harness import tokens
from harness.waiting import wait_for

TOKEN_LIFETIME = 5  # s
VANISHED = 20  # s within which a peer of whom nothing is left is shown no more


def counts(peer):
    infos = [message["params"] for message in peer.notifications
             if message["method"] == "session-info"]
    return [(info["peer_count"], info["track_count"]) for info in infos]


def test_a_token_that_expires_keeps_the_call_and_opens_no_other(server, room, connect):
    expiry = int(time.time()) + TOKEN_LIFETIME
    token = tokens.room_token(room, exp=expiry)
    ann = connect("Ann", token=token)
    assert "result" in ann.join()
    wait_for("the token's end", lambda: time.time() > expiry + 1, timeout=10)
    assert ann.is_alive()
    ann.close()

    answer = server.http.get(f"/init?peer_id={ann.peer_id}", token=token)
    assert answer.status == 200, answer
    back = connect("Ann", peer_id=ann.peer_id, token=token)
    assert back.wait_for("peer-list")["room"]["name"]
    assert back.is_alive()

    assert server.http.get("/init?peer_id=another", token=token).json["code"] == 40100
    for peer_id, other in [("another", token), (ann.peer_id, tokens.room_token(room, exp=expiry))]:
        with pytest.raises(websockets.exceptions.InvalidStatus) as refusal:
            connect("Ann", peer_id=peer_id, token=other)
        assert refusal.value.response.status_code == 401


def test_who_is_gone_is_shown_no_more_and_comes_back_as_it_was(connect):
    host = connect("Ann", role="host")
    assert "result" in host.join()
    guest = connect("Ben")
    assert "result" in guest.join_without_media()
    assert host.wait_for("on-peer-join")["peer_id"] == guest.peer_id
    host.wait_for("session-info", lambda info: info["peer_count"] == 2)

    guest.close()
    assert host.wait_for("on-peer-leave", timeout=VANISHED)["peer_id"] == guest.peer_id
    unknown = host.call("get-peer", {"peer_id": guest.peer_id})
    assert unknown["error"]["code"] == 404
    host.wait_for("session-info", lambda info: info["peer_count"] == 1)
    host.notifications.clear()

    back = connect("Ben", peer_id=guest.peer_id, token=guest.token)
    back.wait_for("peer-list")
    assert host.wait_for("on-peer-join")["peer_id"] == guest.peer_id
    host.wait_for("session-info", lambda info: info["peer_count"] == 2)


def test_two_tabs_of_one_user_are_two_people(room, connect):
    host = connect("Ann", role="host")
    assert "result" in host.join()
    token = tokens.room_token(room, user="ben")
    tabs = [connect("Ben", token=token) for _ in range(2)]
    for tab in tabs:
        assert "result" in tab.join()
        assert host.wait_for("on-peer-join", lambda peer, tab=tab: peer["peer_id"] == tab.peer_id)
    host.wait_for("session-info", lambda info: info["peer_count"] == 3)

    tabs[0].leave()
    assert host.wait_for("on-peer-leave")["peer_id"] == tabs[0].peer_id
    found = host.call("get-peer", {"peer_id": tabs[1].peer_id})["result"]
    assert found["info"]["user_id"] == "ben"
    assert tabs[1].is_alive()


def test_who_has_left_is_gone_and_not_unknown(connect):
    host = connect("Ann", role="host")
    assert "result" in host.join()
    guest = connect("Ben")
    assert "result" in guest.join()
    host.wait_for("on-peer-join")
    guest.leave()
    host.wait_for("on-peer-leave")
    assert host.call("get-peer", {"peer_id": guest.peer_id})["error"]["code"] == 410
    assert host.call("get-peer", {"peer_id": "nobody"})["error"]["code"] == 404


def test_everybody_is_told_how_many_there_are(connect):
    host = connect("Ann", role="host")
    assert "result" in host.join()
    host.wait_for("session-info", lambda info: info["peer_count"] == 1)
    assert counts(host)[0][0] == 0  # told to the visitor she was
    for name in ["Ben", "Cat", "Dan"]:
        assert "result" in connect(name).join()
    host.wait_for("session-info", lambda info: info["peer_count"] == 4)
    # At most once a second, so that not every join goes to everyone at once.
    assert len(counts(host)) <= 5
