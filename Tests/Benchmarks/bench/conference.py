"""A Prosody for the conferences of a server's own: the one of the demonstration."""

import contextlib
import importlib.machinery
import importlib.util
import pathlib
import tempfile

from .job import ROOT

SECRET = "a bench's"
SCRIPT = ROOT / "deploy/demo-jitsi"


def _demo():
    loader = importlib.machinery.SourceFileLoader("demo_jitsi", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("demo_jitsi", loader))
    loader.exec_module(module)
    return module


class Conference:
    """`settings` are those of the server that is the focus and has the bridge, and whose bots join
    as guests."""

    def __init__(self, demo, prosody):
        domain = demo.DOMAIN
        rooms, focus = f"conference.{domain}", f"focus.{domain}"
        self._domain = domain
        self.settings = {
            "focus": {
                "server": f"127.0.0.1:{prosody.components}", "component": focus, "rooms": rooms,
                "secret": prosody.secret},
            "deployments": {domain: {
                "server": f"ws://127.0.0.1:{prosody.web}/xmpp-websocket", "mucDomain": rooms,
                "focus": focus}},
        }

    def url(self, room):
        return f"jitsi:https://{self._domain}/{room}"


@contextlib.contextmanager
def conferences():
    demo = _demo()
    with tempfile.TemporaryDirectory(prefix="roomcast-bench-prosody-") as directory:
        # Its user goes there too.
        folder = pathlib.Path(directory)
        folder.chmod(0o755)
        prosody = demo.Prosody(folder, SECRET)
        try:
            prosody.start()
            yield Conference(demo, prosody)
        finally:
            prosody.stop()
