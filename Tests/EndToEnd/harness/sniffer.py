"""Packets from a server's media port on the loopback interface. RTP's header is not encrypted."""

import contextlib
import socket
import struct
import threading
from collections import defaultdict

EVERY_PROTOCOL = 3  # ETH_P_ALL
OUTGOING = 4  # PACKET_OUTGOING: the loopback interface shows everything twice
ETHERNET, UDP_HEADER = 14, 8  # bytes
RECEIVE_BUFFER_FORCE = 33  # SO_RCVBUFFORCE, socket(7)


class Sniffer:
    """Counts RTP packets from a UDP port, by receiver and stream, while its block runs."""

    def __init__(self, port):
        self.packets = defaultdict(lambda: defaultdict(int))  # receiver's port → SSRC → packets
        self._port = port
        self._socket = socket.socket(
            socket.AF_PACKET, socket.SOCK_RAW, socket.htons(EVERY_PROTOCOL))
        self._socket.bind(("lo", 0))
        # Frames of 64 KiB with other tests' files pass here too.
        with contextlib.suppress(PermissionError):
            self._socket.setsockopt(socket.SOL_SOCKET, RECEIVE_BUFFER_FORCE, 16 << 20)
        self._socket.settimeout(0.2)
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._read)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._is_over.set()
        self._thread.join()
        self._socket.close()

    def _read(self):
        while not self._is_over.is_set():
            try:
                frame, address = self._socket.recvfrom(2048)
            except TimeoutError:
                continue
            if address[2] == OUTGOING:
                self._take(frame)

    def _take(self, frame):
        if len(frame) < ETHERNET + 20 or frame[ETHERNET] >> 4 != 4 or frame[ETHERNET + 9] != 17:
            return
        udp = ETHERNET + (frame[ETHERNET] & 15) * 4
        source, receiver = struct.unpack_from("!HH", frame, udp)
        rtp = frame[udp + UDP_HEADER:]
        # RFC 7983 sect. 7 and RFC 5761 sect. 4: neither STUN, DTLS nor RTCP.
        is_rtp = len(rtp) >= 12 and 128 <= rtp[0] <= 191 and not 192 <= rtp[1] <= 223
        if source == self._port and is_rtp:
            self.packets[receiver][struct.unpack_from("!I", rtp, 8)[0]] += 1
