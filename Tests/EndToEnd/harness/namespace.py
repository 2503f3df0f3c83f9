"""A separate network for Firefox, which neither offers nor uses loopback candidates.

The namespace holds a veth pair with a default route, which Firefox requires before it gathers
candidates. The pair has no link-local IPv6 addresses: these appear a second or two later, once
duplicate detection is done, and to Chromium that is a change of network, which fails its pending
fetches (ERR_NETWORK_CHANGED).

A second namespace can be at the other end of the pair: a second machine.

The namespace lives as long as its one agent process, so there is nothing to clean up. The agent
opens connections inside and passes them out over a Unix socket (SCM_RIGHTS), so the tests
themselves stay outside. Root creates the namespace directly; other users create it inside a user
namespace.
"""

import os
import socket
import subprocess
import sys

ADDRESS = "10.99.0.1"
NEIGHBOUR_ADDRESS = "10.99.0.2"

AGENT = f"""
import os, socket, subprocess, sys
control = socket.socket(fileno=int(sys.argv[1]))
has_ipv6 = os.path.exists("/proc/net/if_inet6")
for command in (
    "ip link set lo up",
    "ip link add cast0 type veth peer name cast1",
    *(f"ip link set {{link}} addrgenmode none" for link in ("cast0", "cast1") if has_ipv6),
    "ip address add {ADDRESS}/24 dev cast0",
    "ip link set cast0 up",
    "ip link set cast1 up",
    "ip route add default via 10.99.0.254 dev cast0",
):
    subprocess.run(command.split(), check=True)
control.sendall(b"ready")
while request := control.recv(64):
    try:
        host, port = request.decode().split()
        with socket.create_connection((host, int(port)), 30) as connection:
            socket.send_fds(control, [b"+"], [connection.fileno()])
    except OSError as error:
        control.sendall(b"-" + str(error).encode()[:200])
"""


class Namespace:
    def __init__(self, within=()):
        """`within` is the prefix of a namespace, whose user may then change this one too."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        as_user = [] if within or os.geteuid() == 0 else ["--user", "--map-root-user"]
        self._agent = subprocess.Popen(
            [*within, "unshare", *as_user, "--net", sys.executable, "-c", AGENT, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
        )
        theirs.close()
        self._control = ours
        ours.settimeout(60)
        if ours.recv(16) != b"ready":
            self.close()
            raise RuntimeError("the network namespace could not be made (see above)")

    def neighbour(self):
        """A namespace at the other end of this one's pair, which is its `cast1`."""
        other = Namespace(self.prefix)
        other.run("ip link delete cast0")
        self.run(f"ip link set cast1 netns {other._agent.pid}")
        other.run(f"ip address add {NEIGHBOUR_ADDRESS}/24 dev cast1")
        other.link_up()
        return other

    def link_down(self):
        """Cuts a neighbour off."""
        self.run("ip link set cast1 down")

    def link_up(self):
        self.run("ip link set cast1 up")
        self.run(f"ip route replace default via {ADDRESS} dev cast1")

    @property
    def prefix(self):
        """The prefix of a command line that runs it inside."""
        enter = ["nsenter", "--target", str(self._agent.pid), "--net"]
        if os.geteuid() != 0:
            enter += ["--user", "--preserve-credentials"]
        return [*enter, "--"]

    def run(self, command):
        """Runs a command inside, to its end."""
        subprocess.run([*self.prefix, *command.split()], check=True)

    def connect(self, host, port):
        """A connection made inside the namespace. Raises OSError where there is none."""
        self._control.sendall(f"{host} {port}".encode())
        message, descriptors, _, _ = socket.recv_fds(self._control, 256, 1)
        if not descriptors:
            raise ConnectionError(message[1:].decode() or "no answer from the namespace")
        connection = socket.socket(fileno=descriptors[0])
        connection.settimeout(60)  # the descriptor is non-blocking, as the agent left it
        return connection

    def close(self):
        self._control.close()  # the agent reads the end and goes
        try:
            self._agent.wait(30)
        except subprocess.TimeoutExpired:
            self._agent.kill()
            self._agent.wait()
