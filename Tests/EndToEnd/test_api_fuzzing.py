"""The short form of `make fuzz-api`: the server keeps to the description that it gives of itself."""

import random

import fuzz_api

SEED = 33


def check(tmp_path, *arguments):
    log = tmp_path / "schemathesis.log"
    with log.open("w") as file:
        status = fuzz_api.run(tmp_path, *arguments, output=file)
    said = log.read_text()
    assert status == 0, said[said.find("= FAILURES ="):]


def test_values_at_their_limits_and_beyond_are_answered_as_described(binary, tmp_path):
    check(tmp_path, SEED, 1, "examples,coverage")


def test_random_requests_are_answered_as_described(binary, tmp_path, record_property):
    seed = random.SystemRandom().randrange(1 << 31)
    record_property("seed", seed)
    check(tmp_path, seed, 4, "fuzzing", fuzz_api.FAULTS)
