"""Other people's clients, which are not part of this repository: a folder has copies of their bundles
(README.md beside the tests)."""

import os
from pathlib import Path

import pytest

VARIABLE = "ROOMCAST_CLIENTS"


def bundle(name):
    """The path of a bundle. A test of one that is missing is skipped, and the run names it."""
    folder = os.environ.get(VARIABLE)
    assert folder, f"{VARIABLE} names no folder with clients (Tests/EndToEnd/README.md)"
    path = Path(folder, name)
    if not path.is_file():
        pytest.skip(f"{name} is not in {folder}")
    return path
