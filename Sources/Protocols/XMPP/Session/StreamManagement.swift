import XML

/// Which stanzas each side has, across a lost connection. XEP-0198.
struct StreamManagement: Sendable {
    /// Of stanzas that the server has not acknowledged. With more, the stream ends.
    static let unacknowledgedMaximum = 1024
    /// The same in bytes, as they were sent.
    static let unacknowledgedBytesMaximum = 1 << 20

    private struct Sent {
        let stanza: XMLElement
        let bytes: Int
    }

    /// Nil until the server has enabled it, and where it does not keep streams.
    private(set) var resumption: String?
    /// How many stanzas we have received, modulo 2^32.
    private(set) var received: UInt32 = 0
    /// How many of ours the server has.
    private var acknowledged: UInt32 = 0
    private var sent: [Sent] = []
    private var sentBytes = 0
    private var isEnabled = false
    /// Whether the server owes us an answer.
    private var isAsked = false

    /// What asks a server for it: nothing is counted before.
    static let enable = XMLElement("enable", Namespaces.management, ["resume": "true"])
    private static let question = XMLElement("r", Namespaces.management)

    var answer: XMLElement {
        XMLElement("a", Namespaces.management, ["h": String(received)])
    }

    mutating func enabled(_ element: XMLElement) {
        isEnabled = true
        let keeps = element["resume"] == "true" || element["resume"] == "1"
        resumption = keeps ? element["id"].flatMap { $0.isEmpty ? nil : $0 } : nil
    }

    /// Those of ours that the server may not have.
    var unacknowledged: [XMLElement] { sent.map(\.stanza) }

    /// Counts a stanza of the server.
    mutating func took() { if isEnabled { received &+= 1 } }

    /// Remembers a stanza of ours.
    ///
    /// - Returns: whether there are too many.
    mutating func sent(_ stanza: XMLElement, bytes: Int) -> Bool {
        sent.append(Sent(stanza: stanza, bytes: bytes))
        sentBytes += bytes
        return sent.count > Self.unacknowledgedMaximum
            || sentBytes > Self.unacknowledgedBytesMaximum
    }

    /// The question to the server, if it is time.
    mutating func ask() -> XMLElement? {
        guard isEnabled, !isAsked, !sent.isEmpty else { return nil }
        isAsked = true
        return Self.question
    }

    /// The server has this many of ours.
    ///
    /// - Returns: false if it claims more than there were.
    mutating func acknowledge(_ count: UInt32) -> Bool {
        isAsked = false
        let newly = count &- acknowledged
        guard newly <= sent.count else { return false }
        sentBytes -= sent.prefix(Int(newly)).reduce(0) { $0 + $1.bytes }
        sent.removeFirst(Int(newly))
        acknowledged = count
        return true
    }

    /// The connection is gone: no answer will come.
    mutating func lost() { isAsked = false }
}
