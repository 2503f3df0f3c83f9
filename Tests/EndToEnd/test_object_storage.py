"""Assets are uploaded to an S3 store despite its failures, and no local file is removed before."""

import collections
import json
import os
import random
import subprocess
import time
from urllib.parse import urlsplit

import pytest

from harness import assets
from harness.http import Client, path_of
from harness.server import Server
from harness.store import BUCKET, ENCRYPTION, PREFIX, Store
from harness.waiting import wait_for

TIMEOUT = 60  # s
PART = 5 << 20
PASSWORD = "correct horse battery staple"
SEED = 20_261_121
# How long the store is away in the middle of a stream. The longest pause between two attempts is
# 0.3 s here and 60 s by default, so 3 s allow as many attempts as ten minutes would. A store on a
# busy machine takes longer than the deliberate delays elsewhere.
PATIENT = {"ROOMCAST_RECORDINGS_STORE_TIMEOUT_SECONDS": "20"}
AWAY = float(os.environ.get("ROOMCAST_STORE_AWAY_SECONDS", "3"))


@pytest.fixture
def store(moto):
    store = Store(moto)
    yield store
    store.close()


class Recording:
    """A finished recording on the disk, as left by a server and a finisher, with large files of
    random bytes."""

    def __init__(self, directory, name, sizes, **changes):
        chance = random.Random(f"{SEED} {name}")
        self.place = f"hls/{name}/2026-11-21/1795223045"
        self.root = directory / "recordings"
        self.stream = {
            "id": f"01a1fb8e85380000{name}", "room_id": name, "status": "completed",
            "details": "{}", "directory": f"{name}/01a1fb8e85380000{name}",
            "asset_directory": self.place, "created_ns": 1795223045 * 10**9,
            "updated_ns": 1795223055 * 10**9,
        }
        self.bytes = {}
        made = []
        for index, size in enumerate(sizes):
            path = f"{self.place}/file-recording/Rec-{name}-{index}.mp4"
            self.bytes[path] = chance.randbytes(size)
            made.append({
                "id": f"{self.stream['id']}-{index}", "stream_id": self.stream["id"],
                "room_id": name, "type": "room-composite", "status": "completed", "path": path,
                "bytes": size, "created_ns": 1795223055 * 10**9, "layer": index} | changes)
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_bytes(self.bytes[path])
        folder = directory / "output" / self.stream["directory"]
        folder.mkdir(parents=True)
        (folder / "stream.json").write_text(json.dumps(self.stream))
        self.manifest = self.root / self.place / "manifest.json"
        self.manifest.write_text(json.dumps({"stream": self.stream, "assets": made}))

    def local(self):
        return {path for path in self.bytes if (self.root / path).exists()}

    def is_stored(self, server):
        listed = server.manage("GET", f"/recording-assets?room_id={self.stream['room_id']}").json
        paths = {one["path"] for one in listed["data"]}
        return (paths == {f"s3://{BUCKET}/{PREFIX}/{path}" for path in self.bytes}
                and not self.local())

    def check(self, moto):
        for path, content in self.bytes.items():
            assert moto.object(f"{PREFIX}/{path}") == content, path


