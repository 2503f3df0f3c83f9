import Foundation
import Glibc
import Jibri
import Synchronization

/// The directories of sessions below the operator's. Each part of a session has one of its own: a
/// script that was given a directory owns it, and may move or remove what is in it at any time.
final class SessionFolders: Sendable {
    /// Of parts of one session that have a directory: more is a fault of something else.
    private static let partsMaximum = 1000

    /// The operator's.
    let directory: String
    /// The names of those in use: a recording puts nothing into its own before its end.
    private let taken = Mutex<Set<String>>([])

    init(_ directory: String) { self.directory = directory }

    func path(of name: String) -> String { "\(directory)/\(name)" }

    /// Makes a directory for a part of a session that begins, so that one that cannot be kept is
    /// refused. May block on a hanging disk.
    ///
    /// - Returns: its name.
    func claim(_ session: String) throws(CallFault) -> String {
        for part in 1...Self.partsMaximum {
            let name = RecordingNames.directory(session: session, part: part)
            guard keep(name) else { continue }
            do throws(CallFault) {
                try make(name)
            } catch {
                release(name)
                throw error
            }
            // What is there is somebody's: an earlier part's, or of the operator's programs.
            let names = try? FileManager.default.contentsOfDirectory(atPath: path(of: name))
            if names?.isEmpty == true { return name }
            release(name)
        }
        throw CallFault(path(of: session), "has too many parts")
    }

    /// - Returns: false if it is in use.
    @discardableResult
    func keep(_ name: String) -> Bool { taken.withLock { $0.insert(name).inserted } }

    /// It is not in use any more.
    func release(_ name: String) { taken.withLock { _ = $0.remove(name) } }

    /// Makes the directory, unless it is there. May block on a hanging disk.
    func make(_ name: String) throws(CallFault) {
        let folder = path(of: name)
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw CallFault(folder, error.systemReason)
        }
        guard access(folder, W_OK | X_OK) == 0 else {
            throw CallFault(folder, errno)
        }
    }

    /// Removes a directory that is without a file. One with files stays. May block on a hanging
    /// disk.
    func takeBack(_ name: String) {
        rmdir(path(of: name))
        release(name)
    }

    /// May block on a hanging disk.
    func isThere(_ name: String) -> Bool { access(path(of: name), F_OK) == 0 }
}
