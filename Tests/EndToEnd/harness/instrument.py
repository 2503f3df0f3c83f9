"""The measuring instrument (Tests/AVSync) as a user runs it."""

import json
import subprocess
import sys

from .server import REPOSITORY


def run(*arguments):
    """Its exit status and its report."""
    done = subprocess.run(
        [sys.executable, "-m", "avsync", *map(str, arguments)], cwd=REPOSITORY / "Tests/AVSync",
        capture_output=True, text=True, check=False,
    )
    return done.returncode, json.loads(done.stdout)
