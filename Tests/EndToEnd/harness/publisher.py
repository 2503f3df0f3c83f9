"""`roomcast publish`: a peer in a room that shows a file."""

import subprocess

from . import tokens
from .server import BINARY, environment

END_TIMEOUT = 60  # s


class Publisher:
    """Comes when it is made, leaves with its block or by `close`. What it says goes to `log`."""

    def __init__(self, server, room, path, name=None, options=(), log=subprocess.DEVNULL):
        name = name or path.stem
        # Not an argument, which everyone on the machine can read.
        token = {"ROOMCAST_TOKEN": tokens.room_token(room, user=name, role="host")}
        self.process = subprocess.Popen(
            [*server.prefix, str(BINARY), "publish", "--endpoint", server.base, "--name", name,
             *options, str(path)],
            env=environment() | token, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def is_there(self):
        return self.process.poll() is None

    def close(self):
        """Its exit status."""
        self.process.terminate()
        return self.process.wait(END_TIMEOUT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
