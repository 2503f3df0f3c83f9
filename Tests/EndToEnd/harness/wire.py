"""A wire between a client and a server that a test can cut: a TCP proxy of its own."""

import contextlib
import socket
import threading

CHUNK = 65536  # bytes


class Wire:
    """Listens on the loopback and forwards to `port`; a cut connection is closed on both sides.
    `passed` bytes of the server are on their way to the client, or there."""

    def __init__(self, port):
        self._target = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.base = f"http://127.0.0.1:{self.port}"
        self._lock = threading.Lock()
        self._sockets = set()
        self._is_cut = False
        self._flows = threading.Event()
        self._flows.set()
        self.passed = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self):
        """Closes its connections, and new ones until it is `mended`."""
        with self._lock:
            self._is_cut = True
            sockets, self._sockets = self._sockets, set()
        for one in sockets:
            _end(one)

    def swallow(self):
        """Nothing arrives any more until it is `mended`, and nobody notices."""
        self._flows.clear()

    def mend(self):
        with self._lock:
            self._is_cut = False
        self._flows.set()

    def close(self):
        _end(self._listener)
        self.cut()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
                # Else the kernel takes megabytes that the client does not read.
                client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, CHUNK)
            except OSError:
                return
            threading.Thread(target=self._pass, args=(client,), daemon=True).start()

    def _pass(self, client):
        try:
            server = socket.create_connection(self._target)
        except OSError:
            return _end(client)
        with self._lock:
            if not self._is_cut:
                self._sockets |= {client, server}
            is_cut = self._is_cut
        if is_cut:
            _end(client)
            return _end(server)
        for one, other in [(client, server), (server, client)]:
            threading.Thread(
                target=self._copy, args=(one, other, one is server), daemon=True).start()

    def _copy(self, source, sink, counts):
        with contextlib.suppress(OSError):
            while data := source.recv(CHUNK):
                if self._flows.is_set():
                    sink.sendall(data)
                    self.passed += len(data) * counts
        for one in (source, sink):
            with self._lock:
                self._sockets.discard(one)
            _end(one)


def _end(one):
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
