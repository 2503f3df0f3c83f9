import MediaKernel

/// Makes stream ids: 24 hexadecimal digits like 100ms', of which the first twelve are the time in
/// milliseconds and the next four a counter. So they sort by creation, which makes an id a good
/// place to continue a list from, also when the stream it named is forgotten.
struct StreamIDs {
    private var lastMilliseconds: Int64 = 0
    private var counter: UInt16 = 0

    mutating func next(at now: UnixTime, random: UInt32) -> StreamID {
        if now.milliseconds > lastMilliseconds {
            lastMilliseconds = now.milliseconds
            counter = 0
        } else if counter == .max {
            // The clock was set back, or 65536 streams began within a millisecond.
            lastMilliseconds += 1
            counter = 0
        } else {
            counter += 1
        }
        return StreamID(
            Hexadecimal.text(UInt64(lastMilliseconds)).suffix(12)
                + Hexadecimal.text(counter) + Hexadecimal.text(random))
    }

    /// Ids that come are behind this one, also when the clock was set back.
    mutating func isTaken(_ id: StreamID) {
        guard let milliseconds = Int64(id.rawValue.prefix(12), radix: 16),
            milliseconds >= lastMilliseconds
        else { return }
        lastMilliseconds = milliseconds
        counter = .max
    }
}
