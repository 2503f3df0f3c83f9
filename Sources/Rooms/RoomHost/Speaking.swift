import MediaKernel

/// Who speaks in a room.
struct Speaking {
    /// For peers that view the active speaker.
    var last: PeerID?
    /// Whether the protocols were last told of anybody.
    var isReported = false
}
