public import XML

/// Where a meeting is to be streamed to. Its description has no stream key.
public struct StreamRequest: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    /// Of an address or key, in bytes.
    public static let bytesMaximum = 2048
    /// Where a key alone belongs to.
    static let youTube = "rtmp://a.rtmp.youtube.com/live2/"

    /// RTMP or RTMPS, with its key.
    public let url: String
    /// Where people watch it; shown in the room.
    public let viewURL: String?

    /// Nil without a `streamid`, or with one that is too long.
    public init?(_ element: XMLElement) {
        guard let stream = JibriRequest.text("streamid", of: element),
            stream.utf8.count <= Self.bytesMaximum
        else { return nil }
        url = Self.hasScheme(stream, ["rtmp", "rtmps"]) ? stream : Self.youTube + stream
        let broadcast = JibriRequest.text("you_tube_broadcast_id", of: element)
            .flatMap { $0.utf8.count <= Self.bytesMaximum ? $0 : nil }
        viewURL = broadcast.map {
            Self.hasScheme($0, ["http", "https"]) ? $0 : "http://youtu.be/\($0)"
        }
    }

    private static func hasScheme(_ text: String, _ schemes: [String]) -> Bool {
        schemes.contains { text.lowercased().hasPrefix("\($0)://") }
    }

    /// Whether one of the operator's expressions matches the whole address.
    public func isAllowed(by patterns: [String]) -> Bool {
        patterns.contains { pattern in
            guard let expression = try? Regex(pattern) else { return false }
            return (try? expression.wholeMatch(in: url)) != nil
        }
    }

    public var description: String { url.split(separator: "/").dropLast().joined(separator: "/") }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
