#!/usr/bin/env python3
"""Two people enter a room, over and over, until one does not see the other.

    Tests/EndToEnd/entrances.py [--minutes 10] [--pairs 3]

Each pair has a server and a browser of its own; several at once make the machine as busy as such a
fault needs. What both pages and the server know of a fault is printed; the exit status is then 1.
"""

import argparse
import json
import multiprocessing
import os
import pathlib
import sys
import tempfile
import time

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from harness import chromium  # noqa: E402
from harness.server import Server  # noqa: E402

PATIENCE = 30  # s; a picture comes within three on a busy machine
# What a page says on its data channels, with the time since its start in ms.
KEEP_SENT = """
window.sentTexts = [];
const send = RTCDataChannel.prototype.send;
RTCDataChannel.prototype.send = function (text) {
  window.sentTexts.push([Math.round(performance.now()), text]);
  return send.call(this, text);
};
"""
KNOWN = """async () => ({
  sent: window.sentTexts,
  told: window.channelTexts.filter((text) => !/active-speakers|quality/.test(text)),
  sections: window.connections.map((one) => one.getTransceivers().map(
    ({ mid, currentDirection, receiver: { track } }) => [mid, currentDirection, track.kind, track.muted])),
})"""
OUTGOING = ("rid", "framesEncoded", "keyFramesEncoded", "packetsSent", "pliCount", "firCount", "active")


def describe(person):
    """What a page knows, and what it sends and receives."""
    known = person.page.evaluate(KNOWN)
    known["outgoing"] = [
        {key: one.get(key) for key in OUTGOING} for one in person.outbound("video")]
    known["incoming"] = {
        kind: [one.get("packetsReceived") for one in person.inbound(kind)]
        for kind in ("audio", "video")}
    return json.dumps(known, indent=1)


def enter_again_and_again(pair, until, binary):
    """Ends with 1 at a fault."""
    with tempfile.TemporaryDirectory(prefix="roomcast-entrances-") as directory:
        server = Server(pathlib.Path(directory), binary=pathlib.Path(binary),
                        settings={"ROOMCAST_LOG_LEVEL": "debug"})
        try:
            with sync_playwright() as playwright, chromium.launched(playwright) as browser:
                count = 0
                while time.monotonic() < until:
                    room = f"pair-{pair}-{count}"
                    ben, cleo = (
                        chromium.Participant(browser, server, room, name, script=KEEP_SENT)
                        for name in ("Ben", "Cleo"))
                    try:
                        cleo.wait_for_picture_of("Ben", PATIENCE)
                    except AssertionError as error:
                        print(f"pair {pair}, entrance {count}: {error}\nBen: {describe(ben)}\n"
                              f"Cleo: {describe(cleo)}", flush=True)
                        lines = server.log.read_text().splitlines()
                        print("\n".join(line for line in lines if room in line), flush=True)
                        sys.exit(1)
                    cleo.close()
                    ben.close()
                    count += 1
                print(f"pair {pair}: {count} entrances", flush=True)
        finally:
            server.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--pairs", type=int, default=3)
    arguments = parser.parse_args()
    until = time.monotonic() + arguments.minutes * 60
    binary = os.environ.get("ROOMCAST_BINARY", ".build/release/roomcast")
    pairs = []
    for pair in range(arguments.pairs):
        pairs.append(multiprocessing.Process(
            target=enter_again_and_again, args=(pair, until, binary)))
        pairs[-1].start()
        time.sleep(2)  # each server looks for free ports
    for one in pairs:
        one.join()
    sys.exit(any(one.exitcode for one in pairs))


if __name__ == "__main__":
    main()
