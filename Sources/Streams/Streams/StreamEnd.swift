/// Why a stream ended, or is about to.
///
/// The case determines what others see: the words of the API and the log, the code for peers, the
/// error type of a webhook, and whether the stream counts as completed or failed.
public enum StreamEnd: Hashable, Sendable {
    /// Somebody stopped it.
    case stopped
    case lastPeerLeft
    /// Nobody published anything for too long.
    case nothingPublished
    case durationReached
    /// The room was ended for everybody.
    case roomEnded
    case serverStopped
    /// Another variant of the same request could not be started.
    case variantRefused
    /// The bot exited in good order for a reason of its own, in its own words.
    case botLeft(String)
    case failed(StreamFailure)

    public var isFailure: Bool {
        if case .failed = self { true } else { false }
    }

    /// The final status of a stream that ends this way.
    public var status: LiveStream.Status { isFailure ? .failed : .completed }
}

extension StreamEnd: CustomStringConvertible {
    /// `stop_reason` of the API.
    public var description: String {
        switch self {
        case .stopped: "client request"
        case .lastPeerLeft: "last peer left"
        case .nothingPublished: "nothing published"
        case .durationReached: "max duration reached"
        case .roomEnded: "room ended"
        case .serverStopped: "server shutdown"
        case .variantRefused: "another variant cannot be started"
        case .botLeft(let words): words
        case .failed(let failure): "failure: \(failure.words)"
        }
    }
}

/// The form in storage: a code, and the details that the code lacks.
extension StreamEnd {
    public var code: String {
        switch self {
        case .stopped: "stopped"
        case .lastPeerLeft: "last_peer_left"
        case .nothingPublished: "nothing_published"
        case .durationReached: "duration_reached"
        case .roomEnded: "room_ended"
        case .serverStopped: "server_stopped"
        case .variantRefused: "variant_refused"
        case .botLeft: "bot_left"
        case .failed(let failure): failure.cause.rawValue
        }
    }

    public var detail: String? {
        switch self {
        case .stopped, .lastPeerLeft, .nothingPublished, .durationReached, .roomEnded,
            .serverStopped, .variantRefused:
            nil
        case .botLeft(let words): words
        case .failed(let failure): failure.words
        }
    }

    /// Nil for an unknown code.
    public init?(code: String, detail: String?) {
        let detail = detail ?? ""
        let plain: [StreamEnd] = [
            .stopped, .lastPeerLeft, .nothingPublished, .durationReached, .roomEnded,
            .serverStopped, .variantRefused, .botLeft(detail),
        ]
        if let end = plain.first(where: { $0.code == code }) {
            self = end
        } else if let cause = StreamFailure.Cause(rawValue: code) {
            self = .failed(StreamFailure(cause, detail))
        } else {
            return nil
        }
    }
}

extension StreamEnd: Codable {
    private enum CodingKeys: String, CodingKey { case code, detail }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let code = try container.decode(String.self, forKey: .code)
        let detail = try container.decodeIfPresent(String.self, forKey: .detail)
        guard let end = StreamEnd(code: code, detail: detail) else {
            throw DecodingError.dataCorruptedError(
                forKey: .code, in: container, debugDescription: "no end of a stream is \(code)")
        }
        self = end
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(code, forKey: .code)
        try container.encodeIfPresent(detail, forKey: .detail)
    }
}
