"""A bad network for media: the path from some browsers to a server's media port, which can be
narrow, long, and lossy.

It begins at an address of its own, on the server's port. The address is on no interface of the
namespace: to the server, clients from there are on another machine, and the server does not measure
paths within its own machine.
"""

import subprocess

from .passage import Passage

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


class Way(Passage):
    def __init__(self, server, address, seed=1):
        """The server must be in a network namespace; the address is to be nobody's there."""
        self._server_address = server.settings["ROOMCAST_UDP_HOST"]
        self._address = address
        # The loopback receives datagrams to the address without owning it.
        subprocess.run(
            [*server.prefix, "ip", "route", "replace", "local", address, "dev", "lo"], check=True)
        super().__init__("udp_proxy", address, self._server_address, server.media_port, seed,
                         prefix=server.prefix)

    @property
    def script(self):
        """For a page whose connections are to go this way."""
        return DETOUR % (self._server_address, self._address)
