"""Measures how well sound and picture of the flash-and-beep clips (fixtures/) stay together."""

from .clips import CLIPS, Clip
from .measurement import CannotMeasure, Measurement, measure
from .statistics import Thresholds

__all__ = ["CLIPS", "CannotMeasure", "Clip", "Measurement", "Thresholds", "measure"]
