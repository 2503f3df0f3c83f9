import CProcesses
import Foundation
import Glibc

/// How the file of the browser's pictures comes to the bot: the keeper, which may open the
/// browser's files, looks for it and hands it over.
enum PictureFile {
    /// Where Chromium keeps the files of `navigator.storage`, below its profile: those of an
    /// origin's first bucket, and those of others. What they are called is its own affair.
    private static let places = ["Default/File System", "Default/WebStorage"]
    /// The profile has a dozen of them.
    private static let filesMaximum = 1024

    /// The browser's file, open for reading. Nil if it is not there yet.
    static func find(in profile: String, key: String) -> CInt? {
        let title = Array(PictureRing.title(key: key).utf8)
        var left = filesMaximum
        for place in places {
            let files = FileManager.default.enumerator(atPath: "\(profile)/\(place)")
            while let name = files?.nextObject() as? String, left > 0 {
                left -= 1
                let descriptor = open(
                    "\(profile)/\(place)/\(name)", O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
                guard descriptor >= 0 else { continue }
                var bytes = [UInt8](repeating: 0, count: title.count)
                if pread(descriptor, &bytes, bytes.count, 0) == bytes.count, bytes == title {
                    return descriptor
                }
                close(descriptor)
            }
        }
        return nil
    }

    /// Hands it to the bot.
    static func give(_ descriptor: CInt, over socket: CInt) {
        _ = roomcast_send_descriptor(socket, descriptor)
        close(descriptor)
    }

    /// Whether the bot still waits for it: one that streams sound alone does not.
    static func isAwaited(over socket: CInt) -> Bool {
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, CInt(MSG_PEEK | MSG_DONTWAIT)) < 0
            && [EAGAIN, EINTR].contains(errno)
    }

    /// What the keeper has handed over. Nil if nothing has come yet.
    static func take(from socket: CInt) throws(PictureReader.Failure) -> CInt? {
        let descriptor = roomcast_receive_descriptor(socket)
        if descriptor >= 0 { return descriptor }
        guard [EAGAIN, EINTR].contains(errno) else { throw .notGiven }
        return nil
    }
}
