import MediaKernel
import Streams

/// What is still to be done for a recorded call, whatever happens to this program: its file, and
/// what stands beside it, go to the operator's directory.
struct CallNote: Hashable, Sendable, Codable {
    var session: String
    var stream: StreamID
    /// The name of the directory that it has; nil while it has none.
    var directory: String?
    /// Of the file in the session's directory.
    var file: String
    var meetingURL: String
    /// In the start, of the metadata's own fields.
    var more: [String: JSONValue]
    var participants: [JSONValue] = []
    /// Whether the files are in place, and the script is to run.
    var isDelivered = false

    /// Whether its file is one of the session's directory, and that one of the operator's.
    var isSound: Bool {
        [file, directory ?? "_"].allSatisfy { name in
            !["", ".", ".."].contains(name) && !name.utf8.contains(UInt8(ascii: "/"))
                && !name.utf8.contains(0)
        }
    }

    enum CodingKeys: String, CodingKey {
        case session, stream, directory, file, more, participants
        case meetingURL = "meeting_url"
        case isDelivered = "delivered"
    }
}
