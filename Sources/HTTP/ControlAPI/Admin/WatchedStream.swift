public import Streams

/// A stream with what its bot reports of itself.
public struct WatchedStream: Hashable, Sendable {
    public var stream: LiveStream
    public var load: StreamFigures

    public init(_ stream: LiveStream, load: StreamFigures) {
        self.stream = stream
        self.load = load
    }
}

/// What a stream takes and makes now. Figures that are not known are nil.
public struct StreamFigures: Hashable, Sendable {
    /// Bits per second of each layer, best first.
    public var bitrates: [Int?]
    /// Cores that the bot uses.
    public var cores: Double?
    /// The most memory that the bot has had, in bytes.
    public var memory: Int64?
    /// Bytes of all segments that its bots of this server have made.
    public var written: Int64

    public init(
        bitrates: [Int?] = [], cores: Double? = nil, memory: Int64? = nil, written: Int64 = 0
    ) {
        self.bitrates = bitrates
        self.cores = cores
        self.memory = memory
        self.written = written
    }
}
