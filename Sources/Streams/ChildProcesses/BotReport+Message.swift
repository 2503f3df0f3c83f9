extension BotReport {
    /// A message to everybody in a conference, for the recorded chat.
    public struct Message: Hashable, Sendable, Codable {
        /// Of a text, in Unicode scalars: a line of a report has to hold it.
        public static let textMaximum = 8192
        /// Of the other parts.
        static let nameMaximum = 256

        public var peerID: String
        /// Of the peer; empty if unknown.
        public var peer: String
        public var type: String
        public var text: String

        /// Longer texts are cut.
        public init(peerID: String, peer: String, type: String, text: String) {
            self.peerID = BotReport.cut(peerID, Self.nameMaximum)
            self.peer = BotReport.cut(peer, Self.nameMaximum)
            self.type = BotReport.cut(type, Self.nameMaximum)
            self.text = BotReport.cut(text, Self.textMaximum)
        }

        enum CodingKeys: String, CodingKey {
            case peer, type, text
            case peerID = "peer_id"
        }
    }

    /// A text of at most so many Unicode scalars, so that a line of a report can hold it.
    static func cut(_ text: String, _ maximum: Int) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(maximum)))
    }
}
