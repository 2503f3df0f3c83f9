public import MediaKernel
public import Rooms

/// Starts and stops a room's streams, and its recording without a stream, at the request of one of
/// its peers. ``RoomHost/hlsChanged(_:)`` and ``RoomHost/recordingChanged(_:)`` report the results.
public protocol LiveStreaming: Sendable {
    /// Starting a running stream is no error. No variants: the default view.
    ///
    /// - Parameters:
    ///   - layout: differences from the configured layout, unchecked.
    ///   - authority: `host[:port]` by which the peer reached this server, one of those that a
    ///     meeting URL may have.
    /// - Throws: ``LiveStreamingError``, shown to the peer; any other error is the server's fault.
    func start(
        room: RoomID, variants: [HLSVariantRequest], recording: HLSRecordingRequest?,
        layout: JSONValue?, startedBy: PeerID, authority: String
    ) async throws
    /// Stopping a stopped stream is no error. No variants: every stream of the room.
    func stop(room: RoomID, variants: [HLSVariantRequest], stoppedBy: PeerID) async throws
    /// Starting a running recording is no error.
    ///
    /// - Parameter authority: as for a stream.
    /// - Throws: ``LiveStreamingError``, shown to the peer; any other error is the server's fault.
    func startRecording(
        room: RoomID, _ request: RecordingRequest, startedBy: PeerID, authority: String
    ) async throws
    /// Stopping a stopped recording is no error.
    func stopRecording(room: RoomID, stoppedBy: PeerID) async throws
    /// A message was sent in the room. Called in message order.
    func said(_ message: Message, room: RoomID)
    /// These messages, by their ids, were deleted in the room.
    func unsaid(_ messages: [String], room: RoomID)
    /// Lists the metadata in the playlists of the room's streams, from the present segment on.
    func addTimedMetadata(
        _ metadata: [HLSTimedMetadata], room: RoomID, addedBy: PeerID
    ) async throws
}
