public import MediaKernel

/// A room that a program has joined, with any signalling protocol.
///
/// `run()` lasts as long as the stay, and `events` report what happens meanwhile. Media do not come
/// as events, which would have to wait for a task: a `ClientMediaObserver` gets them on its own
/// event loop. There the track id of an `IncomingTrack` is the roster's id.
public protocol RemoteRoom: Sendable {
    /// For one reader. The stream ends when `run()` does.
    var events: AsyncStream<RemoteRoomEvent> { get }

    /// Joins and stays. Returns after `leave()` or when cancelled; throws any other reason for its
    /// end.
    func run() async throws(RoomEnd)

    /// Leaves the room and waits until `run()` has returned.
    func leave() async

    /// Requests a layer of a video: by default the best one; `none` for nothing.
    ///
    /// A request is advice. A protocol without such requests sends its default.
    func want(_ track: TrackID, layer: LayerPreference) async

    /// Requests an audio track or refuses it; audio is sent by default. Advice as well.
    func want(_ track: TrackID, isHeard: Bool) async
}

extension RemoteRoom {
    public func want(_ track: TrackID, layer: LayerPreference) async {}
    public func want(_ track: TrackID, isHeard: Bool) async {}
}

/// A room into which a program publishes.
///
/// The server's requests for key frames come to the `ClientMediaObserver`, where packets are sent.
public protocol PublishingRoom: RemoteRoom {
    /// Publishes exactly these tracks from now on. `RemoteRoomEvent.published` follows.
    func publish(_ tracks: [LocalTrack]) async throws

    /// Tells the room that a track of ours is muted or unmuted. The observer decides what to send
    /// meanwhile.
    func setMuted(_ isMuted: Bool, track: TrackID) async throws

    /// Loses the network for a while, as if a cable was pulled.
    func interrupt(for duration: Duration) async throws
}
