"""What Prometheus makes of the metrics, and the files for it and for Grafana in `deploy/`."""

import contextlib
import json
import re
import socket
import subprocess
import urllib.parse

import pytest

from harness import tokens
from harness.assets import segments, start
from harness.http import Client
from harness.publisher import Publisher
from harness.scene import CLIPS
from harness.server import REPOSITORY, free_port
from harness.waiting import wait_for

BOARD = REPOSITORY / "deploy/grafana.json"
ALERTS = REPOSITORY / "deploy/prometheus-alerts.yml"
TIMEOUT = 60  # s
ROOM = "watched"
# Of Prometheus itself.
FOREIGN = {"up"}


@pytest.fixture(scope="module")
def playlist(server):
    """Of a stream on air."""
    with Publisher(server, ROOM, CLIPS / "ann.webm", name="Ann"):
        stream = start(server, ROOM, recording=None)
        segments(server, stream, 1)
        yield f"/hls/{ROOM}/{stream['id']}/stream_0/stream.m3u8"
        server.stop_stream(ROOM)


@pytest.fixture(scope="module")
def text(server, playlist):
    """The metrics while somebody watches."""
    assert server.http.get(playlist).status == 200
    answer = server.http.get("/metrics", token=tokens.management_token())
    assert answer.status == 200
    return answer.body.decode()


@pytest.fixture(scope="module")
def prometheus(server, playlist, tmp_path_factory):
    """A real one that reads the server and has the alerts."""
    folder = tmp_path_factory.mktemp("prometheus")
    (folder / "token").write_text(tokens.management_token())
    (folder / "prometheus.yml").write_text(f"""
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: ["{ALERTS}"]
scrape_configs:
  - job_name: roomcast
    authorization: {{credentials_file: {folder}/token}}
    static_configs: [{{targets: ["127.0.0.1:{server.port}"]}}]
""")
    port = free_port(socket.SOCK_STREAM)
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            ["prometheus", f"--config.file={folder}/prometheus.yml",
             f"--storage.tsdb.path={folder}/data", f"--web.listen-address=127.0.0.1:{port}"],
            stdout=log, stderr=log)
    with contextlib.ExitStack() as stack:
        stack.callback(process.wait)
        stack.callback(process.terminate)
        client = Client("127.0.0.1", port)
        wait_for("Prometheus is ready", lambda: is_ready(client), TIMEOUT)
        yield client


def is_ready(client):
    try:
        return client.get("/-/ready").status == 200
    except OSError:
        return False


def ask(prometheus, query):
    answer = prometheus.get(f"/api/v1/query?query={urllib.parse.quote(query)}")
    assert answer.status == 200, answer.body
    assert answer.json["status"] == "success"
    return answer.json["data"]["result"]


def expressions():
    """Of all panels."""
    for panel in json.loads(BOARD.read_text())["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"].replace("$job", "roomcast")


def test_the_metrics_are_as_prometheus_wants_them(text):
    checked = subprocess.run(
        ["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
    assert checked.returncode == 0 and checked.stderr == "", checked.stderr


def test_the_alerts_are_rules(tmp_path):
    checked = subprocess.run(
        ["promtool", "check", "rules", str(ALERTS)], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_board_and_alerts_name_only_metrics_that_exist(text):
    known = set(re.findall(r"^# TYPE (\S+)", text, re.MULTILINE)) | FOREIGN
    used = {name for _, expression in expressions()
            for name in re.findall(r"\b(?:roomcast|process)_\w+", expression)}
    alerts = re.findall(r"expr: (.+)", ALERTS.read_text())
    used |= {name for alert in alerts for name in re.findall(r"(?:roomcast|process)_\w+|^up", alert)}
    # Of histograms.
    used = {name.removesuffix("_bucket") for name in used}
    assert used and used <= known, used - known


def test_prometheus_reads_it_and_each_panel_shows_something(server, playlist, prometheus):
    def are_all_shown():
        # Somebody watches.
        assert server.http.get(playlist).status == 200
        empty = [title for title, expression in expressions() if not ask(prometheus, expression)]
        return empty == [] or print(empty)

    wait_for("each panel shows something", are_all_shown, TIMEOUT, interval=1)
    assert [one["value"][1] for one in ask(prometheus, 'up{job="roomcast"}')] == ["1"]
    viewers = ask(prometheus, f'roomcast_stream_viewers{{room="{ROOM}"}}')
    assert [one["value"][1] for one in viewers] == ["1"]


def test_prometheus_understands_the_alerts(prometheus):
    rules = prometheus.get("/api/v1/rules").json["data"]["groups"][0]["rules"]
    assert len(rules) > 5 and all(rule["health"] in ("ok", "unknown") for rule in rules), rules
