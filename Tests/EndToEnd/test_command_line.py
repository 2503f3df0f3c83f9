"""An operator's commands other than `serve`."""

import base64
import json
import re
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness import tokens
from harness.cases import case
from harness.server import REPOSITORY, environment, free_media_port

# The settings file of a server with webhooks, a relay and a store; their secrets are elsewhere.
FILE = {
    "webhooks": {"url": "https://example.org/hooks"},
    "turn": {"urls": ["turn:relay.example.org"]},
}
# Of the server beside them.
SETTINGS = {"ROOMCAST_HTTP_PROT": "1"}
KEY = {"ROOMCAST_AUTH_ACCESS_KEY": tokens.ACCESS_KEY, "ROOMCAST_AUTH_SECRET": tokens.SECRET}


@pytest.fixture
def roomcast(binary, tmp_path):
    """`roomcast("token", "management", variables={})`: the completed process. `{}` in an argument
    is the settings file."""
    file = tmp_path / "roomcast.json"
    directories = {"output": {"directory": str(tmp_path / "streams")},
                   "recordings": {"directory": str(tmp_path / "recordings"),
                                  "store": {"bucket": "recordings"}}}
    file.write_text(json.dumps(FILE | directories))

    def roomcast(*arguments, variables=None):
        return subprocess.run(
            [str(binary), *(argument.format(file) for argument in arguments)],
            env=environment() | (variables or {}), capture_output=True, text=True, timeout=90)

    return roomcast


def claims(token):
    body = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))


def test_a_token_needs_no_secret_but_its_own(roomcast):
    done = roomcast("token", "management", "--configuration", "{}", variables=KEY)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert claims(done.stdout)["access_key"] == tokens.ACCESS_KEY


def test_a_token_of_the_development_key_is_not_taken_for_another(roomcast):
    done = roomcast("token", "management", "--configuration", "{}")
    assert done.returncode == 0
    assert claims(done.stdout)["access_key"] == "roomcast-development"
    assert "signed with the development key" in done.stderr


def test_reindex_needs_no_secret(roomcast, tmp_path):
    (tmp_path / "recordings").mkdir()
    done = roomcast("reindex", "--configuration", "{}")
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert done.stdout == "0 streams, 0 assets\n"


def test_reindex_makes_no_catalogue_where_no_server_was(roomcast, tmp_path):
    directory = tmp_path / "elsewhere"
    done = roomcast("reindex", "--directory", str(directory))
    assert done.returncode == 64 and done.stdout == ""
    assert f"there is neither {directory}/streams nor {directory}/recordings" in done.stderr
    assert not directory.exists()
    (directory / "streams").mkdir(parents=True)
    assert roomcast("reindex", "--directory", str(directory)).stdout == "0 streams, 0 assets\n"


def test_the_version_is_told_everywhere(roomcast, server):
    done = roomcast("--version")
    assert done.returncode == 0
    assert re.fullmatch(r"\d+\.\d+\.\d+(-\w+)?\n", done.stdout), done.stdout
    version = done.stdout.strip()
    assert server.http.get("/health").json == {"status": "ok", "version": version}
    assert f"version={version}" in server.log.read_text()


def test_variables_that_are_no_settings_are_named(server):
    lines = re.findall("no setting has this name.*", server.log.read_text())
    assert len(lines) == 1 and "variable=ROOMCAST_HTTP_PROT" in lines[0], lines
    assert "perhaps=ROOMCAST_HTTP_PORT" in lines[0]


RAW = re.compile(r"errno|descriptor:|av[a-z]*_[a-z_]+|Error Domain|NS[A-Z]|failedTo")


@pytest.fixture(scope="module")
def taken():
    """A port in use by another program, for TCP and UDP."""
    with socket.socket() as listener, socket.socket(type=socket.SOCK_DGRAM) as other:
        listener.bind(("127.0.0.1", free_media_port()))
        listener.listen()
        other.bind(listener.getsockname())
        yield listener.getsockname()[1]


