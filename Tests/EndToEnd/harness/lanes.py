"""Which modules judge by the clock, which do not, which need the machine to themselves, and which
worker has which.
"""

import contextlib
import fcntl
import functools
from pathlib import Path

import pytest
from xdist.scheduler import LoadScopeScheduling

# Modules that mostly wait and judge nothing by the clock. They run beside the others, which
# otherwise have the machine to themselves, and none of their failures is forgiven. They give way to
# the others (harness/priority.py).
ASIDE = {
    "active_rooms", "admin", "api_fuzzing", "auto_start", "avsync", "bad_input", "bot_process",
    "captions", "chat_recording", "cmaf", "command_line", "contrast", "crash_series",
    "deleted_files", "demo_jitsi", "deploy", "descriptors", "disk_full", "docs_page", "documents",
    "error_pages", "examples", "group_calls", "harness", "hls_js", "install", "invite", "jibri",
    "jitsi_apps", "jitsi_counterpart", "jitsi_rooms", "jitsi_source", "live_store",
    "long_publishing", "low_latency_rules", "many_assets", "media_over_tcp", "missing_browser",
    "mixed_room", "moderation", "monitoring", "network_change", "object_storage", "openvidu",
    "openvidu_rest", "openvidu_source", "other_players", "package", "package_lifetime",
    "page_chat", "page_devices", "page_modules", "page_notices", "page_pictures", "page_polls",
    "page_publishing", "page_reconnecting", "page_room_state", "page_stage", "player_controls",
    "player_faults", "player_modules", "polls", "process", "process_deaths", "recording_assets",
    "recording_in_room", "recordings_page", "relay", "replay", "replay_modules", "rereading",
    "restart", "room_chat", "room_controls", "room_page", "room_page_manners", "room_page_on_air",
    "room_page_polls", "room_registry", "sandbox", "scripts", "second_parser", "secrecy",
    "sessions", "speech", "speech_example", "starvation", "stranger", "stream_control",
    "stream_races", "studio", "swift_build", "templates", "thumbnails", "timed_metadata",
    "webhooks", "whip_publishing", "xmpp",
}


def is_aside(module):
    """Whether the module of this name, such as `test_polls`, judges nothing by the clock."""
    return module.removeprefix("test_") in ASIDE


# Looks at what began with the first module aside (harness/long_publishing.py), in the same worker.
LAST = "test_long_publishing"


def _module(nodeid):
    return Path(nodeid.split("::")[0]).stem


def order(module):
    """The key by which modules are sorted."""
    return is_aside(module), module == LAST


def first_aside(modules):
    """The first of the sorted modules that is aside; None if there is none."""
    return next((module for module in modules if is_aside(module)), None)


class Lanes(LoadScopeScheduling):
    """One worker has all modules that judge by the clock. The others take those aside, one after the
    other, and so does the first one in the end. Each module is one worker's, which makes its scenes
    once."""

    CLOCK = "by the clock"

    def __init__(self, config, log=None):
        # In the order of the names, and not those with the most tests first: what begins with the
        # first module aside takes longer than any other.
        config.option.loadscopereorder = False
        super().__init__(config, log)

    def _split_scope(self, nodeid):
        module = _module(nodeid)
        return module if is_aside(module) else self.CLOCK

    def _next(self, node):
        """The unit of work that comes next for a worker; None if there is none."""
        if not self._began(node) and any(self._began(other) for other in self.nodes):
            return next((scope for scope in self.workqueue if scope != LAST), None)
        return next(iter(self.workqueue), None)

    def _began(self, node):
        """Whether a worker has, or had, the first module aside."""
        return self._first in self.assigned_work[node]

    @functools.cached_property
    def _first(self):
        return first_aside(_module(nodeid) for nodeid in self.collection)

    def _assign_work_unit(self, node):
        if scope := self._next(node):
            self.workqueue.move_to_end(scope, last=False)
            super()._assign_work_unit(node)

    def _reschedule(self, node):
        if self._next(node) is None and not node.shutting_down:
            node.shutdown()
        else:
            super()._reschedule(node)


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
