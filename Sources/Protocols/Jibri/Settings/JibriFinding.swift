public import HOCON

/// Something to say about the settings. Never has a value that may be secret.
public struct JibriFinding: Hashable, Sendable, CustomStringConvertible {
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// Nothing can start with it.
        case wrong
        /// Not what the operator may expect.
        case noted
        /// A key of Jibri's that has no meaning here.
        case ignored
        /// No key of Jibri's.
        case unknown
    }

    public let kind: Kind
    /// The key, or what stands in for one.
    public let subject: String
    public let text: String
    public let place: HOCONPlace

    init(_ kind: Kind, _ subject: String, _ text: String, at place: HOCONPlace) {
        self.kind = kind
        self.subject = subject
        self.text = text
        self.place = place
    }

    public var description: String {
        "\(place): \(subject)" + (text.isEmpty ? "" : ": \(text)")
    }
}