def test_a_stream_goes_into_a_store_that_was_away_and_can_be_had_from_there(
        binary, moto, store, receiver, tmp_path):
    settings = receiver.settings | store.settings | assets.SHORT_SEGMENTS
    server = Server(tmp_path, settings=settings)
    try:
        kept = assets.BOTH | {"thumbnails": {"offsets": [0]}}
        stream = assets.start(server, "stand-up", recording=kept)
        store.go()
        assets.segments(server, stream, 2)
        server.stop_stream("stand-up")
        server.wait_for_status(stream["id"], "completed", TIMEOUT)
        # The stream's end does not wait for the store; the report of its assets does.
        wait_for("the end is told", lambda: len(receiver.types(stream["id"])) == 2, TIMEOUT)
        time.sleep(AWAY)
        wait_for("an upload has failed", lambda: any(
            (one["upload"] or {}).get("failures") for one in server.manage(
                "GET", "/recording-assets?room_id=stand-up").json["data"]), TIMEOUT)
        assets.check_assets(server, stream, tmp_path)
        made = assets.manifest(server, stream)["assets"]
        pictures = made[0]["thumbnails"]
        pictures = [pictures["sprite"]["path"], pictures["sprite"]["vtt_path"],
                    *(one["path"] for one in pictures["thumbnails"])]
        before = {one["path"]: (server.recordings / one["path"]).read_bytes() for one in made}
        listed = server.manage("GET", "/recording-assets?room_id=stand-up").json["data"]
        assert {one["path"] for one in listed} == set(before)
        assert any((one["upload"] or {}).get("failures") for one in listed)
        # The link from before the move is valid for as long as it says.
        [vod] = [one for one in listed if one["type"] == "room-vod"]
        early = server.manage("GET", f"/recording-assets/{vod['id']}/presigned-url").json
        assert receiver.types(stream["id"]) == ["hls.started.success", "hls.stopped.success"]
        store.come()
        wait_for("all is told", lambda: len(receiver.types(stream["id"])) == 3, TIMEOUT)
        recorded = receiver.accepted[2]["data"]
        assert recorded["hls_vod_recording_path"] == f"s3://{BUCKET}/{PREFIX}/{vod['path']}"
        client = Client("127.0.0.1", store.port)
        # Pictures are there too, and stay here.
        for path in pictures:
            assert moto.object(f"{PREFIX}/{path}") == (server.recordings / path).read_bytes()
        [picture] = recorded["recording_thumbnails"]
        assert picture["location"] == f"s3://{BUCKET}/{PREFIX}/{pictures[2]}"
        shown = server.http.get(path_of(picture["url"]))
        assert shown.status == 200 and shown.headers["content-type"] == "image/jpeg"
        addresses = [one["recording_presigned_url"] for one in recorded["recording_single_files"]]
        for url in [*addresses, recorded["hls_vod_recording_presigned_url"]]:
            [path] = [path for path in before if f"/{PREFIX}/{path}?" in url]
            got = client.get(url.removeprefix(store.url))
            assert got.status == 200 and got.body == before[path]
        wait_for("nothing is left here", lambda: not any(
            (server.recordings / path).exists() for path in before), TIMEOUT)
        assert moto.uploads() == []
        check_links(server, client, store, vod, early, before[vod["path"]])
    finally:
        assert server.stop() == 0
    assert {one["location"] for one in assets.manifest(server, stream)["assets"]} == {
        f"s3://{BUCKET}/{PREFIX}/{path}" for path in before}


def check_links(server, client, store, vod, early, content):
    late = server.manage("GET", f"/recording-assets/{vod['id']}/presigned-url").json
    assert late["path"] == f"s3://{BUCKET}/{PREFIX}/{vod['path']}"
    assert urlsplit(late["url"]).port == store.port
    for link in early, late:
        counts = assets.probe(link["playback_url"], "-count_frames", "-select_streams", "v",
                              "-show_entries", "stream=nb_read_frames")
        frames = [int(line.strip(",")) for line in counts if line.strip(",")]
        assert frames and all(count > 5 for count in frames), counts
    moved = server.http.get(f"{path_of(early['url'])}?download")
    assert moved.status == 307 and "content-disposition" in moved.headers["location"]
    got = client.get(moved.headers["location"].removeprefix(store.url))
    assert got.body == content
    assert got.headers["content-disposition"].startswith("attachment; filename=\"Rec-")
    # A player that began before continues.
    playlist = path_of(early["playback_url"]).replace(
        "master.m3u8", "stream_0/segment_000000.ts")
    assert server.http.get(playlist).status == 200


