"""The room's chat beside its recording, as CSV."""

import csv
import io

from harness import tokens
from harness.assets import SHORT_SEGMENTS, TIMEOUT, manifest, segments, start
from harness.http import path_of

SETTINGS = SHORT_SEGMENTS
COLUMNS = ["SenderPeerID", "SenderName", "SenderUserID", "Roles", "SentAt", "Type", "Message"]


def say(peer, text, **to):
    answer = peer.call("broadcast", {"info": {"message": text, "type": "chat"}} | to)
    assert "result" in answer, answer
    return answer["result"]["message_id"]


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
    rude = say(ben, "rude")
    assert "result" in ann.call("set-metadata", {"key": "chatMessageBlacklist", "data": [rude]})
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