NOT_STARTED = [
    ({"HTTP_PORT": "{taken}"}, "http.port is not valid: {taken} on 127.0.0.1 is taken"),
    ({"UDP_PORT": "{taken}"}, "udp.port is not valid: {taken} on 127.0.0.1 is taken"),
    ({"TCP_PORT": "{taken}"}, "tcp.port is not valid: {taken} on 127.0.0.1 is taken"),
    ({"UDP_HOST": "203.0.113.7"}, "udp.host is not valid: 203.0.113.7 is not an address of this"),
    ({"UDP_HOST": "nowhere.invalid"}, "udp.host is not valid: nowhere.invalid is neither an"),
    ({"HTTP_CERTIFICATE_FILE": "/none", "HTTP_PRIVATE_KEY_FILE": "/none",
      "HTTP_PUBLIC_URL": "https://localhost"},
     "http.certificateFile: /none cannot be read: No such file"),
    ({"POLICY_FILE": "/none"}, "policy.file is not valid: /none cannot be read: No such file"),
    ({"OUTPUT_DIRECTORY": "/proc/none"}, "output.directory is not valid: /proc/none cannot be used"),
]


@pytest.mark.parametrize("variables, words", NOT_STARTED)
def test_what_keeps_the_server_from_starting_is_said_in_words(
        roomcast, tmp_path, taken, variables, words):
    ports = {"HTTP_PORT": "0", "UDP_PORT": "0", "UDP_HOST": "127.0.0.1",
             "OUTPUT_DIRECTORY": str(tmp_path / "s"), "RECORDINGS_DIRECTORY": str(tmp_path / "r")}
    done = roomcast("serve", variables={
        f"ROOMCAST_{name}": value.format(taken=taken) for name, value in (ports | variables).items()})
    assert done.returncode == 1
    assert words.format(taken=taken) in done.stderr
    assert not RAW.search(done.stderr), done.stderr


NOT_PUBLISHED = [
    (["none.webm"], "none.webm cannot be played: No such file or directory"),
    (["{}"], "roomcast.json cannot be played: "),
    (["--endpoint", "http://127.0.0.1:1", "ann.webm"],
     "http://127.0.0.1:1: nothing listens there; is the server running?"),
    (["--endpoint", "http://nowhere.invalid", "ann.webm"],
     "http://nowhere.invalid: no machine is called nowhere.invalid"),
]


def test_what_keeps_a_file_from_being_published_is_said_in_words(roomcast):
    """All at once: those that look for a server do so for ten seconds."""
    media = str(REPOSITORY / "fixtures/media/ann.webm")
    with ThreadPoolExecutor(len(NOT_PUBLISHED)) as pool:
        running = [
            (words, pool.submit(roomcast, "publish", "--token", "x", *(
                media if one == "ann.webm" else one for one in arguments)))
            for arguments, words in NOT_PUBLISHED]
        for words, one in running:
            with case(words):
                done = one.result()
                assert done.returncode == 1
                assert words in done.stderr and not RAW.search(done.stderr), done.stderr


