/// A layer's bitrate in a container, as the master playlist announces it.
public protocol WireBitrate: Sendable {
    /// The BANDWIDTH, in bits per second.
    var bandwidth: Int { get }
    /// The AVERAGE-BANDWIDTH, in bits per second.
    var averageBandwidth: Int { get }
}
