public import XML

/// What a recorder says of a session: in its answer to a start or a stop, and later by itself
/// (jitsi-xmpp-extensions, `JibriIq`).
///
/// It names no session: Jicofo knows the session by the sender, so each session needs a sender of
/// its own.
public struct JibriStatus: Hashable, Sendable {
    public enum State: String, Hashable, Sendable {
        /// Taken on; `on` or `off` follows.
        case pending
        /// The recording runs.
        case on
        case off
    }

    public enum Failure: Hashable, Sendable {
        /// No room for another one. Jicofo tries another recorder.
        case busy
        /// - Parameter shouldRetry: whether Jicofo tries another recorder.
        case error(shouldRetry: Bool)
    }

    public let state: State
    public let failure: Failure?
    /// Of a request that asked for a call by SIP: comes back unchanged.
    public let sipAddress: String?

    public init(_ state: State, _ failure: Failure? = nil, sipAddress: String? = nil) {
        self.state = state
        self.failure = failure
        self.sipAddress = sipAddress
    }

    public var element: XMLElement {
        let reason: (name: String, retry: String)? =
            switch failure {
            case .busy: ("busy", "true")
            case .error(let shouldRetry): ("error", shouldRetry ? "true" : "false")
            case nil: nil
            }
        return XMLElement(
            "jibri", JibriNames.jibri,
            [
                "status": state.rawValue, "sipaddress": sipAddress,
                "failure_reason": reason?.name, "should_retry": reason?.retry,
            ])
    }

    /// Nil for an element that is no status.
    public init?(_ element: XMLElement) {
        guard element.isNamed("jibri", JibriNames.jibri),
            let state = element["status"].flatMap({ State(rawValue: $0.lowercased()) })
        else { return nil }
        let failure: Failure? =
            switch element["failure_reason"]?.lowercased() {
            case nil, "": nil
            case "busy": .busy
            // Without the attribute Jicofo does not try another one.
            default: .error(shouldRetry: element["should_retry"]?.lowercased() == "true")
            }
        self.init(state, failure, sipAddress: element["sipaddress"])
    }
}
