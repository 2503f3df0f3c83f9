"""A bad network in user space, since not every kernel has one (tc-netem): the path from some
browsers to a server's media port, which can be narrow, long, and lossy.

It begins at an address of its own, on the server's port. The address is on no interface of the
namespace: to the server, clients from there are on another machine, and the server does not measure
paths within its own machine.
"""

import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from .link import Conditions

FOLDER = Path(__file__).parents[1]  # in which this package is found
END_TIMEOUT = 60  # s

# Replaces the server's address, as announced by the server, with this path's address.
DETOUR = """
(() => {
  const prototype = RTCPeerConnection.prototype;
  const original = prototype.setRemoteDescription;
  prototype.setRemoteDescription = function ({ type, sdp }) {
    return original.call(this, { type, sdp: sdp.replaceAll("%s", "%s") });
  };
})();
"""


class Way:
    """All clients on this path share its capacity, like a household's line."""

    def __init__(self, server, address, seed=1):
        """The server must be in a network namespace; the address is to be nobody's there."""
        self._server_address = server.settings["ROOMCAST_UDP_HOST"]
        self._address = address
        # The loopback receives datagrams to the address without owning it.
        subprocess.run(
            [*server.prefix, "ip", "route", "replace", "local", address, "dev", "lo"], check=True)
        self._process = subprocess.Popen(
            [*server.prefix, sys.executable, "-m", "harness.udp_proxy", address,
             self._server_address, str(server.media_port), str(seed)],
            cwd=FOLDER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._await_answer()

    @property
    def script(self):
        """For a page whose connections are to go this way."""
        return DETOUR % (self._server_address, self._address)

    def become(self, down=Conditions(), up=Conditions()):
        """The conditions from the server and to it, from when this returns."""
        self._process.stdin.write(json.dumps({"down": asdict(down), "up": asdict(up)}) + "\n")
        self._process.stdin.flush()
        self._await_answer()

    def _await_answer(self):
        answer = self._process.stdout.readline()
        assert answer == "ready\n", f"the way has ended, said {answer!r}"

    def close(self):
        self._process.stdin.close()  # it reads the end and goes
        self._process.stdout.close()
        try:
            self._process.wait(END_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
