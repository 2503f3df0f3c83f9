public import MediaKernel
public import Streams

/// What the streams need of the rooms, and how the rooms learn of their streams.
public protocol RoomStreamingObserver: Sendable {
    func scene(of room: RoomID) async -> StreamScene

    /// How streams are made in that room; nil where nothing else is wanted than what is configured.
    ///
    /// - Throws: `.unknownPolicy`.
    func settings(of room: RoomID) async throws(LiveStreamError) -> StreamSettings?

    /// A stream of the room changed its state. Called for every change, in order,
    /// of all rooms, so it must not wait for one of them.
    ///
    /// - Parameter streams: those on air, oldest first, and the one that changed if it just ended.
    func streamingChanged(room: RoomID, streams: [LiveStream]) async

    /// The room's recording without a live stream changed. Called for every change, in order.
    ///
    /// - Parameter recording: the one that goes on, or else the one that just ended.
    func recordingChanged(room: RoomID, recording: LiveStream) async
}
