"""Jicofo's half of the brewery: the recorders that wait in its room, and the sessions that it gives
them. The rules are those of JibriDetector.kt, JibriSession.java and JibriRecorder.kt."""

import asyncio
import time
import uuid
from dataclasses import dataclass

from .jitsi_prosody import BREWERY
from .jitsi_xml import HEALTH, JIBRI, find, node
from .jitsi_xmpp import TIMEOUT, Refused, from_outside
from .waiting import wait_for

NICK = "focus"
SELECTION_PAUSE = 0.2  # s in which nobody is asked twice
NEVER = float("-inf")


@dataclass
class Slot:
    """A recorder in the brewery, by its last presence."""

    nick: str
    busy: str
    health: str
    presences: int = 0
    failed: float = NEVER
    selected: float = NEVER

    @property
    def is_available(self):
        return self.busy == "idle" and self.health == "healthy"


class Recording:
    """One session. `states` has what was made public of it, as (status, failure's reason)."""

    def __init__(self, brewery, room, initiator, stream, more, publish):
        self.brewery = brewery
        self.id = str(uuid.uuid4())
        self.room = room
        self.initiator = initiator
        self.terminator = None
        self.stream = stream
        self.nick = None  # of the slot that has it
        self.nicks = []  # of all that had it
        self.status = "undefined"
        self.states = []
        self._more = more
        self._publish = publish
        self._retries = 0
        self._timer = None

    async def start(self):
        slot = self.brewery.select()
        if slot is None:
            raise (Refused("resource-constraint", "all Jibris are busy") if self.brewery.slots
                   else Refused("service-unavailable", "no Jibris available"))
        try:
            await self._begin(slot.nick)
        except Refused as refusal:
            slot.failed = time.monotonic()
            if self._retries >= self.brewery.retries:
                raise Refused("internal-server-error", str(refusal)) from None
            self._retries += 1
            await self.start()

    async def _begin(self, nick):
        self.nick = nick
        self.nicks.append(nick)
        self._wait()
        mode = {"recording_mode": "stream", "streamid": self.stream} if self.stream else {
            "recording_mode": "file"}
        try:
            answer = await self.brewery.send(
                nick, action="start", session_id=self.id, room=self.room, **mode, **self._more)
        except Refused as refusal:
            if refusal.condition == "timeout":
                self.brewery.send_stop(nick, self.id)
            raise
        if answer is None or answer.get("status") != "pending":
            raise Refused("unexpected", str(answer is not None and dict(answer.attrib)))
        self.status = "pending"

    async def heard(self, nick, told):
        """A status from a slot."""
        if nick != self.nick:
            return
        self.status = told["status"]
        if self.status != "pending":
            self._stop_waiting()
        failure = told.get("failure_reason")
        if failure is not None:
            if told.get("should_retry") == "true" and self._retries < self.brewery.retries:
                self._retries += 1
                try:
                    return await self.start()
                except Refused:
                    pass
            self._end(failure)
        elif self.status == "off":
            self._end(None)
        elif self.status == "on":
            self._show("on", None)

    def stop(self, terminator=None):
        """Says so and waits for nothing."""
        if self.nick is None:
            return
        self.terminator = terminator
        self._stop_waiting()
        self.brewery.send_stop(self.nick, self.id)
        self._end(None)

    def _end(self, failure):
        self._show("off", failure)
        self.nick = None
        self._retries = 0
        self._stop_waiting()
        self.brewery.recordings.remove(self)

    def _show(self, status, failure):
        self.states.append((status, failure))
        self._publish(self, status, failure)

    def _wait(self):
        self._stop_waiting()
        self._timer = asyncio.get_running_loop().call_later(self.brewery.pending, self._timed_out)

    def _stop_waiting(self):
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _timed_out(self):
        if self.status in ("pending", "undefined"):
            self.stop()


