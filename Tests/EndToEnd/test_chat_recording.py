"""The room's chat beside its recording, as CSV."""

import csv
import io

from harness import tokens
from harness.assets import SHORT_SEGMENTS, TIMEOUT, directory, manifest, segments, start
from harness.http import path_of
from harness.server import Server
from harness.signalling import Peer
from harness.waiting import wait_for

SETTINGS = SHORT_SEGMENTS
COLUMNS = ["SenderPeerID", "SenderName", "SenderUserID", "Roles", "SentAt", "Type", "Message"]


def say(peer, text, **to):
    answer = peer.call("broadcast", {"info": {"message": text, "type": "chat"}} | to)
    assert "result" in answer, answer


def rows(text):
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


def test_the_chat_becomes_an_asset(server, room, connect):
    ann = connect("Ann", role="host")
    ben = connect("=Ben, 2", token=tokens.room_token(room, user="ben", role="guest"))
    for peer in ann, ben:
        peer.join()
    say(ann, "before the recording")
    stream = start(server, room)
    say(ann, "Grüße 🎥, „alle“")
    say(ben, "=HYPERLINK(\"http://x\")\nsecond line")
    say(ben, "for guests", roles=["guest", "host"])
    say(ben, "private", peer_id=ann.peer_id)
    server.pause_recording(stream["id"])
    say(ann, "in the pause")
    server.resume_recording(stream["id"])
    say(ann, "behind the pause")
    segments(server, stream, 3)
    server.stop_stream(room)
    say(ann, "after the recording")
    done = server.wait_for_status(stream["id"], "completed", TIMEOUT)

    [asset] = [one for one in done["recording_assets"] if one["type"] == "chat"]
    date, epoch = manifest(server, stream)["stream"]["asset_directory"].split("/")[-2:]
    assert asset["path"] == f"chat/{room}/{date}/Rec-{room}-{epoch}.csv"
    assert asset["duration"] is None and asset["expires_at"] is not None
    link = server.manage("GET", f"/recording-assets/{asset['id']}/presigned-url").json
    answer = server.http.get(path_of(link["url"]))
    assert answer.headers["content-type"].startswith("text/csv")
    assert len(answer.body) == asset["size"]
    header, *table = rows(answer.body.decode())
    assert header == COLUMNS
    assert [row[6] for row in table] == [
        "Grüße 🎥, „alle“", "'=HYPERLINK(\"http://x\")\nsecond line", "for guests",
        "behind the pause"]
    assert [row[:3] for row in table[:2]] == [
        [ann.peer_id, "Ann", "ann"], [ben.peer_id, "'=Ben, 2", "ben"]]
    assert [row[3] for row in table] == ["[]", "[]", '["guest","host"]', "[]"]
    assert all(row[4].endswith("Z") and row[5] == "chat" for row in table)
    assert server.http.get(f"/hls/{room}/{stream['id']}/chat.csv").status == 404


def test_a_server_that_is_killed_loses_no_message_that_is_written(binary, tmp_path):
    server = Server(tmp_path / "one", settings=SETTINGS)
    ann = Peer(server, "talk", "Ann", role="host")
    ann.join()
    stream = start(server, "talk")
    segments(server, stream, 1)
    said = [f"message {number}" for number in range(50)]
    for text in said:
        say(ann, text)
    # A room does not wait for the disk.
    chat = directory(server, stream) / "chat.csv"
    wait_for("the last message is written",
             lambda: chat.exists() and said[-1] in chat.read_text(), TIMEOUT)
    server.kill()
    ann.close()
    with chat.open("ab") as file:
        file.write(b'p,Ann,u,[],2026-01-01T00:00:00.000Z,chat,"torn')
    again = Server(tmp_path / "one", settings=SETTINGS)
    try:
        done = again.wait_for_status(stream["id"], "failed", 2 * TIMEOUT)
        [asset] = [one for one in done["recording_assets"] if one["type"] == "chat"]
        table = rows((again.recordings / asset["path"]).read_bytes().decode())
        assert [row[6] for row in table[1:]] == said
    finally:
        assert again.stop() == 0
