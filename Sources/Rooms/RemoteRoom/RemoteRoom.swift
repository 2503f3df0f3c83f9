public import MediaKernel

/// A room that a program has joined, whatever protocol its server speaks.
///
/// `run()` is its life, and `events` tell what happens meanwhile. Media do not come by the events,
/// where they would wait for a task: a `ClientMediaObserver` gets them on their own event loop.
/// There the track id of an `IncomingTrack` is the id that the roster has.
public protocol RemoteRoom: Sendable {
    /// For one reader. The stream ends when `run()` does.
    var events: AsyncStream<RemoteRoomEvent> { get }

    /// Joins and stays. Returns after `leave()` or when cancelled; throws why else it is over.
    func run() async throws(RoomEnd)

    /// Says goodbye and waits until `run()` has returned.
    func leave() async

    /// Asks for a layer of a video: the best one unless asked otherwise; `none` for nothing.
    ///
    /// A request is advice. A protocol without such requests sends what it has.
    func want(_ track: TrackID, layer: LayerPreference) async

    /// Asks to hear a sound track or not to; sound comes unless it is refused. Advice as well.
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

    /// Tells the room that a track of ours is muted, or not any more. The observer decides what is
    /// sent meanwhile.
    func setMuted(_ isMuted: Bool, track: TrackID) async throws

    /// Loses the network for a while, as when a cable is drawn.
    func interrupt(for duration: Duration) async throws
}
