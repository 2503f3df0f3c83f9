/// What a section says about the SCTP association of data channels. RFC 8841.
public struct SCTPDescription: Hashable, Sendable {
    /// RFC 8841 sect. 5.
    public var port: UInt16?
    /// The largest message the writer takes, in bytes; 0 means any. RFC 8841 sect. 6.
    public var maxMessageSize: UInt64?

    public init(port: UInt16? = nil, maxMessageSize: UInt64? = nil) {
        self.port = port
        self.maxMessageSize = maxMessageSize
    }

    var attributes: [String] {
        var lines: [String] = []
        if let port { lines.append("sctp-port:\(port)") }
        if let maxMessageSize { lines.append("max-message-size:\(maxMessageSize)") }
        return lines
    }
}
