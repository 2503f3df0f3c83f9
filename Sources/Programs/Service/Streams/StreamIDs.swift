import MediaKernel

/// Makes stream ids: 24 hexadecimal digits like 100ms'. The first twelve are the time in
/// milliseconds, the next four a counter. So ids sort by creation, and a list can continue after an
/// id even if its stream was removed.
struct StreamIDs {
    private var lastMilliseconds: Int64 = 0
    private var counter: UInt16 = 0

    mutating func next(at now: UnixTime, random: UInt32) -> StreamID {
        if now.milliseconds > lastMilliseconds {
            lastMilliseconds = now.milliseconds
            counter = 0
        } else if counter == .max {
            // The clock was set back, or 65536 streams began within one millisecond.
            lastMilliseconds += 1
            counter = 0
        } else {
            counter += 1
        }
        return StreamID(
            Hexadecimal.text(UInt64(lastMilliseconds)).suffix(12)
                + Hexadecimal.text(counter) + Hexadecimal.text(random))
    }

    /// Ensures that later ids sort after this one, even if the clock was set back.
    mutating func isTaken(_ id: StreamID) {
        guard let milliseconds = Int64(id.rawValue.prefix(12), radix: 16),
            milliseconds >= lastMilliseconds
        else { return }
        lastMilliseconds = milliseconds
        counter = .max
    }
}
