public import HLS
public import MediaKernel

/// What happens to the low-latency streams on air, as their bots report it. The origin answers from
/// this, ahead of the files.
public protocol LiveEdgeFeed: Sendable {
    func began(_ stream: StreamID, _ shape: LiveEdgeShape)
    /// The part's file is in place.
    func published(_ part: LivePart, of stream: StreamID)
    /// The playlist that lists the segment is in place.
    func listed(segment: Int, layer: Int, of stream: StreamID)
    /// The bot has died. Its successor, if any, makes a segment of the parts so far, or begins it
    /// anew.
    func interrupted(_ stream: StreamID)
    /// The playlists have their end tags, or there is nothing left to play.
    func ended(_ stream: StreamID)
    /// A stream's directory below the root has been removed.
    func removed(_ directory: String)
    /// Ends requests that have waited for too long. Called several times a second.
    func timePassed(at now: Instant)
}

/// What never changes of a low-latency stream.
public struct LiveEdgeShape: Hashable, Sendable {
    /// Relative to the root of the output: `<room>/<id>`, or `<room>/.<id>` of a stream with signed
    /// addresses.
    public var directory: String
    /// The directories of its playlists, best layer first.
    public var layers: [String]
    public var partTarget: MediaTime
    /// How many parts a segment of the usual length has.
    public var partsPerSegment: Int

    public init(
        directory: String, layers: [String], partTarget: MediaTime, partsPerSegment: Int
    ) {
        self.directory = directory
        self.layers = layers
        self.partTarget = partTarget
        self.partsPerSegment = partsPerSegment
    }
}

/// A part whose file can be fetched.
public struct LivePart: Hashable, Sendable {
    public var layer: Int
    /// Its segment's media sequence number.
    public var segment: Int
    /// Its number in the segment, from 0.
    public var index: Int
    public var part: PartialSegment
    /// The head of its segment, with the segment's first part: all but its address and length.
    public var head: Segment?

    public init(
        layer: Int, segment: Int, index: Int, part: PartialSegment, head: Segment? = nil
    ) {
        self.layer = layer
        self.segment = segment
        self.index = index
        self.part = part
        self.head = head
    }
}