# Arguments, the exit status, and what is said. `{wrong}` is a file with two mistakes, `{}` a good one.
MISTAKES = [
    (["sevre"], 64, "There is no command 'sevre'; did you mean serve?"),
    (["setings"], 64, "There is no command 'setings'; did you mean settings?"),
    (["chekc", "--port", "1"], 64, "There is no command 'chekc'; did you mean check?"),
    (["start"], 64, "There is no command 'start'"),
    (["admin-pasword"], 64, "There is no command 'admin-pasword'; did you mean admin-password?"),
    (["--hepl"], 64, "Unknown option '--hepl'"),
    (["serve", "now"], 64, "Unexpected argument 'now'"),
    (["serve", "--prot", "1"], 64, "Did you mean '--port'?"),
    (["serve", "--udpport", "1"], 64, "Did you mean '--udp-port'?"),
    (["serve", "--hots", "::1"], 64, "Did you mean '--host'?"),
    (["serve", "--directroy", "."], 64, "Did you mean '--directory'?"),
    (["serve", "--configration", "{}"], 64, "Did you mean '--configuration'?"),
    (["serve", "--confg", "{}"], 64, "Did you mean '--config'?"),
    (["serve", "--port"], 64, "Missing value for '--port <port>'"),
    (["serve", "--port", "http"], 64, "The value 'http' is invalid for '--port <port>'"),
    (["serve", "--port", "80.5"], 64, "The value '80.5' is invalid for '--port <port>'"),
    (["serve", "--port", "70000"], 1, "--port: http.port is not valid: 0 to 65535 (found: 70000)"),
    (["serve", "--udp-port", "99999"], 1,
     "--udp-port: udp.port is not valid: 0 to 65535 (found: 99999)"),
    (["serve", "--host", "0.0.0.0"], 1,
     "--host: auth.accessKey and auth.secret must be set: the built-in development key is only "
     "accepted while http.host is a loopback address; choose a key, and make a secret with "
     "`openssl rand -hex 32`, or set http.host to 127.0.0.1 (found: 0.0.0.0)"),
    (["serve", "--config", "{near}"], 1,
     "{near} cannot be read: No such file or directory; did you mean roomcast.json?"),
    (["settings", "--config", "/nowhere.json"], 1,
     "/nowhere.json cannot be read: No such file or directory"),
    (["token", "recordings", "x"], 64, "Unexpected argument 'x'"),
    (["token", "managment"], 64, "Unexpected argument 'managment'"),
    (["token", "management", "--lifetime", "a day"], 64, "The value 'a day' is invalid"),
    (["token", "management", "--lifetim", "60"], 64, "Did you mean '--lifetime'?"),
    (["token", "room"], 64, "Missing expected argument"),
    (["publish"], 64, "Missing expected argument"),
    (["publish", "--tokn", "x", "a.webm"], 64, "Did you mean '--token'?"),
    (["settings", "--jsn"], 64, "Did you mean '--json'?"),
    (["jibri", "--confg", "x"], 64, "Did you mean '--config'?"),
    *(([command, "--configuration", "{wrong}"], 1,
       "{wrong}:2: there is no setting http.prot; did you mean http.port?\n"
       "{wrong}:3: udp.port must be a whole number, not \"abc\"")
      for command in ("serve", "settings", "demo", "reindex")),
]


def test_a_mistake_at_the_command_line_is_named_with_what_was_meant(roomcast, tmp_path):
    wrong = tmp_path / "wrong.json"
    wrong.write_text('{\n  "http": {"prot": 1},\n  "udp": {"port": "abc"}\n}')
    files = {"wrong": wrong, "near": tmp_path / "roomcast.jsn"}
    for arguments, status, words in MISTAKES:
        with case(arguments):
            done = roomcast(*(one.replace("{wrong}", str(wrong)).replace(
                "{near}", str(files["near"])) for one in arguments))
            assert done.returncode == status, done.stderr
            assert words.format(**files) in done.stderr, done.stderr
            assert not RAW.search(done.stderr)


def test_there_are_forty_mistakes_at_the_command_line():
    """Those in settings are in SettingsInputTests."""
    assert len(MISTAKES) + len(NOT_STARTED) + len(NOT_PUBLISHED) >= 40


def test_the_settings_in_force_are_printed_without_secrets(roomcast):
    done = roomcast("settings", "--configuration", "{}", "--port", "9000", "--json", variables={
        **KEY, "ROOMCAST_WEBHOOKS_SECRET": "x" * 32, "ROOMCAST_TURN_SECRET": "y" * 32,
        "ROOMCAST_RECORDINGS_STORE_ACCESS_KEY_ID": "z",
        "ROOMCAST_RECORDINGS_STORE_SECRET_ACCESS_KEY": "z" * 32})
    assert done.returncode == 0, done.stderr
    rows = {row["name"]: row for row in json.loads(done.stdout)}
    assert rows["http.port"] == {"name": "http.port", "value": "9000", "origin": "--port"}
    assert rows["webhooks.url"]["origin"].endswith("roomcast.json:1")
    assert rows["stream.playlist"] == {"name": "stream.playlist", "value": "event"}
    assert rows["auth.secret"] == {"name": "auth.secret", "origin": "ROOMCAST_AUTH_SECRET"}
    for secret in (tokens.SECRET, "x" * 32, "y" * 32, "z" * 32):
        assert secret not in done.stdout + done.stderr


