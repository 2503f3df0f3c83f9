"""A bad network for whatever speaks IP, TCP too: the only path between two network namespaces, a
server's and a viewer's, which can be narrow, long, and lossy.

Its ends are TUN devices, which hand packets to a process outside and take them from it.
"""

import os
import socket
import subprocess
import sys

from .passage import Passage

SERVER, VIEWER, NETWORK = "10.98.0.1", "10.98.0.2", "10.98.0.0/24"
DEVICE = "road0"
# What most servers have; this kernel's default may be another one.
CONGESTION_CONTROL = "cubic"

# In a namespace: opens a device and passes it out.
OPEN = f"""
import fcntl, os, socket, struct, sys
device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
kind = 0x0001 | 0x1000  # IFF_TUN | IFF_NO_PI
fcntl.ioctl(device, 0x400454ca, struct.pack("16sH22x", b"{DEVICE}", kind))  # TUNSETIFF
socket.send_fds(socket.socket(fileno=int(sys.argv[1])), [b"+"], [device])
"""


class Road(Passage):
    def __init__(self, server, viewer, seed=1):
        """Both are namespaces. To the viewer, the server is at SERVER."""
        self._namespaces = server, viewer
        ends = []
        try:
            for namespace, address in ((server, SERVER), (viewer, VIEWER)):
                ends.append(_end(namespace, address))
            super().__init__("tun_bridge", *ends, seed, descriptors=ends)
        finally:
            # They go with the process, and the devices with them.
            for end in ends:
                os.close(end)
        self.control_congestion(CONGESTION_CONTROL)

    def control_congestion(self, algorithm):
        """Of connections that are made from now on."""
        # By the route, since a namespace may not set every one of them as its default.
        for namespace in self._namespaces:
            namespace.run(f"ip route replace {NETWORK} dev {DEVICE} congctl {algorithm}")


def _end(namespace, address):
    """The descriptor of a new device."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        subprocess.run([*namespace.prefix, sys.executable, "-c", OPEN, str(theirs.fileno())],
                       pass_fds=[theirs.fileno()], check=True)
        _, [descriptor], _, _ = socket.recv_fds(ours, 1, 1)
    if os.path.exists("/proc/net/if_inet6"):
        namespace.run(f"ip link set {DEVICE} addrgenmode none")  # see namespace.py
    namespace.run(f"ip address add {address}/24 dev {DEVICE}")
    namespace.run(f"ip link set {DEVICE} up")
    return descriptor
