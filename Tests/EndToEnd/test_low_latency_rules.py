"""The rules that playlists of low-latency HLS must obey, tried on playlists that break them."""

import pytest

from harness.low_latency import Watch, faults, parse

HEAD = """#EXTM3U
#EXT-X-VERSION:10
#EXT-X-TARGETDURATION:2
#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.5,CAN-SKIP-UNTIL=12.0
#EXT-X-PART-INF:PART-TARGET=0.5
#EXT-X-MEDIA-SEQUENCE:7
"""
PART = '#EXT-X-PART:DURATION=0.5,URI="part_{}_{}.m4s"{}\n'
BODY = ("#EXT-X-MAP:URI=\"init.mp4\"\n#EXT-X-PROGRAM-DATE-TIME:2026-02-03T04:05:06.000Z\n"
        + "".join(PART.format(7, k, ",INDEPENDENT=YES" if k == 0 else "") for k in range(4))
        + "#EXTINF:2.0,\nsegment_7.m4s\n" + PART.format(8, 0, ",INDEPENDENT=YES"))
GOOD = HEAD + BODY + '#EXT-X-PRELOAD-HINT:TYPE=PART,URI="part_8_1.m4s"\n'


def test_a_playlist_by_the_rules_has_no_faults():
    assert faults(parse(GOOD)) == []
    watch = Watch()
    watch.observe(GOOD)
    later = HEAD + BODY + PART.format(8, 1, "") + '#EXT-X-PRELOAD-HINT:TYPE=PART,URI="part_8_2.m4s"\n'
    watch.observe(later, 8, 1)
    assert watch.faults == [] and watch.unkept == 0 and watch.whole.newest == (8, 1)


@pytest.mark.parametrize(("old", "new", "fault"), [
    ("PART-HOLD-BACK=1.5", "PART-HOLD-BACK=1.2", "three parts"),
    ("CAN-SKIP-UNTIL=12.0", "CAN-SKIP-UNTIL=11.0", "six segments"),
    ("CAN-BLOCK-RELOAD=YES,", "", "blocking"),
    ('DURATION=0.5,URI="part_7_1', 'DURATION=0.6,URI="part_7_1', "longer than PART-TARGET"),
    ('DURATION=0.5,URI="part_7_1', 'DURATION=0.4,URI="part_7_1', "85 %"),
    ("#EXTINF:2.0", "#EXTINF:1.9", "last 2.000 s of 1.900 s"),
    ("#EXTINF:2.0", '#EXT-X-DISCONTINUITY\n#EXTINF:2.0', "behind a part"),
    ('#EXT-X-PRELOAD-HINT', '#EXT-X-PRELOAD-HINT:TYPE=PART,URI="a"\n#EXT-X-PRELOAD-HINT', "hints"),
    ("YES\n#EXT-X-PRELOAD", "YES\n#EXT-X-ENDLIST\n#EXT-X-PRELOAD", "hints"),
    (",INDEPENDENT=YES\n#EXT-X-PRE", "\n#EXT-X-PRE", "dependent"),
])
def test_each_breach_is_found(old, new, fault):
    assert GOOD.count(old) == 1
    found = faults(parse(GOOD.replace(old, new)))
    assert any(fault in one for one in found), found


def test_breaches_from_reload_to_reload_are_found():
    for old, new, fault in [
        ("segment_7.m4s", "segment_x.m4s", "was"), ("PART-TARGET=0.5", "PART-TARGET=0.6", "part_target"),
        ("SEQUENCE:7", "SEQUENCE:6", "gone back"), ("VERSION:10", "VERSION:9", "version"),
    ]:
        watch = Watch()
        watch.observe(GOOD)
        watch.observe(GOOD.replace(old, new))
        assert any(fault in one for one in watch.faults), (fault, watch.faults)
    watch = Watch()
    watch.observe(GOOD)
    watch.observe(GOOD, 8, 1)
    assert any("no part 8.1" in one for one in watch.faults)
