"""`roomcast jibri` beside a Jitsi deployment for tests."""

import json
import socket

from .http import Client
from .jitsi_prosody import AUTH, DOMAIN, HIDDEN, INTERNAL
from .server import Server, free_port

PASSWORDS = "jibri secret", "recorder secret"

# The file of an operator, who has set what is his own.
CONFIGURATION = """
jibri {{
  id = "rec-1"
  single-use-mode = {single_use}
  api {{
    http {{ external-api-port = {external}, internal-api-port = {internal} }}
    xmpp.environments = [ {{
      name = "test", xmpp-server-hosts = [ "127.0.0.1:{port}" ], xmpp-domain = "{domain}"
      control-muc {{ domain = "{rooms}", room-name = "jibribrewery", nickname = "rec" }}
      control-login {{ domain = "{auth}", username = "jibri", password = "jibri secret" }}
      call-login {{ domain = "{hidden}", username = "recorder", password = "recorder secret" }}
      strip-from-room-domain = "muc.", usage-timeout = 0, trust-all-xmpp-certs = true
    }} ]
  }}
  recording {{ recordings-directory = "{directory}", finalize-script = "{script}" }}
  chrome.flags = [ "--use-fake-ui-for-media-stream" ]
}}
{more}
"""

# Notes what it is given, and what is there by then.
SCRIPT = """#!/bin/sh
echo "finalizing $1"
printf '%s:%s\\n' "$1" "$(ls -m "$1")" >> '{seen}'
exit {status}
"""


class JibriServer(Server):
    """`more` is what the operator adds to the file; `port` is another way to the Prosody."""

    def __init__(self, directory, prosody, more="", slots=2, single_use=False, status=0,
                 port=None, settings=None):
        directory.mkdir(parents=True, exist_ok=True)
        self.kept = directory / "kept"
        self.seen = directory / "seen"
        self.external_port = free_port(socket.SOCK_STREAM)
        self.internal_port = free_port(socket.SOCK_STREAM)
        script = directory / "finalize.sh"
        script.write_text(SCRIPT.format(seen=self.seen, status=status))
        script.chmod(0o755)
        file = directory / "jibri.conf"
        file.write_text(CONFIGURATION.format(
            external=self.external_port, internal=self.internal_port, port=port or prosody.port,
            domain=DOMAIN, rooms=INTERNAL, auth=AUTH, hidden=HIDDEN, directory=self.kept,
            script=script, more=more, single_use=str(single_use).lower()))
        super().__init__(
            directory, command=("jibri", "--config", str(file)),
            settings={"ROOMCAST_STREAM_MAXIMUM": str(slots)} | (settings or {}))

    @property
    def health(self):
        """What Jitsi's autoscaler reads."""
        answer = Client("127.0.0.1", self.external_port).get("/jibri/api/v1.0/health")
        assert answer.status == 200, answer
        return answer.json

    @property
    def busy(self):
        return self.health["status"]["busyStatus"]

    def order(self, name):
        """Of the operator, by the internal interface."""
        answer = Client("127.0.0.1", self.internal_port).request(
            "POST", f"/jibri/api/internal/v1.0/{name}")
        assert answer.status == 200, answer

    @property
    def finalized(self):
        """What the script was given, and the names of what was there."""
        if not self.seen.exists():
            return []
        lines = [line.partition(":") for line in self.seen.read_text().splitlines()]
        return [(directory, names.split(", ")) for directory, _, names in lines]

    def metadata(self, session):
        return json.loads((self.kept / session / "metadata.json").read_text())
