"""The short form of `make validate-stream`."""

import validate_stream

WATCHED = 30  # s


def test_a_stream_obeys_the_rules_past_its_bots_death(server):
    wrong, seen = validate_stream.validate(server, WATCHED)
    print(seen)
    assert wrong == []
    assert len(seen) == 2 and all(one["fetched"] > 20 for one in seen)
