public import XML

/// Why a stream ended without our wish.
public enum StreamFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Of a server's words, in characters: they are logged.
    static let textMaximum = 256

    case authentication(AuthenticationFailure)
    /// The server gave no resource.
    case binding(StanzaError)
    /// The stream error of the server; a condition of RFC 6120 sect. 4.9.3.
    case refused(condition: String, text: String?)
    /// `see-other-host` (sect. 4.9.3.19). Not followed: the answer may be forged where TLS has not
    /// begun, and the operator has named the host.
    case redirected(to: String)
    case unencrypted
    case unexpected(String)
    case unreadable(XMLFault)

    public var description: String {
        switch self {
        case .authentication(let failure): "\(failure)"
        case .binding(let error): "the server binds no resource: \(error)"
        case .refused(let condition, let text):
            "the server ended the stream: \(condition)" + (text.map { " (\($0))" } ?? "")
        case .redirected(let host): "the server redirects to \(host)"
        case .unencrypted: "the server offers no TLS"
        case .unexpected(let what): "the server sent \(what)"
        case .unreadable(let fault): "the server sent \(fault)"
        }
    }

    /// Whether another attempt may succeed without the operator's help.
    public var mayPass: Bool {
        switch self {
        case .authentication(.refused(let condition)): condition == "temporary-auth-failure"
        case .authentication, .unencrypted, .redirected: false
        case .refused(let condition, _):
            !["host-unknown", "not-authorized", "conflict", "host-gone"].contains(condition)
        case .binding, .unexpected, .unreadable: true
        }
    }

    /// Of the element `<stream:error/>`. RFC 6120 sect. 4.9.2.
    init(of error: XMLElement) {
        let conditions = error.elements.filter { $0.namespace == Namespaces.streamErrors }
        let condition = conditions.first { $0.name != "text" }
        let text = conditions.first { $0.name == "text" }?.text.prefix(Self.textMaximum)
        if let condition, condition.name == "see-other-host" {
            self = .redirected(to: String(condition.text.prefix(Self.textMaximum)))
        } else {
            self = .refused(
                condition: condition?.name ?? "undefined-condition", text: text.map { String($0) })
        }
    }
}
