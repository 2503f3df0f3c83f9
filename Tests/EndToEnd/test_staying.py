"""Peers whose token expires, or who are there twice, and what the others see."""

import time

import pytest
import websockets.exceptions
from harness import tokens
from harness.waiting import wait_for

TOKEN_LIFETIME = 10  # s, in which she has to come in


def test_a_token_that_expires_keeps_the_call_and_opens_no_other(server, room, connect):
    expiry = int(time.time()) + TOKEN_LIFETIME
    token = tokens.room_token(room, exp=expiry)
    ann = connect("Ann", token=token)
    assert "result" in ann.join()
    wait_for("the token's end", lambda: time.time() > expiry + 1, timeout=60)
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
