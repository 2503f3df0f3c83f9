import CDispatch
public import ControlAPI
import Foundation
import Glibc
public import Tokens

/// The file with the hash of the password of `/admin`.
public struct AdminPasswordFile: Hashable, Sendable {
    public let path: String

    public init(path: String) { self.path = path }

    /// What the file has now.
    public func read() -> AdminPassword {
        guard let file = fopen(path, "re") else { return errno == ENOENT ? .notSet : .unusable }
        defer { fclose(file) }
        var text = [UInt8](repeating: 0, count: PasswordHash.textBytesMaximum + 1)
        let count = fread(&text, 1, text.count, file)
        return PasswordHash(String(decoding: text[..<count], as: UTF8.self)).map { .set($0) }
            ?? .unusable
    }

    /// Takes the place of the file, if there is one. It gets the owner of its directory, as the server
    /// has it, and nobody else may read it.
    public func write(_ hash: PasswordHash) throws(SystemError) {
        let directory = (path as NSString).deletingLastPathComponent
        let place = directory.isEmpty ? "." : directory
        var owner = stat()
        guard stat(place, &owner) == 0 else { throw SystemError(place) }
        let new = "\(path).new"
        unlink(new)
        let file = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw SystemError(new) }
        defer { close(file) }
        if geteuid() == 0, fchown(file, owner.st_uid, owner.st_gid) != 0 { throw SystemError(new) }
        let text = Array("\(hash)\n".utf8)
        guard Glibc.write(file, text, text.count) == text.count, fsync(file) == 0,
            rename(new, path) == 0
        else { throw SystemError(new) }
    }

    public struct SystemError: Error, CustomStringConvertible {
        public let description: String

        init(_ path: String) {
            description = "\(path) cannot be written: \(String(cString: strerror(errno)))"
        }
    }
}