def test_whatever_the_store_does_everything_arrives_and_nothing_goes_before(
        binary, moto, store, tmp_path):
    recordings = [Recording(tmp_path, "faults", [4 * PART + 17, PART, 12_345])]
    chance = random.Random(SEED)
    seen = collections.Counter()
    kinds = [403, 500, 503, "slow", "cut", "lost", "half"]

    def fault(request):
        # Each kind twice: no object is shown before that. Then all is well.
        if all(seen[kind] >= 2 for kind in kinds):
            return None
        if request.method != "HEAD" and chance.random() < 0.4:
            return None
        kind = min(kinds, key=lambda kind: (seen[kind], chance.random()))
        seen[kind] += 1
        return kind

    def watch(request):
        path = request.path.removeprefix(f"{PREFIX}/")
        for recording in recordings:
            if path in recording.bytes and path not in recording.local():
                store.errors.append(f"{path} went before {request}")

    store.fault, store.watch = fault, watch
    server = Server(tmp_path, settings=store.settings)
    try:
        wait_for("all is in the store", lambda: recordings[0].is_stored(server), 3 * TIMEOUT)
    finally:
        assert server.stop() == 0
    recordings[0].check(moto)
    assert moto.uploads() == []
    assert all(seen[kind] >= 2 for kind in kinds), seen


def test_a_store_that_takes_no_checksums_gets_everything_and_its_words_are_shown(
        binary, moto, store, browser, tmp_path):
    page = browser.new_page()
    recordings = [Recording(tmp_path, "plain", [PART + 17, 12_345])]
    is_writable = False

    def fault(request):
        if not is_writable and request.method == "POST":
            return 403, "AccessDenied", "the bucket is read-only"
        if any(name.startswith("x-amz-checksum-") for name in request.headers):
            return 400, "InvalidArgument", "Unsupported header of a checksum"
        return None

    store.fault = fault
    server = Server(tmp_path, settings=store.settings | PATIENT)
    try:
        def reasons():
            listed = server.manage("GET", "/recording-assets?room_id=plain").json["data"]
            return {(one["upload"] or {}).get("reason") for one in listed}

        wait_for("the store's words are shown", lambda: reasons() == {
            "403 AccessDenied: the bucket is read-only"}, TIMEOUT)
        assert subprocess.run(
            [binary, "admin-password"], cwd=server.directory, env=server.environment, text=True,
            input=f"{PASSWORD}\n", capture_output=True, timeout=TIMEOUT).returncode == 0
        page.goto(f"{server.base}/admin#uploads")
        page.fill("[data-testid=password]", PASSWORD)
        page.keyboard.press("Enter")
        files = page.get_by_test_id("upload-files")
        files.wait_for()
        assert "failed: 403 AccessDenied: the bucket is read-only" in files.inner_text()
        assert f"s3://{BUCKET}/{PREFIX}" in page.inner_text("#content")
        is_writable = True
        wait_for("all is in the store", lambda: recordings[0].is_stored(server), TIMEOUT)
        wait_for("the page knows", lambda: "The store has everything" in page.inner_text("#content")
                 and not files.is_visible(), TIMEOUT)
    finally:
        page.close()
        assert server.stop() == 0
    recordings[0].check(moto)
    # The server remembers the refusal: few requests were under way before the first one.
    refused = [one for one in store.requests if one.status == 400]
    assert 1 <= len(refused) <= 2, refused
    assert "reason=\"403 AccessDenied: the bucket is read-only\"" in server.log.read_text()


def test_a_server_killed_again_and_again_loses_nothing(binary, moto, store, tmp_path):
    recording = Recording(tmp_path, "again", [3 * PART, 2 * PART + 5, 99])
    chance = random.Random(SEED + 1)
    store.watch = lambda request: (
        request.path.removeprefix(f"{PREFIX}/") in recording.bytes
        and request.method in ("PUT", "POST")
        and not (recording.root / request.path.removeprefix(f"{PREFIX}/")).exists()
        and store.errors.append(f"went before {request}"))
    for _ in range(6):
        server = Server(tmp_path, settings=store.settings)
        count = len(store.requests) + chance.randint(1, 5)
        wait_for("it is at work", lambda: len(store.requests) >= count
                 or recording.is_stored(server), TIMEOUT, interval=0.01)
        server.kill()
    server = Server(tmp_path, settings=store.settings)
    try:
        wait_for("all is in the store", lambda: recording.is_stored(server), TIMEOUT)
    finally:
        assert server.stop() == 0
    recording.check(moto)
    assert moto.uploads() == []


