"""The page that Chromium plays for a capture, shown instead by a stream's custom view.

The cost includes the bot, its browser's keeper and the browser with all its processes, and the
server, which does little else meanwhile: all that descends from it."""

import http.server
import re
import shutil
import threading
import time

from .chromium import SETTLING_SECONDS, page
from .processes import TreeMeter, until
from .roomcast import Roomcast

ROOM = "page"


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves parts of files, without which a browser cannot begin a clip again."""

    def log_message(self, *_):
        pass

    def send_head(self):
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if not asked:
            return super().send_head()
        file = open(self.translate_path(self.path), "rb")
        length = file.seek(0, 2)
        first, last = int(asked[1]), min(int(asked[2] or length - 1), length - 1)
        self.send_response(206)
        self.send_header("Content-Type", self.guess_type(self.path))
        self.send_header("Content-Range", f"bytes {first}-{last}/{length}")
        self.send_header("Content-Length", str(last + 1 - first))
        self.end_headers()
        file.seek(first)
        self.wfile.write(file.read(last + 1 - first))
        file.close()
        return None


class Site:
    def __init__(self, directory):
        self._server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), lambda *given: Handler(*given, directory=directory))
        self.host = f"127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def by_page(binary, clips, directory, seconds):
    site_directory = directory / "site"
    site_directory.mkdir(parents=True)
    copies = [shutil.copy(clip, site_directory) for clip in clips]
    file = page([site_directory / copy for copy in copies], site_directory)
    file.write_text(file.read_text().replace(site_directory.as_uri() + "/", ""))
    site = Site(site_directory)
    custom = {"customView": {"enabled": True, "hosts": [site.host]}}
    try:
        with Roomcast(binary, directory / "server", settings=custom) as roomcast:
            identifier = roomcast.start(ROOM, {"meeting_url": f"http://{site.host}/{file.name}"})
            until("the stream's start", lambda: roomcast.has(identifier, "running"), maximum=60)
            time.sleep(SETTLING_SECONDS)
            meter = TreeMeter([roomcast.server.pid])
            meter.start()
            time.sleep(seconds)
            figures = meter.stop()
            # It has run for longer than it was measured; the comparison of pictures begins at the
            # first ones.
            roomcast.stop(identifier)
            until("the stream's end", lambda: roomcast.has(identifier, "completed"))
            return figures | {"layers": roomcast.playlists(ROOM, identifier)}
    finally:
        site.close()
