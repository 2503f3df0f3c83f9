import Matroska

/// The relation between a file's media time and the common clock, from the notes that its bot made.
///
/// Early notes are worth less: a sender's reports come later than its first frames. And clocks
/// drift: a microphone's by up to some 100 ppm, half a second in an hour and a half.
struct TrackClockFit: Hashable {
    struct Note: Hashable {
        /// In ticks.
        var media: Int64
        /// In nanoseconds of the common clock.
        var capture: Int64
    }

    /// When media time 0 was captured, in nanoseconds.
    let start: Int64
    /// Seconds of the common clock in a second of media, less 1.
    let drift: Double

    /// Drift is measured only over more than this, in ticks: the notes themselves are accurate to
    /// some milliseconds.
    private static let spanMinimum = 180 * LiveMatroska.timescale
    /// No crystal is worse.
    private static let driftMaximum = 0.0005
    private static let nanosecondsPerTick = 1_000_000_000 / LiveMatroska.timescale

    /// - Parameter notes: in the order in which they were made; at least one.
    init(_ notes: [Note]) {
        let offsets = notes.map { $0.capture - $0.media * Self.nanosecondsPerTick }
        // The second half, or all of few.
        let late = Array(zip(notes, offsets).dropFirst(notes.count > 2 ? notes.count / 2 : 0))
        let span = (late.last?.0.media ?? 0) - (late.first?.0.media ?? 0)
        guard span >= Self.spanMinimum, late.count >= 8 else {
            start = Self.median(late.map(\.1))
            drift = 0
            return
        }
        let quarter = late.count / 4
        let (head, tail) = (late.prefix(quarter), late.suffix(quarter))
        let rise = Self.median(tail.map(\.1)) - Self.median(head.map(\.1))
        let run =
            (Self.median(tail.map(\.0.media)) - Self.median(head.map(\.0.media)))
            * Self.nanosecondsPerTick
        let measured = Double(rise) / Double(max(1, run))
        let drift = min(max(measured, -Self.driftMaximum), Self.driftMaximum)
        self.drift = drift
        start = Self.median(
            late.map { note, offset in
                offset - Int64(Double(note.media * Self.nanosecondsPerTick) * drift)
            })
    }

    /// Media time with the drift taken out, in ticks of any timescale.
    func scaled(_ media: Int64, to timescale: Int64) -> Int64 {
        let exact =
            Double(media) * (1 + drift) * Double(timescale) / Double(LiveMatroska.timescale)
        return Int64(exact.rounded())
    }

    private static func median(_ values: [Int64]) -> Int64 {
        guard !values.isEmpty else { return 0 }
        return values.sorted()[values.count / 2]
    }
}
