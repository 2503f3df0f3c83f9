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
        if !rtmp.isRunning { rtmp = .none }
    }

    /// Applies a change. Variants beyond ``RoomLimits/variants`` are not shown.
    ///
    /// - Returns: what the peers are told; empty if nothing has changed for them.
    mutating func apply(_ change: StreamingChange) -> [RoomEvent] {
        switch change {
        case .hls(var state):
            state.variants = Array(state.variants.prefix(RoomLimits.variants))
            guard state != hls else { return [] }
            let isRecordingNew = state.recording != hls.recording
            hls = state
            return [.hlsChanged(state)] + (isRecordingNew ? [.recordingChanged(state)] : [])
        case .recording(let state):
            guard state != recording else { return [] }
            recording = state
            return [.roomRecordingChanged(state)]
        case .rtmp(let state):
            guard state.isNews(after: rtmp) else { return [] }
            rtmp = state
            return [.rtmpChanged(state)]
        }
    }
}

/// A change of a room's streams or recordings.
public enum StreamingChange: Hashable, Sendable {
    /// Of the live streams.
    case hls(HLSState)
    /// Of the recording without a live stream.
    case recording(RoomRecording)
    /// Of the pushes to other servers, including a failure to begin.
    case rtmp(RTMPState)
}
