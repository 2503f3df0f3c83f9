import Foundation
public import MediaKernel

/// What people have said about a recording: its name, and that it is deleted. The file in the
/// recording's directory is the source of truth. It stands beside the manifest, which finishers and
/// uploads write, and beside `stream.json`, whose directory may be removed by itself.
public struct RecordingNote: Hashable, Sendable, Codable {
    public static let fileName = "recording.json"
    /// Of a name, in UTF-8.
    public static let nameBytesMaximum = 512

    public var stream: StreamID
    /// Nil while it is known by its room.
    public var name: String?
    public var deletedAt: UnixTime?

    public init(stream: StreamID, name: String? = nil, deletedAt: UnixTime? = nil) {
        self.stream = stream
        self.name = name
        self.deletedAt = deletedAt
    }

    enum CodingKeys: String, CodingKey {
        case name
        case stream = "stream_id"
        case deletedAt = "deleted_ns"
    }

    /// The text of the file.
    public var encoded: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else {
            preconditionFailure("a note holds texts and a number, which always encode")
        }
        return Array(data) + [10]
    }

    /// Whether a recording may have the name: some visible text on one line that does not change
    /// the direction of what is written beside it.
    public static func isName(_ text: String) -> Bool {
        (1...nameBytesMaximum).contains(text.utf8.count)
            && text.contains { !$0.isWhitespace }
            && text.unicodeScalars.allSatisfy { scalar in
                switch scalar.properties.generalCategory {
                case .control, .lineSeparator, .paragraphSeparator: false
                default:
                    !(0x202A...0x202E).contains(scalar.value)
                        && !(0x2066...0x2069).contains(scalar.value)
                }
            }
    }

    /// A text as it is compared in searches: without regard to case, accents and width.
    public static func searchKey(_ text: String) -> String {
        text.folding(
            options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }
}