def checked(roomcast, *arguments, **variables):
    """The exit status of `check`, and its lines by their subjects."""
    done = roomcast("check", "--json", *arguments, variables={
        f"ROOMCAST_{name}": value for name, value in variables.items()})
    assert not RAW.search(done.stdout + done.stderr), done
    subjects = {}
    for line in json.loads(done.stdout):
        subjects.setdefault(line["subject"], []).append((line["verdict"], line["text"]))
    return done.returncode, subjects


def test_a_check_says_whether_the_server_would_start(roomcast, tmp_path, taken):
    directory = str(tmp_path / "made" / "later")
    status, found = checked(
        roomcast, "--port", "0", "--udp-port", "0", "--directory", directory)
    assert status == 0
    assert [verdict for verdict, _ in found["http"] + found["media"]] == ["ok"] * 3, found
    assert found["streams"][0][1].startswith(f"{directory}/streams")
    assert "the development key" in found["access"][0][1]
    assert list(tmp_path.iterdir()) == [tmp_path / "roomcast.json"], "nothing is made"
    status, found = checked(roomcast, "--port", str(taken), "--udp-port", str(taken))
    assert status == 1
    taking = [text for verdict, text in found["http"] + found["media"] if verdict == "wrong"]
    assert len(taking) == 3 and all("is taken by another program" in text for text in taking)
    status, found = checked(roomcast, "--port", "0", "--directory", "/proc/none")
    assert status == 1 and found["streams"][0][0] == found["recordings"][0][0] == "wrong"
    status, found = checked(roomcast, "--port", "0", HTTP_PROT="1", POLICY_FILE="/none")
    assert status == 1
    assert ("note", "ROOMCAST_HTTP_PROT is no setting; did you mean ROOMCAST_HTTP_PORT?") \
        in found["settings"]
    assert found["policy"][0][1].startswith("ROOMCAST_POLICY_FILE: policy.file is not valid")
    # Past what is wrong.
    wrong = tmp_path / "wrong.json"
    wrong.write_text('{"http": {"port": "abc", "prot": 1},\n"stream": {"playlist": "vod"}}')
    status, found = checked(
        roomcast, "--udp-port", "0", "--directory", directory, "--config", str(wrong))
    assert status == 1 and found["settings"] == [
        ("wrong", f"{wrong}:1: there is no setting http.prot; did you mean http.port?"),
        ("wrong", f'{wrong}:1: http.port must be a whole number, not "abc"'),
        ("wrong", f'{wrong}:2: stream.playlist is not valid: event or live (found: "vod")')]
    assert found["http"] == [("note", "not looked at, since http.port is not known")]
    assert [verdict for verdict, _ in found["media"]] == ["ok"] * 2
    assert found["streams"][0][1].startswith(f"{directory}/streams")
    assert found["codecs"] == [("ok", "H.264 by x264, AAC, Opus")]
    # Also what only streams need of it.
    policy = tmp_path / "policy.json"
    policy.write_text(json.dumps({
        "roles": {"a": {}},
        "destinations": {"hlsDestinations": {"x": {"numPlaylistSegments": 151}}}}))
    status, found = checked(roomcast, "--port", "0", POLICY_FILE=str(policy))
    assert status == 1
    assert "destination 'x': numPlaylistSegments is 3 to 150" in found["policy"][0][1]


def test_a_check_looks_for_fonts(roomcast, tmp_path):
    none = tmp_path / "fonts.conf"
    none.write_text("<fontconfig><dir>/nonexistent</dir></fontconfig>")
    for variables, verdict, words in [
        ({}, "ok", "for names and captions in the picture"),
        ({"FONTCONFIG_FILE": str(none)}, "note",
         "none: the picture has neither names nor captions; install Debian's package "
         "fonts-noto-core"),
    ]:
        done = roomcast("check", "--port", "0", "--udp-port", "0", "--json", variables=variables)
        assert done.returncode == 0
        assert [line for line in json.loads(done.stdout) if line["subject"] == "fonts"] == [
            {"verdict": verdict, "subject": "fonts", "text": words}]


