public import MediaKernel

/// News of a service beside the room, which the room does not understand. Each protocol passes it
/// on in its own form.
public struct Notice: Hashable, Sendable {
    /// The service.
    public enum Subject: Hashable, Sendable {
        case groupCall
    }

    public var subject: Subject
    public var body: JSONValue

    public init(_ subject: Subject, _ body: JSONValue) {
        self.subject = subject
        self.body = body
    }
}

extension Room {
    /// A service beside the room has news for all peers. Those that are away are told when they are
    /// back.
    public mutating func noticed(_ notice: Notice, at now: Instant) {
        say(.noticed(notice), to: Addressees(audience: .everybody), at: now)
    }
}

extension JSONValue {
    /// The approximate size of its text, in bytes.
    var bytes: Int {
        switch self {
        case .null, .bool, .integer, .number: 8
        case .string(let text): text.utf8.count + 2
        case .array(let values): values.reduce(2) { $0 + $1.bytes + 1 }
        case .object(let members): members.reduce(2) { $0 + $1.key.utf8.count + $1.value.bytes + 4 }
        }
    }
}
