"""Who sends what: the sources of a conference, in the two encodings in which a focus tells them."""

import json
from dataclasses import dataclass, replace

from .jitsi_xml import JINGLE, MEET, RTP, SOURCES, node

BRIDGE = "jvb"  # the owner of those that only the bridge's feedback has


@dataclass(frozen=True)
class Source:
    """A stream that an endpoint sends. A picture that is sent again has another SSRC for that.
    `smaller` are the other sizes of a picture, best first, each as (SSRC, that for repairs)."""

    owner: str
    name: str
    kind: str
    ssrc: int
    msid: str
    repair: int | None = None
    is_screen: bool = False
    smaller: tuple = ()

    def streams(self):
        """As jicofo lists them: one for each SSRC, all with the same name."""
        return [replace(self, ssrc=ssrc) for size in self.sizes() for ssrc in size if ssrc]

    def sizes(self):
        """All that it is sent in, best first."""
        return [(self.ssrc, self.repair), *self.smaller]


def bridges(audio, video):
    """What a bridge says of itself."""
    return [Source(BRIDGE, f"jvb-{kind[0]}0", kind, ssrc, f"mixedmslabel mixedlabel{kind}0")
            for kind, ssrc in [("audio", audio), ("video", video)]]


def json_message(sources):
    """The compact encoding (ConferenceSourceMap.compactJson): for each endpoint an array of
    pictures, their groups, and sounds."""
    owners = {}
    for source in sources:
        pictures, groups, sounds = owners.setdefault(source.owner, ([], [], []))
        for stream in source.streams():
            said = {"s": stream.ssrc, "n": stream.name, "m": stream.msid}
            if stream.is_screen:
                said["v"] = "d"
            (pictures if source.kind == "video" else sounds).append(said)
        groups += [["f", *size] for size in source.sizes() if size[1]]
        if source.smaller:
            # The smallest one first, as lib-jitsi-meet has it.
            groups.append(["s", *(ssrc for ssrc, _ in reversed(source.sizes()))])
    return node(MEET, "json-message", text=json.dumps({"sources": owners}, separators=(",", ":")))


def descriptions(sources):
    """The children of each kind's `<description>` that name these sources, in XML."""
    found = {"audio": [], "video": []}
    for source in sources:
        found[source.kind] += [_source(stream) for stream in source.streams()]
    for source in sources:
        if source.repair:
            found[source.kind].append(node(
                SOURCES, "ssrc-group", {"semantics": "FID"},
                *(node(SOURCES, "source", {"ssrc": one.ssrc}) for one in source.streams())))
    return found


def _source(stream):
    shown = ("desktop" if stream.is_screen else "camera") if stream.kind == "video" else None
    if stream.owner == BRIDGE:
        shown = None
    return node(
        SOURCES, "source", {"ssrc": stream.ssrc, "name": stream.name, "videoType": shown},
        node(MEET, "ssrc-info", {"owner": stream.owner}),
        node(SOURCES, "parameter", {"name": "msid", "value": stream.msid}))


def contents(sources):
    """`<content>` elements with these sources alone, as in source-add and source-remove."""
    return [
        node(JINGLE, "content", {"name": kind, "creator": "initiator"},
             node(RTP, "description", {"media": kind}, *children))
        for kind, children in descriptions(sources).items() if children]


def read_json(text):
    """The sources of the compact encoding."""
    found = []
    for owner, parts in json.loads(text)["sources"].items():
        pictures, groups, sounds = (parts + [[], [], []])[:3]
        repairs = {group[1]: group[2] for group in groups if group[0] == "f"}
        for kind, streams in [("video", pictures), ("audio", sounds)]:
            found += [
                Source(owner, one["n"], kind, one["s"], one.get("m", ""), repairs.get(one["s"]),
                       one.get("v") == "d")
                for one in streams if one["s"] not in repairs.values()]
    return found


def read_description(kind, description):
    """The sources of a `<description>`."""
    repairs = {}
    for group in description.findall(f"{{{SOURCES}}}ssrc-group"):
        if group.get("semantics") == "FID":
            first, second = [int(one.get("ssrc")) for one in group]
            repairs[first] = second
    return [
        Source(one.find(f"{{{MEET}}}ssrc-info").get("owner"), one.get("name"), kind,
               int(one.get("ssrc")), one.find(f"{{{SOURCES}}}parameter").get("value"),
               repairs.get(int(one.get("ssrc"))), one.get("videoType") == "desktop")
        for one in description.findall(f"{{{SOURCES}}}source")
        if int(one.get("ssrc")) not in repairs.values()]
