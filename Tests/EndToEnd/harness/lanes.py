"""Which modules judge by the clock, which do not, and which need the machine to themselves."""

import contextlib
import fcntl
from pathlib import Path

import pytest

# Modules that mostly wait and judge nothing by the clock. They run beside the others, which
# otherwise have the machine to themselves, and none of their failures is forgiven. They give way to
# the others (harness/priority.py).
ASIDE = {
    "active_rooms", "auto_start", "avsync", "bad_input", "bot_process", "captions",
    "chat_recording", "cmaf", "command_line", "contrast", "crash_series", "deleted_files",
    "deploy", "descriptors", "disk_full", "group_calls", "harness", "hls_js", "install",
    "live_store", "long_publishing", "low_latency_rules", "many_assets", "media_over_tcp",
    "mixed_room", "moderation", "network_change", "object_storage", "openvidu", "openvidu_rest",
    "openvidu_source", "other_players", "page_devices", "page_modules", "page_notices",
    "page_polls", "page_publishing", "page_reconnecting", "page_room_state", "page_stage",
    "player_controls", "player_faults", "player_modules", "polls", "process", "process_deaths",
    "recording_assets", "recording_in_room", "recordings_page", "relay", "replay",
    "replay_modules", "restart", "room_page_manners", "room_page_on_air", "room_page_polls",
    "room_registry", "sandbox", "secrecy", "sessions", "speech", "starvation", "stranger",
    "stream_control", "stream_races", "templates", "thumbnails", "timed_metadata", "webhooks",
}


def is_aside(module):
    """Whether the module of this name, such as `test_polls`, judges nothing by the clock."""
    return module.removeprefix("test_") in ASIDE


# A browser that paints and another one that captures what it paints need both cores. Nothing aside
# runs meanwhile.
ALONE = {"custom_view_sync"}

# Locked are this file and the tests' configuration, which all workers have.
MACHINE, NEXT = Path(__file__), Path(__file__).parents[1] / "conftest.py"


@contextlib.contextmanager
def locked(path, how):
    with path.open() as file:
        fcntl.flock(file, how)
        yield


class Turns:
    """The plugin of a worker that lets some modules have the machine to themselves."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item):
        is_alone = item.path.stem.removeprefix("test_") in ALONE
        if not is_alone and not is_aside(item.path.stem):
            return (yield)
        with contextlib.ExitStack() as stack:
            # Who waits for the machine is the next to have it.
            with locked(NEXT, fcntl.LOCK_EX):
                how = fcntl.LOCK_EX if is_alone else fcntl.LOCK_SH
                stack.enter_context(locked(MACHINE, how))
            return (yield)
