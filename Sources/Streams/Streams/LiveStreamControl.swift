public import MediaKernel

/// Starts, stops and looks up live streams and recordings without one. The control API calls it;
/// `Service` implements it.
public protocol LiveStreamControl: Sendable {
    /// Puts each variant of the request on air. For a variant already on air it returns the running
    /// stream, so a repeated start changes nothing. A room has one recording at a time, beside its
    /// live streams.
    ///
    /// - Parameter startedBy: the peer who asked, or nil for a server.
    /// - Returns: one stream per variant, in the request's order; all or none are started.
    func start(
        room: RoomID, _ request: LiveStreamRequest, startedBy: PeerID?
    ) async throws(LiveStreamError) -> [LiveStream]

    /// Stops the room's streams of this kind.
    ///
    /// - Parameter metadata: the variants to stop; nil for all.
    /// - Returns: the streams that were on air; when there were none, the room's latest stream.
    /// - Throws: `notFound` if the room never had one.
    func stop(
        room: RoomID, kind: LiveStream.Kind, metadata: Set<String>?, stoppedBy: PeerID?
    ) async throws(LiveStreamError) -> [LiveStream]

    /// Stops one stream. If it has already stopped, returns its record.
    func stop(stream: StreamID, stoppedBy: PeerID?) async throws(LiveStreamError) -> LiveStream

    /// Changes a stream on air: all named fields, or none.
    ///
    /// - Throws: `invalidLayout`, `notOnAir`, `notFound`.
    func update(
        stream: StreamID, _ change: LiveStreamChange
    ) async throws(LiveStreamError) -> LiveStream

    /// Pushes a stream on air to one more place. A place that it is pushed to already is answered
    /// with its output.
    ///
    /// - Parameter layer: the index in the stream's ladder.
    /// - Throws: `invalidOutput`, `tooManyOutputs`, `notOnAir`, `notFound`.
    func addOutput(
        _ target: PushTarget, layer: Int, to stream: StreamID
    ) async throws(LiveStreamError) -> (LiveStream, StreamOutput)

    /// Ends one output of a stream on air.
    ///
    /// - Throws: `notOnAir`, `notFound`.
    func removeOutput(
        _ id: String, of stream: StreamID
    ) async throws(LiveStreamError) -> LiveStream

    /// Pauses or resumes the recording: while paused, the stream is left out of the assets. Setting
    /// the present state changes nothing.
    ///
    /// - Throws: `notRecorded`, `notOnAir`, `notFound`.
    func setRecording(
        stream: StreamID, isPaused: Bool
    ) async throws(LiveStreamError) -> LiveStream

    /// Adds timed metadata for players to the stream's playlists, from the current segment on: all
    /// requests, or none.
    ///
    /// - Parameter addedBy: the peer who asked, or nil for a server.
    /// - Throws: `notRunning`, `tooFast`, `tooMuchTimedMetadata`, `notFound`, `storage`.
    func addTimedMetadata(
        _ requests: [TimedMetadataRequest], to stream: StreamID, addedBy: PeerID?
    ) async throws(LiveStreamError) -> LiveStream

    /// Adds captions in one of the stream's languages: all of them, or none.
    ///
    /// - Parameters:
    ///   - language: its code; nil for the only one.
    ///   - addedBy: the peer who asked, or nil for a server.
    /// - Throws: `invalidCaption`, `notRunning`, `tooFast`, `tooManyCaptions`, `notFound`,
    ///   `storage`.
    func addCaptions(
        _ requests: [CaptionRequest], language: String?, to stream: StreamID, addedBy: PeerID?
    ) async throws(LiveStreamError) -> LiveStream

    /// Whether the server is shutting down and starts no more streams.
    var isShuttingDown: Bool { get async }

    /// Checks that the directories of streams and recordings have not been replaced.
    ///
    /// - Throws: `storage`.
    func checkStorage() async throws(LiveStreamError)

    /// - Throws: `catalogue`, like all functions that look up streams.
    func stream(_ id: StreamID) async throws(LiveStreamError) -> LiveStream?

    /// Newest first.
    func streams(_ query: LiveStreamQuery) async throws(LiveStreamError) -> LiveStreamPage

    /// The room's live streams with something to fetch. Reads memory only.
    func running(in room: RoomID) async -> [LiveStream]

    /// The room's newest stream of this kind on air, or else the latest one: the stream to show to
    /// a viewer of the room.
    func current(
        room: RoomID, kind: LiveStream.Kind
    ) async throws(LiveStreamError) -> LiveStream?

    /// The uploaded pictures that streams on air, or the standard layout, show.
    var picturesInUse: Set<UploadedPicture> { get async }

    /// Somebody looks at the stream's preview: its bot makes pictures for a while, see
    /// ``StreamPreview``. Without effect on a stream that does not run.
    func previewWanted(of stream: StreamID) async
}

extension LiveStreamControl {
    /// Stops all of the room's streams of this kind.
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
        /// All streams with recorded assets, live or not.
        case recordings
        /// Recordings without a live stream that are pushed to other servers, with or without a
        /// file.
        case externalStreams
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
    /// The `start` of the next page; nil if this page is empty.
    public var last: StreamID?

    public init(streams: [LiveStream], last: StreamID?) {
        self.streams = streams
        self.last = last
    }
}