def test_the_catalogue_made_anew_knows_what_is_in_the_store(binary, store, tmp_path):
    recording = Recording(tmp_path, "reindexed", [1000, 2000])
    server = Server(tmp_path, settings=store.settings)
    try:
        wait_for("all is in the store", lambda: recording.is_stored(server), TIMEOUT)
        before = server.manage("GET", "/recording-assets").json
    finally:
        assert server.stop() == 0
    assert server.reindex() == "1 streams, 2 assets\n"
    store.requests.clear()
    server = Server(tmp_path, settings=store.settings)
    try:
        assert server.manage("GET", "/recording-assets").json == before
    finally:
        assert server.stop() == 0
    assert store.requests == [], "nothing is sent a second time"


def test_what_has_expired_goes_from_the_store_too(binary, moto, store, tmp_path):
    recording = Recording(tmp_path, "expired", [1000])
    [path] = recording.bytes
    kept = Recording(tmp_path, "kept", [1000])
    server = Server(tmp_path, settings=store.settings)
    try:
        for one in recording, kept:
            wait_for("it is in the store", lambda: one.is_stored(server), TIMEOUT)
    finally:
        assert server.stop() == 0
    # Its time expires while the server is down.
    manifest = json.loads(recording.manifest.read_text())
    manifest["assets"][0]["expires_ns"] = 1
    recording.manifest.write_text(json.dumps(manifest))
    server.reindex(loses_catalogue=False)
    assert f"{PREFIX}/{path}" in moto.keys()
    server = Server(tmp_path, settings=store.settings)
    try:
        wait_for("it is gone", lambda: f"{PREFIX}/{path}" not in moto.keys(), TIMEOUT)
        asset = f"/recording-assets/{recording.stream['id']}-0"
        wait_for("it is known to be gone", lambda: server.manage(
            "GET", asset).json["path"] == path, TIMEOUT)
        assert server.manage("GET", asset).json["status"] == "expired"
        assert server.manage("GET", f"{asset}/presigned-url").status == 404
    finally:
        assert server.stop() == 0
    assert json.loads(recording.manifest.read_text())["assets"][0]["status"] == "expired"
    kept.check(moto)


def test_temporary_credentials_and_encryption_are_asked_of_every_request(binary, moto, tmp_path):
    recording = Recording(tmp_path, "sealed", [PART + 1, 999])
    settings = {"ENCRYPTION": "aws:kms", "KMS_KEY_ID": "alias/recordings"}
    headers = {ENCRYPTION: "aws:kms", f"{ENCRYPTION}-aws-kms-key-id": "alias/recordings"}
    # A token of a realistic kind: long, with every character that may break a header's value or a
    # query.
    store = Store(moto, token="IQoJb3JpZ2luX2Vj//+a=b&c%20d" * 30, encryption=headers)
    names = {f"ROOMCAST_RECORDINGS_STORE_{name}": text for name, text in settings.items()}
    try:
        server = Server(tmp_path, settings=store.settings | names | PATIENT)
        try:
            wait_for("all is in the store", lambda: recording.is_stored(server), TIMEOUT)
            asset = f"/recording-assets/{recording.stream['id']}-0"
            link = server.manage("GET", f"{asset}/presigned-url").json["url"]
            # The server's own link, which lasts longer than such a token.
            assert link.startswith(server.base)
            sent = server.http.get(link.removeprefix(server.base))
            assert sent.status == 307
            got = Client("127.0.0.1", store.port).get(
                sent.headers["location"].removeprefix(store.url))
        finally:
            assert server.stop() == 0
        recording.check(moto)
        assert got.status == 200 and got.body == next(iter(recording.bytes.values()))
        kinds = collections.Counter(
            (one.method, "begins" if one.begins_object else bool(one.part))
            for one in store.requests)
        assert kinds["POST", "begins"] == 2 and kinds["PUT", True] == 3
        assert kinds["POST", False] == 2, "the parts are put together"
        for path in recording.bytes:
            said = moto.head(f"{PREFIX}/{path}")
            assert {k: v for k, v in said.items() if k.startswith(ENCRYPTION)} == headers
    finally:
        store.close()


def test_a_token_that_is_not_the_stores_is_refused_by_what_checks_it(moto):
    """The assumption of the test above."""
    store = Store(moto, token="token")
    with pytest.raises(AssertionError, match="wrong token"):
        Client("127.0.0.1", store.port).get(f"/{BUCKET}/{PREFIX}/x")
        store.close()
