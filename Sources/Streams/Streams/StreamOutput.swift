public import MediaKernel

/// One place that a stream is pushed to.
public struct StreamOutput: Hashable, Sendable {
    /// Unique within its stream, and never given to another output.
    public var id: String
    /// The index of the layer in the stream's ladder.
    public var layer: Int
    /// The address for people.
    public var shown: String
    /// Nil in a record of the stream: records keep no secrets.
    public var target: PushTarget?

    public init(id: String, layer: Int = 0, target: PushTarget) {
        self.id = id
        self.layer = layer
        self.target = target
        shown = target.shown
    }
}

/// The form in storage: without secrets.
extension StreamOutput: Codable {
    enum CodingKeys: String, CodingKey {
        case id, layer
        case shown = "url"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        layer = try container.decodeIfPresent(Int.self, forKey: .layer) ?? 0
        shown = try container.decode(String.self, forKey: .shown)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(layer, forKey: .layer)
        try container.encode(shown, forKey: .shown)
    }
}

/// An output as a bot is told of it, with its secrets.
public struct SecretOutput: Hashable, Sendable, Codable {
    public var id: String
    public var layer: Int
    public var target: PushTarget

    /// Nil for an output whose secrets are not known.
    public init?(_ output: StreamOutput) {
        guard let target = output.target else { return nil }
        (id, layer) = (output.id, output.layer)
        self.target = target
    }

    public init(id: String, layer: Int, target: PushTarget) {
        (self.id, self.layer) = (id, layer)
        self.target = target
    }
}

/// What a bot reports of one output.
public struct PushReport: Hashable, Sendable, Codable {
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        case connecting
        /// The server has taken the first picture.
        case live
        /// The connection was lost or refused; the next attempt waits.
        case retrying
        /// No attempt will follow.
        case failed
        /// The stream or the output has ended.
        case stopped
    }

    public var id: String
    public var state: State
    /// For people; why an output retries or has failed.
    public var reason: String?
    /// Handed to the network since the start.
    public var bytes: Int64
    /// Pictures that were not sent since the output was first live.
    public var framesDropped: Int
    /// Connections that took the place of a lost one.
    public var reconnects: Int

    public init(
        id: String, state: State = .connecting, reason: String? = nil, bytes: Int64 = 0,
        framesDropped: Int = 0, reconnects: Int = 0
    ) {
        self.id = id
        self.state = state
        self.reason = reason
        self.bytes = bytes
        self.framesDropped = framesDropped
        self.reconnects = reconnects
    }

    enum CodingKeys: String, CodingKey {
        case id, state, reason, bytes, reconnects
        case framesDropped = "frames_dropped"
    }
}

extension LiveStream {
    /// What is known of one of its outputs. A bot that died, or that nobody remembers, could not say
    /// that the output has ended with the stream.
    public func pushReport(of output: StreamOutput) -> PushReport {
        var report = health.outputs[output.id]?.report ?? PushReport(id: output.id)
        if !status.isOnAir, report.state != .failed {
            (report.state, report.reason) = (.stopped, nil)
        }
        return report
    }
}

/// An output's state, and since when it is in it.
public struct PushStatus: Hashable, Sendable, Codable {
    public var report: PushReport
    public var since: UnixTime
    /// When it was first live; nil before.
    public var startedAt: UnixTime?

    public init(report: PushReport, since: UnixTime, startedAt: UnixTime? = nil) {
        self.report = report
        self.since = since
        self.startedAt = startedAt
    }

    enum CodingKeys: String, CodingKey {
        case report
        case since = "since_ns"
        case startedAt = "started_ns"
    }

    /// Takes a newer report.
    ///
    /// - Returns: whether the state or its reason is another one.
    @discardableResult
    public mutating func take(_ news: PushReport, at time: UnixTime) -> Bool {
        let isNew = news.state != report.state || news.reason != report.reason
        if news.state != report.state { since = time }
        if news.state == .live, startedAt == nil { startedAt = time }
        report = news
        return isNew
    }
}
