"""A client that reloads low-latency playlists as players do, and checks each by the rules."""

import time

from .low_latency import Watch

RESTING = 0.05  # s between requests while there is no bot


def follow(server, path, seconds, others):
    """Reloads a playlist as a player does: with the next part's number, and for what is new."""
    watch = Watch(others)
    watch.observe(server.http.get(path).body.decode())
    watch.began = watch.whole.newest
    deadline, waits = time.monotonic() + seconds, []
    while time.monotonic() < deadline and not watch.whole.is_ended:
        number, part = watch.whole.newest
        number, part = (number, part + 1)
        asked = time.monotonic()
        answer = server.http.get(
            f"{path}?_HLS_msn={number}&_HLS_part={part}&_HLS_skip=YES",
            headers={"Accept-Encoding": "identity"})
        if answer.status == 503:  # its bot has died
            time.sleep(RESTING)
            continue
        assert answer.status == 200, (number, part, answer)
        waits.append(time.monotonic() - asked)
        watch.observe(answer.body.decode(), number, part)
    return watch, waits


def made(watch):
    """How many parts have come since the beginning."""
    (first, part), (last, latest) = watch.began, watch.whole.newest
    of_each = max(len(one.parts) for one in watch.known.values())
    return (last - first) * of_each + latest - part
