import Foundation
import Glibc
import Jibri
import MediaKernel
import Recording

/// Puts a recorded call where Jibri's users look for it: `<directory>/<session>/<meeting>_<time>.mp4`
/// and `metadata.json`. Each call may block on a hanging disk; doing it twice does no harm.
struct CallDelivery: Sendable {
    let folders: SessionFolders
    /// Makes a file appear at a path.
    var place: Place = Self.place

    typealias Place =
        @Sendable (_ source: String, _ path: String, _ temporary: String) throws(CallFault) -> Void

    /// - Parameters:
    ///   - folder: the name of the session's directory.
    ///   - source: the path of the recorded file.
    func deliver(_ note: CallNote, into folder: String, from source: String) throws(CallFault) {
        try folders.make(folder)
        let path = folders.path(of: folder)
        // The file's own name may be as long as a name can be.
        let temporary = "\(path)/\(AssetFile.temporaryPrefix)\(note.stream)"
        try place(source, "\(path)/\(note.file)", temporary)
        let metadata = RecordingMetadata(
            url: note.meetingURL, participants: note.participants, more: note.more)
        let bytes = StableJSON.bytes(metadata)
        try CallFault.of { () throws(RecordingError) in
            try AssetFile.write(bytes, to: RecordingNames.metadata, in: path)
        }
    }

    /// Both names are the same file, so that it takes no space twice; a copy on another disk.
    @Sendable private static func place(
        _ source: String, at path: String, by temporary: String
    ) throws(CallFault) {
        unlink(path)
        if link(source, path) == 0 { return }
        let reason = errno
        guard reason == EXDEV || reason == EPERM || reason == EACCES || reason == EMLINK else {
            throw CallFault(path, reason)
        }
        do {
            try? FileManager.default.removeItem(atPath: temporary)
            try FileManager.default.copyItem(atPath: source, toPath: temporary)
        } catch {
            unlink(temporary)
            throw CallFault(path, error.systemReason)
        }
        guard rename(temporary, path) == 0 else {
            throw CallFault(path, errno)
        }
    }
}