def test_a_check_reads_the_certificate(roomcast, tmp_path):
    certificate, key = tmp_path / "c.pem", tmp_path / "k.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "5",
         "-keyout", str(key), "-out", str(certificate), "-subj", "/CN=x",
         "-addext", "subjectAltName=DNS:*.example.org"], check=True, capture_output=True)

    def found(host, key=key):
        status, found = checked(
            roomcast, "--port", "0", "--udp-port", "0", AUTH_ACCESS_KEY="a",
            AUTH_SECRET=tokens.SECRET, HTTP_CERTIFICATE_FILE=str(certificate),
            HTTP_PRIVATE_KEY_FILE=str(key), HTTP_PUBLIC_URL=f"https://{host}")
        return status, *found["certificate"][0]

    status, verdict, text = found("live.example.org")
    assert (status, verdict) == (0, "note") and re.fullmatch(
        "for live.example.org, expires in [45] days", text)
    assert found("example.com") == (1, "wrong", "it is for *.example.org, not for example.com")
    status, verdict, text = found("live.example.org", certificate)
    assert status == 1 and verdict == "wrong" and "has no private key in PEM form" in text


# Of a container of Jitsi's, whose logins are in a second file; a third one is optional.
JIBRI = """
jibri { id = "rec-1", chrome.flags = ["--kiosk"] }
include "xmpp.conf"
include "/nowhere/custom-jibri.conf"
"""
XMPP = """
jibri.api.xmpp.environments = [ {
    name = "-0", xmpp-server-hosts = [ "xmpp.example" ], xmpp-domain = "meet.example"
    control-muc { domain = "internal-muc.example", room-name = "brewery", nickname = "rec-1" }
    control-login { domain = "auth.example", username = "jibri", password = ${?LOGIN} }
    call-login { domain = "hidden.example", username = "recorder", password = "hush-2" }
    strip-from-room-domain = "muc.", usage-timeout = "0", trust-all-xmpp-certs = true
} ]
"""


def test_the_settings_of_a_jibri_are_checked(roomcast, tmp_path):
    (tmp_path / "jibri.conf").write_text(JIBRI)
    (tmp_path / "xmpp.conf").write_text(XMPP)
    arguments = "jibri", "--check", "--config", str(tmp_path / "jibri.conf")
    good = roomcast(*arguments, variables={"LOGIN": "hush-1"})
    assert good.returncode == 0, good.stderr
    assert "waits as jibri@auth.example" in good.stdout
    assert "jibri.chrome.flags: no browser takes part" in good.stdout
    assert "hush" not in good.stdout + good.stderr
    bad = roomcast(*arguments)
    assert bad.returncode == 65
    assert f"{tmp_path}/xmpp.conf:5:19: jibri.api.xmpp.environments.control-login.password: " \
        "is missing" in bad.stdout


def test_a_jibri_without_a_file_has_its_variables(roomcast, tmp_path):
    arguments = "jibri", "--check", "--config", str(tmp_path / "absent.conf")
    assert roomcast(*arguments).returncode == 65
    variables = {"JIBRI_XMPP_PASSWORD": "hush-1", "JIBRI_RECORDER_PASSWORD": "hush-2"}
    checked = roomcast(*arguments, variables=variables)
    assert checked.returncode == 0, checked.stdout
    assert "joins rooms as recorder@hidden.meet.jitsi" in checked.stdout
    assert "hush" not in checked.stdout + checked.stderr


def test_a_jibri_with_wrong_settings_does_not_start(roomcast, tmp_path):
    (tmp_path / "jibri.conf").write_text("jibri.id = rec-1")
    done = roomcast("jibri", "--config", str(tmp_path / "jibri.conf"))
    assert done.returncode == 65
    assert "jibri.api.xmpp.environments: has no environment" in done.stderr
