/// The streams and recordings of a room, as peers see them.
public struct RoomStreaming: Hashable, Sendable {
    public internal(set) var hls = HLSState()
    /// The recording without a live stream; nil if there was none in this session.
    public internal(set) var recording: RoomRecording?
    public internal(set) var rtmp = RTMPState.none

    /// Streams that ended with the session do not concern the next one; running ones do.
    mutating func sessionEnded() {
        if !hls.isRunning { hls = HLSState() }
        if recording?.state.isOn != true { recording = nil }
        rtmp = .none
    }
}
