import Foundation
import Jibri
import MediaKernel
import Recording
import Streams

/// What is still to be done for a recorded call, whatever happens to this program: its file, and
/// what stands beside it, go to the operator's directory.
struct CallNote: Hashable, Sendable, Codable {
    var session: String
    var stream: StreamID
    /// Of the file in the session's directory.
    var file: String
    var meetingURL: String
    /// In the start, of the metadata's own fields.
    var more: [String: JSONValue]
    var participants: [JSONValue] = []
    /// Whether the files are in place, and the script is to run.
    var isDelivered = false

    enum CodingKeys: String, CodingKey {
        case session, stream, file, more, participants
        case meetingURL = "meeting_url"
        case isDelivered = "delivered"
    }
}

/// The notes of calls on disk. Each call may block on a hanging disk.
struct CallLedger: Sendable {
    /// Below the operator's directory, whose other folders are sessions'.
    static let folder = ".roomcast"
    /// Of one note, in bytes: Jicofo's `app_data` is the most of it.
    private static let bytesMaximum = 4 * JibriStart.dataBytesMaximum

    let directory: String

    private var notes: String { "\(directory)/\(Self.folder)" }

    func write(_ note: CallNote) throws(CallFault) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let bytes = (try? encoder.encode(note)).map(Array.init) ?? []
        try CallFault.of { () throws(RecordingError) in
            try AssetFile.write(bytes, to: name(of: note.stream), in: notes)
        }
    }

    func remove(_ stream: StreamID) { unlink("\(notes)/\(name(of: stream))") }

    /// Those of an earlier program; nil for one that cannot be read.
    func all() -> [CallNote?] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: notes)) ?? []
        return names.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.sorted().map { name in
            guard let data = FileManager.default.contents(atPath: "\(notes)/\(name)"),
                data.count <= Self.bytesMaximum
            else { return nil }
            return try? JSONDocument.decode(CallNote.self, from: data, limits: .own)
        }
    }

    private func name(of stream: StreamID) -> String { "\(stream).json" }
}