class Brewery:
    """`slots` by their nicks; `told` what they said in requests, as (nick, attributes); `answers`
    what they answered, as (nick, action, attributes or the refusal)."""

    def __init__(self, home, retries=5, pending=90, failure_pause=60):
        self.home = home
        self.retries = retries
        self.pending = pending  # s
        self.failure_pause = failure_pause  # s
        self.slots = {}
        self.past = []  # slots that left
        self.told = []
        self.answers = []
        self.recordings = []
        self._tasks = set()

    # Called by the tests.

    def wait_for_slots(self, count, timeout=TIMEOUT):
        """The nicks of those that are available."""
        return wait_for(f"{count} slots are available", lambda: (
            len(found := [one.nick for one in list(self.slots.values()) if one.is_available])
            >= count and found), timeout)

    @from_outside
    async def ask(self, nick, **attributes):
        """The attributes of a slot's answer to anything; raises Refused."""
        answer = await self.send(nick, **attributes)
        return None if answer is None else dict(answer.attrib)

    @from_outside
    async def start(self, conference, stream=None, initiator=None, **more):
        """What a client's button leads to."""
        return await self.record(conference, stream, initiator, more)

    @from_outside
    async def stop(self, recording):
        recording.stop()

    # Runs on the loop.

    async def open(self):
        self.slots.clear()
        await self.home.focus.enter(BREWERY, NICK)

    def saw(self, presence):
        """Of a slot. What it told before is heard before."""
        self._begin(self._see(presence))

    async def _see(self, presence):
        nick = presence.get("from").partition("/")[2]
        if nick == NICK or presence.get("type") == "error":
            return
        if presence.get("type") == "unavailable":
            slot = self.slots.pop(nick, None)
            if slot:
                self.past.append(slot)
                for one in [one for one in self.recordings if one.nick == nick]:
                    self._begin(one.heard(nick, {
                        "status": "off", "failure_reason": "error", "should_retry": "true"}))
            return
        status = find(presence, JIBRI, "jibri-status")
        if status is None:
            return
        busy, health = find(status, JIBRI, "busy-status"), find(status, HEALTH, "health-status")
        slot = self.slots.setdefault(nick, Slot(nick, "", ""))
        slot.busy = busy.get("status")
        slot.health = health.get("status") if health is not None else "healthy"
        slot.presences += 1
        if slot.is_available:
            slot.failed = NEVER

    def select(self):
        now = time.monotonic()
        free = [one for one in self.slots.values()
                if one.is_available and now - one.selected >= SELECTION_PAUSE]
        oldest = min(free, key=lambda one: one.failed, default=None)
        if oldest is None or now - oldest.failed < self.failure_pause:
            return None
        oldest.selected = now
        return oldest

    async def record(self, conference, stream, initiator, more):
        if any(one.room == conference.room for one in self.recordings):
            raise Refused(
                "unexpected-request", "Recording or live streaming is already enabled")

        def publish(recording, status, failure):
            conference.show_recording(node(JIBRI, "jibri-recording-status", {
                "status": status, "session_id": recording.id, "failure_reason": failure,
                "recording_mode": "stream" if stream else "file",
                "initiator": {"on": recording.initiator, "off": recording.terminator}.get(status)}))

        recording = Recording(self, conference.room, initiator, stream, more, publish)
        self.recordings.append(recording)
        try:
            await recording.start()
        except Refused:
            self.recordings.remove(recording)
            raise
        # That it is pending, jicofo tells nobody but whoever asked.
        return recording

    async def send(self, nick, **attributes):
        try:
            answer = await self.home.focus.ask(
                f"{BREWERY}/{nick}", node(JIBRI, "jibri", attributes))
        except Refused as refusal:
            self.answers.append((nick, attributes["action"], refusal))
            raise
        self.answers.append((nick, attributes["action"],
                             {} if answer is None else dict(answer.attrib)))
        return answer

    def send_stop(self, nick, session):
        async def send():
            try:
                await self.send(nick, action="stop", session_id=session)
            except Refused:
                pass

        self._begin(send())

    async def request(self, sender, jibri):
        """From a slot, which says how it is, or else None."""
        room, _, nick = sender.partition("/")
        if room != BREWERY:
            return False
        told = dict(jibri.attrib)
        self.told.append((nick, told))
        for one in list(self.recordings):
            if one.nick == nick:
                # The answer does not wait for what follows from it.
                self._begin(one.heard(nick, told))
                return True
        raise Refused("item-not-found", "no session of this recorder")

    async def button(self, conference, sender, jibri):
        """From a client in a conference."""
        stream = jibri.get("streamid")
        match jibri.get("action"):
            case "start":
                if not stream and jibri.get("recording_mode") != "file":
                    raise Refused("bad-request", "Stream ID is empty or undefined")
                if stream and jibri.get("recording_mode") == "file":
                    raise Refused("bad-request", "Stream ID is provided for a FILE recording.")
                more = {name: jibri.get(name) for name in (
                    "app_data", "you_tube_broadcast_id", "displayname") if jibri.get(name)}
                recording = await self.record(conference, stream, sender, more)
                return node(JIBRI, "jibri", {"session_id": recording.id})
            case "stop":
                found = next((one for one in self.recordings if one.room == conference.room), None)
                if found is None:
                    raise Refused("item-not-found", "Unknown session")
                found.stop(sender)
                return None
        raise Refused("bad-request", "undefined action")

    def _begin(self, work):
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def close(self):
        for one in list(self.recordings):
            one._stop_waiting()  # noqa: SLF001
        for task in list(self._tasks):
            task.cancel()
