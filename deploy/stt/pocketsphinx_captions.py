#!/usr/bin/env python3
"""Captions in English by pocketsphinx: an example for captions.stt.command (docs/CAPTIONS.md).

    python3 -m venv /opt/stt && /opt/stt/bin/pip install pocketsphinx==5.1.1
    ROOMCAST_CAPTIONS_STT_COMMAND=/opt/stt/bin/python3,/opt/stt/pocketsphinx_captions.py

Its model comes with it. It is small and often wrong; what counts here is the shape: replace `Ear` by
a better recognizer."""

import json
import struct
import sys

from pocketsphinx import Decoder, Endpointer

HEADER = struct.Struct("<4sIqI")  # kind, speaker, time in ms, bytes of the payload
RATE = 16_000  # samples of 16 bits, per second
GAP = 200  # ms; more between two frames is a silence that was not sent


def frames(source):
    """Kind, speaker, time and payload of each frame."""
    while len(header := source.read(HEADER.size)) == HEADER.size:
        kind, speaker, time, count = HEADER.unpack(header)
        payload = source.read(count)
        if len(payload) < count:
            return
        yield kind, speaker, time, payload


class Ear:
    """Listens to one speaker."""

    def __init__(self, speaker):
        self.speaker = speaker
        self.decoder = Decoder(samprate=RATE, loglevel="FATAL")
        self.begin(0)

    def begin(self, time):
        """Forgets what was heard: the next sample is of this time, in ms."""
        self.endpointer = Endpointer(sample_rate=RATE)
        self.start = time
        self.heard = 0  # bytes
        self.rest = b""

    def hear(self, time, sound):
        due = self.start + self.heard * 1000 // (2 * RATE)
        if abs(time - due) > GAP:
            self.end()
            self.begin(time)
        self.heard += len(sound)
        self.rest += sound
        size = self.endpointer.frame_bytes
        while len(self.rest) >= size:
            frame, self.rest = self.rest[:size], self.rest[size:]
            self.take(frame, self.endpointer.process)

    def take(self, frame, process):
        was_speaking = self.endpointer.in_speech
        speech = process(frame)
        if speech is None:
            return
        if not was_speaking:
            self.decoder.start_utt()
        self.decoder.process_raw(speech, no_search=False, full_utt=False)
        if not self.endpointer.in_speech:
            self.tell()

    def end(self):
        """What is being said ends here."""
        if self.endpointer.in_speech:
            self.take(self.rest, self.endpointer.end_stream)

    def tell(self):
        self.decoder.end_utt()
        found = self.decoder.hyp()
        if found is None or not found.hypstr.strip():
            return
        print(json.dumps({
            "speaker": self.speaker, "text": found.hypstr,
            "start_ms": self.start + round(self.endpointer.speech_start * 1000),
            "end_ms": self.start + round(self.endpointer.speech_end * 1000)}), flush=True)


def main():
    ears = {}
    for kind, speaker, time, payload in frames(sys.stdin.buffer):
        if kind == b"SPKR":
            ears[speaker] = Ear(speaker)
        elif kind == b"PCM " and speaker in ears:
            ears[speaker].hear(time, payload)
        elif kind == b"DONE" and speaker in ears:
            ears.pop(speaker).end()


if __name__ == "__main__":
    main()
