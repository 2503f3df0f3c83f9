public import MediaKernel
public import Streams

/// The rooms as the streams see them, and the rooms' news about their streams.
public protocol RoomStreamingObserver: Sendable {
    func scene(of room: RoomID) async -> StreamScene

    /// The settings for streams in the room; nil for the configured ones.
    ///
    /// - Throws: `.unknownPolicy`.
    func settings(of room: RoomID) async throws(LiveStreamError) -> StreamSettings?

    /// A stream of the room changed its state. Called for every change, in order, for all rooms, so
    /// it must not wait for any of them.
    ///
    /// - Parameter streams: the streams on air, oldest first, and the changed one if it just ended.
    func streamingChanged(room: RoomID, streams: [LiveStream]) async

    /// A recording of the room without a live stream changed. Called for every change, in order.
    ///
    /// - Parameters:
    ///   - shown: the recording on air, or else the one that changed.
    ///   - changed: the one that changed, which the next one may have followed already.
    func recordingChanged(room: RoomID, shown: LiveStream, changed: LiveStream) async

    /// The outputs of the room's streams and recordings changed. Called for every change, in order.
    ///
    /// - Parameter streams: those on air that have or had outputs, oldest first, and the changed
    ///   one if it just ended.
    func outputsChanged(room: RoomID, streams: [LiveStream]) async
}
