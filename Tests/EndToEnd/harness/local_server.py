"""An HTTP server of the tests' own: hosts, receivers and stores are made of it."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

POLL_INTERVAL = 0.05  # s between looks at whether it is to end


class Handler(BaseHTTPRequestHandler):
    """Says nothing on standard error."""

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", **fields):
        """A whole answer; of a field's name `_` is a hyphen."""
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class LocalServer:
    """On the loopback, with a thread of its own; `port` 0 is any free one. With the context of a
    certificate it speaks TLS."""

    def __init__(self, handler, port=0, context=None):
        self._server = ThreadingHTTPServer(("127.0.0.1", port), handler)
        self.name = f"127.0.0.1:{self._server.server_port}"
        self.base = f"{'https' if context else 'http'}://{self.name}"
        if context:
            self._server.socket = context.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(POLL_INTERVAL,), daemon=True)
        self._thread.start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class FileServer(LocalServer):
    """Serves texts by their paths: `{"/": ("text/html", b"…")}`. Pages of other origins may import
    them."""

    def __init__(self, files):
        class Files(Handler):
            def do_GET(self):
                kind, body = files.get(self.path, ("text/plain", None))
                self.answer(200 if body else 404, body or b"",
                            Content_Type=f"{kind}; charset=utf-8",
                            Access_Control_Allow_Origin="*")

        super().__init__(Files)
