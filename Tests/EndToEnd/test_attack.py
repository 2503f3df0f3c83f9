"""The short form of `make attack`."""

import random

from attack.siege import SHARED_WORST_MAXIMUM, Siege

SECONDS = 20


def test_a_healthy_stream_and_other_rooms_notice_no_attack(binary, tmp_path, record_property):
    seed = random.SystemRandom().randrange(1 << 32)
    record_property("seed", seed)
    Siege(tmp_path, seed, SECONDS, worst_maximum=SHARED_WORST_MAXIMUM).run()
