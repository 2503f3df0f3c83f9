import MediaKernel

#if canImport(Glibc)
    // Whichever of the two the compiler sees first must declare `stat`.
    import CDispatch
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file of the output directory, opened for reading. Its content stays that of the opening, even
/// when a newer version is renamed over it.
///
/// All of its functions block; call them on the file threads.
final class OriginFile: Sendable {
    let byteCount: Int64
    /// Changes whenever the content does: a new file is a new inode or a new modification time.
    let entityTag: String
    let modified: UnixTime
    private let descriptor: Int32

    private init(descriptor: Int32, status: stat) {
        self.descriptor = descriptor
        byteCount = Int64(status.st_size)
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        modified = UnixTime(
            nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
        let parts = [
            UInt64(truncatingIfNeeded: status.st_ino), UInt64(bitPattern: modified.nanoseconds),
            UInt64(bitPattern: Int64(status.st_size)),
        ]
        entityTag = parts.map { String($0, radix: 16) }.joined(separator: "-")
    }

    deinit { close(descriptor) }

    /// Walks from the root to the file one component at a time without following symbolic links, so
    /// that no link in the tree leads out of it. The root itself may be one.
    ///
    /// - Returns: nil when there is no such regular file.
    static func open(_ path: OriginPath, in root: String) -> OriginFile? {
        open(path.components, in: root)
    }

    /// - Parameter components: of a path that was not made from a request's.
    static func open(_ components: [String], in root: String) -> OriginFile? {
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW
        var directory = systemOpen(root, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard directory >= 0 else { return nil }
        for component in components.dropLast() {
            let next = openat(directory, component, flags | O_DIRECTORY)
            close(directory)
            guard next >= 0 else { return nil }
            directory = next
        }
        defer { close(directory) }
        // Without O_NONBLOCK a FIFO in the tree would block the thread until it has a writer.
        let file = openat(directory, components[components.count - 1], flags | O_NONBLOCK)
        guard file >= 0 else { return nil }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            return nil
        }
        return OriginFile(descriptor: file, status: status)
    }

    /// Reads at most `count` bytes at an offset; fewer only at the end of the file.
    ///
    /// - Returns: nil when the device fails.
    func read(at offset: Int64, count: Int) -> [UInt8]? {
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            while initialized < count {
                let result = pread(
                    descriptor, buffer.baseAddress.map { $0 + initialized }, count - initialized,
                    off_t(offset) + off_t(initialized))
                if result < 0, errno == EINTR { continue }
                if result < 0 { failed = true }
                guard result > 0 else { break }
                initialized += result
            }
        }
        return failed ? nil : bytes
    }

    private static func systemOpen(_ path: String, _ flags: Int32) -> Int32 {
        #if canImport(Glibc)
            Glibc.open(path, flags)
        #elseif canImport(Musl)
            Musl.open(path, flags)
        #else
            Darwin.open(path, flags)
        #endif
    }
}
