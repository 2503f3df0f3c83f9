"""What is made of a test that failed while the machine's host kept the CPU back."""

import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = f"""
import sys, threading, time
sys.path.insert(0, {str(Path(__file__).parent)!r})
from harness import machine
machine.PIECE, machine.INTERVAL = 0.2, 0.05
stealing = threading.Event()
slowing = threading.Event()
begin, taken = time.monotonic(), 0.0

def effort():
    return 2.0 if slowing.is_set() else 1.0

def stolen():
    global begin, taken
    now = time.monotonic()
    taken += (now - begin) * machine.CORES / 2 if stealing.is_set() else 0
    begin = now
    return taken

machine.stolen, machine.effort = stolen, effort
from harness import starvation
starvation.CALM_TIMEOUT = 1
from harness.starvation import pytest_fixture_setup, pytest_runtest_protocol
sys.modules["host"] = sys.modules[__name__]
"""

TEST = """
import time, pytest
from host import {how}
makings = []

@pytest.fixture(scope="module")
def recording():
    makings.append(1)
    if len(makings) <= {bad}: {how}.set()
    time.sleep(2)
    if not {always}: {how}.clear()
    yield len(makings)

def test_before(recording): pass
def test_it(recording):
    if recording <= {needed}: pytest.fail(str({words}))
def test_behind(recording): print("makings", len(makings))
"""


@pytest.mark.parametrize("how", ["stealing", "slowing"])
@pytest.mark.parametrize("bad, needed, always, words, outcome, makings", [
    (0, 1, False, "recording", "1 failed, 2 passed", 1),
    (1, 1, False, "recording", "3 passed", 2),
    (2, 2, False, "recording", "3 passed", 3),
    (3, 9, True, "recording", "2 passed, 1 skipped", 3),
    (3, 9, True, "'it is broken'", "1 failed, 2 passed", 2),
], ids=["never", "once", "twice", "all the time", "all the time, in the same words"])
def test_a_failure_counts_if_the_machine_had_its_cpu(
        tmp_path, how, bad, needed, always, words, outcome, makings):
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_it.py").write_text(
        TEST.format(how=how, bad=bad, needed=needed, always=always, words=words))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rs", "-s", str(tmp_path)],
        capture_output=True, text=True, check=False)
    assert outcome in done.stdout.splitlines()[-1], done.stdout
    assert f"makings {makings}" in done.stdout
    assert ("the host kept back" in done.stdout) == (bad > 0)
