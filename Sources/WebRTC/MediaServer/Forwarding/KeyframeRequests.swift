import MediaKernel

/// Merges the key frame requests of many subscribers into few requests to one publisher.
///
/// A key frame costs the publisher many times an ordinary frame, so at most one request is sent per
/// interval; a request within it is deferred to its end. A request without a key frame in response
/// is repeated with back-off, because both it and the frame may get lost.
struct KeyframeRequests {
    static let intervalMinimum: Duration = .milliseconds(300)
    static let intervalMaximum: Duration = .seconds(4)

    private var interval = intervalMinimum
    private var lastRequest: Instant?
    private var isWanted = false
    /// No key frame has arrived since the last request.
    private var isUnanswered = false

    /// Notes the wish for a key frame. Returns whether to send a request now.
    mutating func wanted(at now: Instant) -> Bool {
        isWanted = true
        return due(at: now)
    }

    mutating func due(at now: Instant) -> Bool {
        guard isWanted else { return false }
        if let lastRequest, now - lastRequest < interval { return false }
        if isUnanswered { interval = min(interval * 2, Self.intervalMaximum) }
        isUnanswered = true
        lastRequest = now
        return true
    }

    mutating func keyframeArrived() {
        isWanted = false
        isUnanswered = false
        interval = Self.intervalMinimum
    }
}
