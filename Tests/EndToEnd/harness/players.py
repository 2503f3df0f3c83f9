"""Players that others wrote: VLC and GStreamer, with demuxers of their own, and mpv.

`play(player, url, seconds, folder)` plays that much, or to the end if that comes first, and returns
what was rendered. VLC counts on its own; it refuses to run as root.
"""

import contextlib
import json
import os
import re
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

GST_PLAYER = Path(__file__).with_name("gst_player.py")
BLOCK = 1024 / 48000  # s of sound in a block of AAC
TIMEOUT = 180  # s; real time, and what a starved machine takes
UNPRIVILEGED = 65534  # nobody
# It reads the initialization section again at each reload of a playlist, and takes a fragment behind
# a discontinuity, whose times begin anew, for what an edit list leaves out (docs/design/cmaf.md).
LIBAVFORMAT = ("duplicated MOOV", "Edit lists")


@dataclass
class Played:
    pictures: int
    sound: float  # s
    complaints: list


def gstreamer(url, seconds, _):
    done = subprocess.run(
        ["/usr/bin/python3", GST_PLAYER, url, str(seconds)], capture_output=True, text=True,
        timeout=TIMEOUT, check=True)
    shown = json.loads(done.stdout)
    return Played(shown["pictures"], shown["sound"], [one for one in [shown["error"]] if one])


def mpv(url, seconds, folder):
    log = folder / "mpv.log"
    done = subprocess.run(
        ["mpv", "--no-config", "--no-terminal", "--vo=null", "--ao=null", f"--length={seconds}",
         "--vf=lavfi=[showinfo]", "--af=lavfi=[ashowinfo]", f"--log-file={log}", url],
        timeout=TIMEOUT, check=False)
    lines = log.read_text().splitlines()
    complaints = [line for line in lines if re.match(r"\[ *[\d.]+\]\[[ef]\]", line)
                  and not any(known in line for known in LIBAVFORMAT)]
    if done.returncode:
        complaints.append(f"exit status {done.returncode}")
    count = {kind: sum(f"Parsed_{kind}_" in line and " pts_time:" in line for line in lines)
             for kind in ("showinfo", "ashowinfo")}
    return Played(count["showinfo"], count["ashowinfo"] * BLOCK, complaints)


class VLC:
    """Driven by its command line. It answers on standard output, but nothing before it has opened
    the address."""

    def __init__(self, url, folder):
        folder.chmod(0o777)
        who = {"user": UNPRIVILEGED, "group": UNPRIVILEGED, "extra_groups": []}
        self.counts = {}  # the largest of each: at the end they begin anew
        self.process = subprocess.Popen(
            ["cvlc", "--no-color", "--intf", "rc", "--rc-fake-tty", "--vout", "dummy", "--aout",
             "adummy", url], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, env=os.environ | {"HOME": str(folder)},
            **(who if os.geteuid() == 0 else {}))
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            if found := re.match(r"\| ([a-z ]+): +(\d+)$", line):
                name, count = found[1].strip(), int(found[2])
                self.counts[name] = max(count, self.counts.get(name, 0))

    def ask(self, command):
        self.process.stdin.write(f"{command}\n")
        self.process.stdin.flush()

    def close(self):
        self.process.kill()
        self.process.wait()


def vlc(url, seconds, folder):
    with contextlib.closing(VLC(url, folder)) as player:
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            player.ask("stats")
            time.sleep(0.1)
            if player.counts.get("buffers played", 0) * BLOCK >= seconds:
                break
    complaints = [f"{name}: {player.counts[name]}" for name in ["demux corrupted"]
                  if player.counts.get(name)]
    return Played(player.counts.get("frames displayed", 0),
                  player.counts.get("buffers played", 0) * BLOCK, complaints)


PLAYERS = {"gstreamer": gstreamer, "mpv": mpv, "vlc": vlc}


def play(player, url, seconds, folder):
    folder.mkdir(parents=True)
    return PLAYERS[player](url, seconds, folder)
