import Foundation
import Glibc
import Jibri
import MediaKernel
import Recording
import Streams

/// The notes of calls on disk. Each call may block on a hanging disk.
///
/// Others may write to the operator's directory (Jibri's own default lies below `/tmp`), and a note
/// moves files: only what nobody else can have written is believed.
struct CallLedger: Sendable {
    /// Below the operator's directory, whose other folders are sessions'.
    static let folder = ".roomcast"
    /// Of one note, in bytes: Jicofo's `app_data` and the participants are the most of it.
    private static let bytesMaximum =
        4 * (JibriStart.dataBytesMaximum + StreamAttendance.bytesMaximum)

    let directory: String

    private var notes: String { "\(directory)/\(Self.folder)" }

    func write(_ note: CallNote) throws(CallFault) {
        try check()
        try CallFault.of { () throws(RecordingError) in
            try AssetFile.write(
                StableJSON.bytes(note), to: name(of: note.stream), in: notes)
        }
    }

    func remove(_ stream: StreamID) { unlink("\(notes)/\(name(of: stream))") }

    /// Those of an earlier program; nil for one that cannot be read.
    func all() throws(CallFault) -> [CallNote?] {
        try check()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: notes)) ?? []
        return names.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.sorted().map { name in
            guard let data = FileManager.default.contents(atPath: "\(notes)/\(name)"),
                data.count <= Self.bytesMaximum
            else { return nil }
            let note = try? JSONDocument.decode(CallNote.self, from: data, limits: .own)
            guard let note, note.isSound, self.name(of: note.stream) == name else { return nil }
            return note
        }
    }

    private func check() throws(CallFault) {
        let facts: [FileAttributeKey: Any]
        do {
            // Of a link itself, not of where it leads.
            facts = try FileManager.default.attributesOfItem(atPath: notes)
        } catch CocoaError.fileReadNoSuchFile {
            return
        } catch {
            throw CallFault(notes, error.systemReason)
        }
        let owner = (facts[.ownerAccountID] as? NSNumber)?.uint32Value
        let rights = (facts[.posixPermissions] as? NSNumber)?.uint32Value ?? 0o777
        guard facts[.type] as? FileAttributeType == .typeDirectory, owner == geteuid(),
            rights & 0o022 == 0
        else {
            throw CallFault.notOurs(notes)
        }
    }

    private func name(of stream: StreamID) -> String { "\(stream).json" }
}
