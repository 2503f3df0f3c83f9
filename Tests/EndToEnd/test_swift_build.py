"""`.ci/swift-build`, which says of a build what concerns whoever waits for it."""

import os
import subprocess

from harness.server import REPOSITORY

FOREIGN = """\
warning: prohibited flag(s): -pthread, -pthread
warning: 'some-package': found 1 file(s) which are unhandled; explicitly declare them as resources
    /checkouts/some-package/CMakeLists.txt
"""
OURS = "/sources/A.swift:3:4: error: cannot find 'b' in scope\n    let a = b\n"
WITHOUT_WORK = "[0/1] Planning build\n[1/1] Compiling plugin Manual\nBuilding for production...\n"


def built(folder, output, status=0):
    """What stands on standard error after a build that says `output`, and its status."""
    (folder / "output").write_text(output)
    swift = folder / "swift"
    swift.write_text(f'#!/bin/sh\ncat "{folder}/output"\nexit {status}\n')
    swift.chmod(0o755)
    done = subprocess.run(
        [REPOSITORY / ".ci/swift-build", "-c", "release"], capture_output=True, text=True,
        env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"}, timeout=60)
    assert done.stdout == "", "it is the caller's"
    return done.stderr, done.returncode


def test_foreign_warnings_are_left_out_and_our_errors_are_not(tmp_path):
    output = FOREIGN + WITHOUT_WORK + "[3/9] Compiling RTP A.swift\n" + OURS
    said, status = built(tmp_path, output, 1)
    assert said.startswith(OURS) and status == 1
    assert said.removeprefix(OURS).startswith("The build failed after ")


def test_a_build_without_work_says_nothing(tmp_path):
    assert built(tmp_path, FOREIGN + WITHOUT_WORK + "Build complete! (0.5s)\n") == ("", 0)


def test_a_compiler_that_is_killed_is_a_failure(tmp_path):
    assert built(tmp_path, "", "$(kill -9 $$)") == ("", 137)
