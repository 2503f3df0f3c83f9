"""Fragmented MP4, taken apart and cut into shorter fragments."""

from dataclasses import dataclass, field

NESTED = {b"moof", b"traf", b"moov", b"trak", b"mdia"}


def boxes(data, begin=0, end=None):
    """(type, where its content begins, where it ends), nested ones after their box."""
    end = len(data) if end is None else end
    while begin + 8 <= end:
        size = int.from_bytes(data[begin:begin + 4])
        kind = data[begin + 4:begin + 8]
        yield kind, begin + 8, begin + size
        if kind in NESTED:
            yield from boxes(data, begin + 8, begin + size)
        begin += size


@dataclass
class Sample:
    time: int
    duration: int
    size: int
    flags: int
    offset: int
    data: bytes = b""


@dataclass
class Run:
    track: int
    samples: list = field(default_factory=list)


def timescales(init):
    """By track: (timescale, whether it is the picture)."""
    found, track = {}, None
    for kind, begin, _ in boxes(init):
        wide = init[begin] == 1
        if kind == b"tkhd":
            track = int.from_bytes(init[(at := begin + (20 if wide else 12)):at + 4])
        elif kind == b"mdhd":
            scale = int.from_bytes(init[(at := begin + (20 if wide else 12)):at + 4])
        elif kind == b"hdlr":
            found[track] = (scale, init[begin + 8:begin + 12] == b"vide")
    return found


def runs(fragment):
    """The runs of one fragment, whose offsets count from its first byte."""
    found, time = [], 0
    for kind, begin, _ in boxes(fragment):
        def number(at, size=4, signed=False):
            return int.from_bytes(fragment[at:at + size], signed=signed)

        flags = number(begin) & 0xFFFFFF
        at = begin + 4
        if kind == b"tfhd":
            track, at = number(at), at + 4
            defaults = [0, 0, 0]  # duration, size, flags
            at += 8 * bool(flags & 1) + 4 * bool(flags & 2)
            for index, flag in enumerate((8, 16, 32)):
                if flags & flag:
                    defaults[index], at = number(at), at + 4
        elif kind == b"tfdt":
            time = number(at, 8 if fragment[begin] == 1 else 4)
        elif kind == b"trun":
            count, at = number(at), at + 4
            place = number(at, signed=True)
            at += 4
            first = None
            if flags & 4:
                first, at = number(at), at + 4
            run = Run(track)
            for index in range(count):
                values = list(defaults)
                for slot, flag in enumerate((0x100, 0x200, 0x400)):
                    if flags & flag:
                        values[slot], at = number(at), at + 4
                offset = 0
                if flags & 0x800:
                    offset, at = number(at, signed=fragment[begin] == 1), at + 4
                if index == 0 and first is not None:
                    values[2] = first
                run.samples.append(Sample(time, *values, offset, fragment[place:place + values[1]]))
                time += values[0]
                place += values[1]
            found.append(run)
    return found


def box(kind, *content):
    body = b"".join(content)
    return (8 + len(body)).to_bytes(4) + kind + body


def fragment(number, parts, shifts):
    """A fragment of these runs; `shifts` are added to the times, by track."""
    def moof(places):
        return box(b"moof", box(b"mfhd", bytes(4), number.to_bytes(4)), *(
            box(b"traf", box(b"tfhd", b"\0\2\0\0", run.track.to_bytes(4)),
                box(b"tfdt", b"\1\0\0\0", (run.samples[0].time + shifts[run.track]).to_bytes(8)),
                box(b"trun", b"\1\0\x0f\1", len(run.samples).to_bytes(4), place.to_bytes(4), *(
                    one.duration.to_bytes(4) + one.size.to_bytes(4) + one.flags.to_bytes(4)
                    + one.offset.to_bytes(4, signed=True) for one in run.samples)))
            for run, place in zip(parts, places, strict=True)))

    place, places = len(moof([0] * len(parts))) + 8, []
    for run in parts:
        places.append(place)
        place += sum(one.size for one in run.samples)
    return moof(places) + box(b"mdat", *(one.data for run in parts for one in run.samples))


def cut(data, scales, frames):
    """Lists of runs: so many pictures each, with the sound until the next ones."""
    whole = runs(data)
    picture = next(run for run in whole if scales[run.track][1])
    others = [run for run in whole if run is not picture]
    found = []
    for first in range(0, len(picture.samples), frames):
        rest = picture.samples[first + frames:]
        until = rest[0].time / scales[picture.track][0] if rest else float("inf")
        part = [Run(picture.track, picture.samples[first:first + frames])]
        for run in others:
            count = sum(one.time / scales[run.track][0] < until for one in run.samples)
            taken, run.samples = run.samples[:count], run.samples[count:]
            if taken:
                part.append(Run(run.track, taken))
        found.append(part)
    return found
