"""Damages bytes and JSON in ways that a seed decides."""

import copy

# Lengths and counts at the edges of what fields hold.
EDGES = [0, 1, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF]
VALUES = [None, True, -1, 0, 1e308, 2**63, "", "\u0000", "\ud83d\udca9" * 8, "A" * 10_000, [], {}, [[]],
          {"a": {"a": {"a": None}}}]


class Mutator:
    def __init__(self, random):
        self.random = random

    def bytes(self, data, others=(b"",)):
        """`data` with one to four damages; `others` are spliced into it."""
        data = bytearray(data)
        for _ in range(self.random.randint(1, 4)):
            getattr(self, self.random.choice(
                ["_flip", "_cut", "_repeat", "_insert", "_edge", "_splice"]))(data, others)
        return bytes(data)

    def _at(self, data):
        return self.random.randrange(len(data) + 1)

    def _flip(self, data, _):
        for _ in range(self.random.randint(1, 8) if data else 0):
            data[self.random.randrange(len(data))] ^= 1 << self.random.randrange(8)

    def _cut(self, data, _):
        begin = self._at(data)
        del data[begin:begin + self.random.choice([1, 4, 64, len(data) + 1])]

    def _repeat(self, data, _):
        begin = self._at(data)
        part = data[begin:begin + self.random.choice([1, 4, 64])]
        data[begin:begin] = part * self.random.choice([1, 10, 200])

    def _insert(self, data, _):
        at = self._at(data)
        data[at:at] = self.random.randbytes(self.random.choice([1, 2, 8, 100]))

    def _edge(self, data, _):
        size = self.random.choice([1, 2, 4])
        at = self._at(data)
        data[at:at + size] = (self.random.choice(EDGES) & (1 << 8 * size) - 1).to_bytes(size, "big")

    def _splice(self, data, others):
        other = self.random.choice(others)
        begin = self.random.randrange(len(other) + 1)
        at = self._at(data)
        data[at:] = other[begin:]

    def json(self, value):
        """`value` with one to three of its parts replaced, removed or repeated."""
        value = copy.deepcopy(value)
        for _ in range(self.random.randint(1, 3)):
            holders = list(_holders(value))
            if not holders:
                break
            holder, key = self.random.choice(holders)
            how = self.random.randrange(4)
            if how == 0:
                holder[key] = copy.deepcopy(self.random.choice(VALUES))
            elif how == 1:
                del holder[key]
            elif how == 2 and isinstance(holder[key], str):
                text = holder[key].encode("utf-8", "surrogatepass")
                holder[key] = self.bytes(text).decode("utf-8", "replace")
            else:
                holder[key] = [holder[key]] * self.random.choice([2, 30])
        return value


def _holders(value):
    """Each place of a JSON value, as its container and its key there."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(
        value, list) else ()
    for key in list(keys):
        yield value, key
        yield from _holders(value[key])
