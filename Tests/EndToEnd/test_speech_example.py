"""The example of a program that recognizes speech, with a recognizer and speech that is synthesized."""

import json
import struct
import subprocess
import sys

import pytest

from harness.server import REPOSITORY

PROGRAM = REPOSITORY / "deploy/stt/pocketsphinx_captions.py"
RATE = 16_000
CHUNK = RATE // 10 * 2  # bytes of a tenth of a second
BEGIN = 1_796_000_000_000  # ms
SILENCE = 1500  # ms
STRAY = 600  # ms by which a line may begin or end elsewhere


def frame(kind, speaker, time, payload):
    return struct.pack("<4sIqI", kind, speaker, time, len(payload)) + payload


@pytest.fixture
def sentence():
    """Someone says something; 16 kHz, 16 bits."""
    spoken = subprocess.run(["espeak-ng", "-v", "en-us", "--stdout", "Good morning. How are you?"],
                            check=True, capture_output=True).stdout
    return subprocess.run(
        ["ffmpeg", "-v", "error", "-i", "-", "-ac", "1", "-ar", str(RATE), "-f", "s16le", "-"],
        input=spoken, check=True, capture_output=True).stdout


def test_what_is_said_becomes_lines_with_their_times(sentence):
    length = len(sentence) * 1000 // (2 * RATE)
    silence = bytes(SILENCE * RATE // 1000 * 2)
    # A second sentence comes after a time in which nothing was sent.
    starts = [BEGIN, BEGIN + 20_000]
    written = frame(b"SPKR", 7, 0, json.dumps({"peer_id": "p", "peer_name": "Ann"}).encode())
    for start in starts:
        sound = silence + sentence + silence
        for at in range(0, len(sound), CHUNK):
            written += frame(b"PCM ", 7, start + at * 1000 // (2 * RATE), sound[at:at + CHUNK])
    written += frame(b"DONE", 7, 0, b"")
    done = subprocess.run([sys.executable, PROGRAM], input=written, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines and all(one["speaker"] == 7 and one["text"].strip() for one in lines)
    for start in starts:
        said = [one for one in lines if start <= one["start_ms"] < start + 20_000]
        assert abs(said[0]["start_ms"] - start - SILENCE) < STRAY, lines
        assert abs(said[-1]["end_ms"] - start - SILENCE - length) < STRAY, lines
        assert all(one["start_ms"] < one["end_ms"] for one in said)
