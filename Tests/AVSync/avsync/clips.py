"""The features that distinguish the fixtures' clips, as made by fixtures/make-media.sh."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Clip:
    name: str
    colour: tuple  # RGB of the background
    pitch: int  # Hz


PERIOD = 1.0  # s from flash to flash, and from beep to beep

CLIPS = (
    Clip("ann", (0xB0, 0x3A, 0x3A), 1000),
    Clip("ben", (0x2F, 0x8A, 0x45), 1500),
    Clip("cleo", (0x33, 0x58, 0xB8), 2000),
    Clip("dora", (0xB8, 0x96, 0x20), 2700),
)
