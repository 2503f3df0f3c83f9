"""A host of images, and of what an image's host must not lead to."""

import contextlib
import http.server
import threading

from . import media


def solid(colour, size="64x64"):
    """A PNG file of one colour."""
    return media.run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"color={colour}:s={size}",
                     "-frames:v", "1", "-pix_fmt", "rgb24", "-c:v", "png", "-f", "image2pipe", "-")


class Host:
    """Serves `/<colour>.png`, leads from `/to/<address>` to there, and counts who asks."""

    def __init__(self):
        asked = self.asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                if self.path.startswith("/to/"):
                    self.send_response(302)
                    self.send_header("Location", self.path.removeprefix("/to/"))
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                body = solid(self.path.strip("/").removesuffix(".png"))
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.name = f"127.0.0.1:{self.server.server_port}"
        self.base = f"http://{self.name}"
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@contextlib.contextmanager
def host():
    one = Host()
    try:
        yield one
    finally:
        one.close()
