import Glibc

/// A file that is written from front to back and appears only when it is finished.
public final class AssetFile {
    /// The prefix of unfinished files, which are never served.
    public static let temporaryPrefix = ".part-"

    private let directory: String
    private let path: String
    private let temporary: String
    private let file: Int32
    private var isFinished = false
    /// Bytes written since the last writeback hint.
    private var waiting = 0

    /// The interval of writeback hints, in bytes: the disk does not have gigabytes left to write at
    /// the end, and written bytes leave the page cache that live streams are served from.
    private static let writebackBytes = 16 << 20

    private init(directory: String, name: String, file: Int32) {
        self.directory = directory
        path = "\(directory)/\(name)"
        temporary = "\(directory)/\(Self.temporaryPrefix)\(name)"
        self.file = file
    }

    /// Starts the file from the beginning. The directory is created if missing.
    static func create(
        _ name: String, in directory: String
    ) throws(RecordingError) -> AssetFile {
        try makeDirectory(directory)
        return try begin(name, in: directory)
    }

    private static func begin(
        _ name: String, in directory: String
    ) throws(RecordingError) -> AssetFile {
        let temporary = "\(directory)/\(temporaryPrefix)\(name)"
        let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw .failed("open", temporary) }
        return AssetFile(directory: directory, name: name, file: file)
    }

    /// Writes a small file and waits until it is on the disk. The directory is created if missing.
    ///
    /// - Throws: `.file`; the previous file then stays.
    public static func write(
        _ bytes: [UInt8], to name: String, in directory: String
    ) throws(RecordingError) {
        let file = try create(name, in: directory)
        try file.write(bytes)
        try file.finish()
    }

    /// Writes a small file that is read at once and soon replaced: does not wait for the disk, so
    /// the file survives a process's death, but not the machine's.
    ///
    /// - Parameter directory: must exist.
    public static func publish(
        _ bytes: [UInt8], to name: String, in directory: String
    ) throws(RecordingError) {
        let file = try begin(name, in: directory)
        try file.write(bytes)
        try file.putInPlace()
    }

    deinit {
        close(file)
        if !isFinished { unlink(temporary) }
    }

    func write(_ bytes: [UInt8]) throws(RecordingError) { try write(bytes[...]) }

    func write(_ bytes: ArraySlice<UInt8>) throws(RecordingError) {
        let isWhole = bytes.withUnsafeBytes { bytes in
            var rest = UnsafeRawBufferPointer(rebasing: bytes[...])
            while !rest.isEmpty {
                let count = Glibc.write(file, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
            return true
        }
        guard isWhole else { throw .failed("write", temporary) }
        waiting += bytes.count
        if waiting >= Self.writebackBytes {
            waiting = 0
            // A hint: `fsync` reports any error.
            posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
        }
    }

    /// Puts the file on the disk and then in its place.
    func finish() throws(RecordingError) {
        guard fsync(file) == 0 else { throw .failed("fsync", temporary) }
        try putInPlace()
        let folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .failed("open", directory) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw .failed("fsync", directory) }
    }

    private func putInPlace() throws(RecordingError) {
        guard rename(temporary, path) == 0 else { throw .failed("rename", path) }
        isFinished = true
    }

    /// Creates a directory and its parents. An existing directory is no error.
    public static func makeDirectory(_ path: String) throws(RecordingError) {
        var partial = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            partial += "/" + part
            guard mkdir(partial, 0o755) == 0 || errno == EEXIST else {
                throw .failed("mkdir", partial)
            }
        }
    }
}

extension RecordingError {
    /// What `errno` says of a call.
    public static func failed(_ call: String, _ path: String) -> RecordingError {
        failed(call, path, code: errno)
    }

    static func failed(_ call: String, _ path: String, code: Int32) -> RecordingError {
        .file(path: path, call: call, code: code, reason: String(cString: strerror(code)))
    }
}
