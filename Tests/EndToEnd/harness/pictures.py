"""A host of images, and of forbidden redirections."""

import contextlib
import functools

from . import media
from .local_server import Handler, LocalServer


@functools.cache
def solid(colour, size="64x64"):
    """A PNG file of one colour."""
    return media.run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"color={colour}:s={size}",
                     "-frames:v", "1", "-pix_fmt", "rgb24", "-c:v", "png", "-f", "image2pipe", "-")


class Host(LocalServer):
    """Serves `/<colour>.png`, redirects `/to/<address>`, and counts the requests."""

    def __init__(self):
        asked = self.asked = []

        class Images(Handler):
            def do_GET(self):
                asked.append(self.path)
                if self.path.startswith("/to/"):
                    self.answer(302, Location=self.path.removeprefix("/to/"))
                else:
                    self.answer(200, solid(self.path.strip("/").removesuffix(".png")))

        super().__init__(Images)


def host():
    """One for a block."""
    return contextlib.closing(Host())
