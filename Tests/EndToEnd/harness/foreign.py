"""Scripts of others that the tests use where somebody has them: they are no part of this repository
and are not fetched."""

import os
from pathlib import Path


def script(variable):
    """What the environment names; None where it names nothing."""
    name = os.environ.get(variable)
    if not name:
        return None
    path = Path(name)
    assert path.is_file(), f"{variable} is {name}, which is no file"
    return path
