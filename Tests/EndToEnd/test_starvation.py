"""The handling of a test that failed while the machine's host withheld CPU."""

import subprocess
import sys
from pathlib import Path

import pytest

from harness import machine

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
starvation.CALM_TIMEOUT = 0.5
starvation.watch._efforts.extend([1.0] * 2000)  # this machine's usual speed
from harness.starvation import (
    pytest_fixture_setup, pytest_runtest_makereport, pytest_runtest_protocol)

def pytest_configure(config):
    config.pluginmanager.register(starvation.Account())

sys.modules["host"] = sys.modules[__name__]
"""

TEST = """
import subprocess, sys, time, pytest
from host import {how}, starvation
from harness import server
from harness.fault import Fault
from harness.waiting import wait_for
makings = []

class Answer:
    status = 500

class Gone:
    process = subprocess.Popen(["true"])

def elsewhere(number):
    # A line of its own for each recording: what a starved machine spoils differs.
    if number == 1:
        raise AssertionError("first")
    if number == 2:
        raise AssertionError("second")
    raise AssertionError("third")

def number(value): assert value + 0.5 < 1
def exit_status(): assert subprocess.run(["false"]).returncode == 0
def http_status(): assert Answer().status == 200
def fault(): raise Fault("the server died")
def unplanned(): return {{}}["key"]
def late(): wait_for("the picture", lambda: None, 0.1)
def broken(): pytest.fail("it is broken")
def death():
    Gone.process.wait()
    server._running.add(Gone)
    pytest.fail(str(makings))

@pytest.fixture(scope="module")
def recording():
    makings.append(1)
    if len(makings) <= {bad}: {how}.set()
    looks = len(starvation.watch._samples)
    while len(starvation.watch._samples) < looks + 12: time.sleep(0.02)
    if not {always}: {how}.clear()
    yield len(makings)

@pytest.fixture
def ending(recording):
    yield
    if {in_teardown} and recording <= {needed}: elsewhere(recording)

def test_before(recording): pass
def test_it(recording, ending):
    if not {in_teardown} and recording <= {needed}: {failure}
def test_behind(recording): print("makings", len(makings))
"""


def run(directory, how="stealing", bad=9, needed=9, always=True, failure="elsewhere(recording)",
        name="test_it", in_teardown=False, more=""):
    (directory / "conftest.py").write_text(CONFTEST + more)
    (directory / f"{name}.py").write_text(
        TEST.format(how=how, bad=bad, needed=needed, always=always, failure=failure,
                    in_teardown=in_teardown))
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rs", "-s", str(directory)],
        capture_output=True, text=True, check=False)


def expect(done, outcome, makings, is_forgiven):
    assert outcome in done.stdout.splitlines()[-1], done.stdout
    assert f"makings {makings}" in done.stdout, done.stdout
    assert ("the host kept back" in done.stdout) == is_forgiven, done.stdout


@pytest.mark.parametrize("how", ["stealing", "slowing"])
@pytest.mark.parametrize("bad, needed, always, outcome, makings", [
    (0, 1, False, "1 failed, 2 passed", 1),
    (1, 1, False, "3 passed", 2),
    (2, 2, False, "3 passed", 3),
    (9, 9, True, "2 passed, 1 skipped", 3),
], ids=["never", "once", "twice", "all the time"])
def test_a_failure_counts_if_the_machine_had_its_cpu(
        tmp_path, how, bad, needed, always, outcome, makings):
    done = run(tmp_path, how, bad, needed, always)
    expect(done, outcome, makings, is_forgiven=bad > 0)


@pytest.mark.parametrize("failure", [
    "exit_status()", "http_status()", "fault()", "unplanned()", "death()",
])
def test_what_no_lack_of_cpu_explains_counts_at_once(tmp_path, failure):
    expect(run(tmp_path, failure=failure), "1 failed, 2 passed", 1, is_forgiven=False)


@pytest.mark.parametrize("failure", ["broken()", "number(recording)"])
def test_what_fails_twice_at_one_line_counts_whatever_it_says(tmp_path, failure):
    expect(run(tmp_path, failure=failure), "1 failed, 2 passed", 2, is_forgiven=True)


def test_what_is_late_every_time_is_not_coming(tmp_path):
    expect(run(tmp_path, failure="late()"), "1 failed, 2 passed", 3, is_forgiven=True)


def test_what_was_late_and_comes_passes(tmp_path):
    expect(run(tmp_path, failure="late()", needed=2), "3 passed", 3, is_forgiven=True)


def test_a_module_that_judges_nothing_by_the_clock_has_one_attempt(tmp_path):
    done = run(tmp_path, name="test_object_storage")
    expect(done, "1 failed, 2 passed", 1, is_forgiven=False)


def test_a_failure_while_fixtures_end_is_made_again_too(tmp_path):
    done = run(tmp_path, needed=1, in_teardown=True)
    expect(done, "3 passed", 2, is_forgiven=True)


def test_without_time_for_repetitions_a_starved_failure_is_skipped(tmp_path):
    done = run(tmp_path, more="\nstarvation.BUDGET = -1\n")
    expect(done, "2 passed, 1 skipped", 1, is_forgiven=True)
    assert done.returncode == 0


def test_a_run_that_forgives_too_much_fails_and_says_so(tmp_path):
    done = run(tmp_path, more="\nstarvation.BUDGET = -1\nstarvation.SKIPS_MAXIMUM = 0\n")
    assert done.returncode == 1
    assert "made again: 0, skipped: 1 (at most 0)" in done.stdout, done.stdout


def worst_share(efforts):
    """The worst share that a watch sees while pieces of work take so long."""
    now, left = [0.0], iter(efforts)
    watch = machine.Watch(
        effort=lambda: next(left), stolen=lambda: 0.0, time=lambda: now[0])
    for _ in range(len(efforts) - 2):
        now[0] += machine.INTERVAL
        watch.look()
    return watch.worst(0, now[0])


def test_one_fast_look_makes_no_machine_slow_for_ever():
    assert worst_share([1.0] * 20 + [0.4] + [1.0] * 60) == 0


def test_uneven_work_on_the_cores_other_half_is_no_starvation():
    assert worst_share([1.0, 1.4, 1.2, 1.6, 1.0] * 20) == 0


def test_a_core_at_half_its_speed_for_two_seconds_is_starvation():
    assert worst_share([1.0] * 40 + [2.0] * 8 + [1.0] * 20) >= 0.4
