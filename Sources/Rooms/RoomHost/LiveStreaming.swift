public import MediaKernel
public import Rooms

/// Starts and stops the streams of a room, and its recording without one, at the request of a peer
/// in it. What becomes of it comes back by
/// ``RoomHost/hlsChanged(_:)`` and ``RoomHost/recordingChanged(_:)``.
public protocol LiveStreaming: Sendable {
    /// Starting what runs is no error. No variants: the default view.
    ///
    /// - Parameter authority: `host[:port]` under which the peer found this server, one of those
    ///   that a meeting URL may have.
    /// - Throws: ``LiveStreamingError``, shown to the peer; anything else is shown as a 500.
    func start(
        room: RoomID, variants: [HLSVariantRequest], recording: HLSRecordingRequest?,
        startedBy: PeerID, authority: String
    ) async throws
    /// Stopping what is stopped is no error. No variants: every stream of the room.
    func stop(room: RoomID, variants: [HLSVariantRequest], stoppedBy: PeerID) async throws
    /// Starting what runs is no error.
    ///
    /// - Parameter authority: as with a stream.
    /// - Throws: ``LiveStreamingError``, shown to the peer; anything else is shown as a 500.
    func startRecording(
        room: RoomID, _ request: RecordingRequest, startedBy: PeerID, authority: String
    ) async throws
    /// Stopping what is stopped is no error.
    func stopRecording(room: RoomID, stoppedBy: PeerID) async throws
    /// A message was sent in the room. Called in the order of the messages.
    func said(_ message: Message, room: RoomID)
    /// Lists it in the playlists of the room's streams, from the segment of this moment on.
    func addTimedMetadata(
        _ metadata: [HLSTimedMetadata], room: RoomID, addedBy: PeerID
    ) async throws
}
