public import MediaKernel

/// Starts, stops and knows the live streams, and the recordings without one. The control API asks
/// it; `Service` implements it.
public protocol LiveStreamControl: Sendable {
    /// Puts each variant of the request on air. A variant that is already on air is answered with
    /// its running stream, so that a repeated start changes nothing. A room has one recording at a
    /// time, beside its live streams.
    ///
    /// - Parameter startedBy: the peer who asked, nil when a server did.
    /// - Returns: one stream per variant, in the request's order; all or none are started.
    func start(
        room: RoomID, _ request: LiveStreamRequest, startedBy: PeerID?
    ) async throws(LiveStreamError) -> [LiveStream]

    /// Stops the streams of a room that are of this kind.
    ///
    /// - Parameter metadata: of the variants that are meant; nil for all.
    /// - Returns: the streams that were on air; when there were none, the room's latest stream.
    /// - Throws: `notFound` when the room never had one.
    func stop(
        room: RoomID, kind: LiveStream.Kind, metadata: Set<String>?, stoppedBy: PeerID?
    ) async throws(LiveStreamError) -> [LiveStream]

    /// Stops one stream. Stopping what is stopped is answered with its record.
    func stop(stream: StreamID, stoppedBy: PeerID?) async throws(LiveStreamError) -> LiveStream

    /// Changes a stream that is on air: all of what the change names, or nothing.
    ///
    /// - Throws: `invalidLayout`, `notOnAir`, `notFound`.
    func update(
        stream: StreamID, _ change: LiveStreamChange
    ) async throws(LiveStreamError) -> LiveStream

    /// Leaves what is shown from now on out of the assets, or has it in them again. What is so
    /// already stays so.
    ///
    /// - Throws: `notRecorded`, `notOnAir`, `notFound`.
    func setRecording(
        stream: StreamID, isPaused: Bool
    ) async throws(LiveStreamError) -> LiveStream

    /// Lists what players are to do in the stream's playlists, from the segment of this moment on:
    /// all of it, or nothing.
    ///
    /// - Parameter addedBy: the peer who asked, nil when a server did.
    /// - Throws: `notRunning`, `tooFast`, `tooMuchTimedMetadata`, `notFound`, `storage`.
    func addTimedMetadata(
        _ requests: [TimedMetadataRequest], to stream: StreamID, addedBy: PeerID?
    ) async throws(LiveStreamError) -> LiveStream

    /// Whether the server is being stopped, so that no stream begins any more.
    var isShuttingDown: Bool { get async }

    /// Checks that the directories of streams and recordings are still those that they were.
    ///
    /// - Throws: `storage`.
    func checkStorage() async throws(LiveStreamError)

    /// - Throws: `catalogue`, as all that looks for streams may.
    func stream(_ id: StreamID) async throws(LiveStreamError) -> LiveStream?

    /// Newest first.
    func streams(_ query: LiveStreamQuery) async throws(LiveStreamError) -> LiveStreamPage

    /// The room's live streams of which something can be fetched. Asks nothing but what is in memory.
    func running(in room: RoomID) async -> [LiveStream]

    /// The newest of the room's streams of this kind that is on air, or else the latest: what a
    /// viewer of the room is to be shown.
    func current(
        room: RoomID, kind: LiveStream.Kind
    ) async throws(LiveStreamError) -> LiveStream?
}

extension LiveStreamControl {
    /// Stops all streams of a room that are of this kind.
    public func stop(
        room: RoomID, kind: LiveStream.Kind, stoppedBy: PeerID?
    ) async throws(LiveStreamError) -> [LiveStream] {
        try await stop(room: room, kind: kind, metadata: nil, stoppedBy: stoppedBy)
    }
}

/// A filter and a page. Nil fields match everything.
public struct LiveStreamQuery: Hashable, Sendable {
    public enum Subject: Hashable, Sendable {
        case liveStreams
        /// Everything of which something is kept, with a live stream or without.
        case recordings
    }

    public var subject: Subject
    public var room: RoomID?
    public var session: SessionID?
    public var status: LiveStream.Status?
    /// The `last` of the page before this one.
    public var start: StreamID?
    public var limit: Int

    public init(
        _ subject: Subject = .liveStreams, room: RoomID? = nil, session: SessionID? = nil,
        status: LiveStream.Status? = nil,
        start: StreamID? = nil, limit: Int = 10
    ) {
        self.subject = subject
        self.room = room
        self.session = session
        self.status = status
        self.start = start
        self.limit = limit
    }
}

public struct LiveStreamPage: Hashable, Sendable {
    public var streams: [LiveStream]
    /// The id to give as `start` for the next page; nil when this one is empty.
    public var last: StreamID?

    public init(streams: [LiveStream], last: StreamID?) {
        self.streams = streams
        self.last = last
    }
}
