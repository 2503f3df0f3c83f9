/// One track of a movie: its samples, and when they are shown. Times are in ticks of the track.
public struct MovieTrack: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// Luma samples.
        case video(width: UInt16, height: UInt16)
        case audio
    }

    /// Unique in the movie, from 1.
    public var id: UInt32
    public var kind: Kind
    /// Ticks per second.
    public var timescale: UInt32
    /// Of all samples.
    public var duration: UInt64
    /// How long the movie lasts already when the track begins.
    public var pause: UInt64
    /// How much of the samples, from their beginning, is not shown.
    public var skipped: UInt64
    /// How much of them is shown.
    public var shown: UInt64
    public var table: SampleTable
    /// By the numbers, from 1, that the table's chunks have.
    public var entries: [SampleEntry]
    /// Clockwise degrees by which players turn the picture: 0, 90, 180 or 270.
    public var rotation: Int

    public init(
        id: UInt32, _ kind: Kind, timescale: UInt32, duration: UInt64, pause: UInt64 = 0,
        skipped: UInt64 = 0, shown: UInt64, table: SampleTable, entries: [SampleEntry],
        rotation: Int = 0
    ) {
        self.id = id
        self.kind = kind
        self.timescale = timescale
        self.duration = duration
        self.pause = pause
        self.skipped = skipped
        self.shown = shown
        self.table = table
        self.entries = entries
        self.rotation = rotation
    }
}
