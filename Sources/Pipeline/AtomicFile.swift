import Glibc

/// Files that appear whole or not at all: written under another name, then renamed into place.
enum AtomicFile {
    /// Temporary files begin with this; the origin serves none of them.
    static let temporaryPrefix = ".part-"

    static func write(
        _ bytes: some ContiguousBytesOfFile, to name: String, in directory: String
    ) throws(PipelineError) {
        let path = "\(directory)/\(name)"
        let temporary = "\(directory)/\(temporaryPrefix)\(name)"
        let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw failure(temporary, "open") }
        let isWhole = bytes.withBytes { writeAll($0, to: file) }
        let code = errno
        close(file)
        guard isWhole else {
            unlink(temporary)
            throw failure(temporary, "write", code)
        }
        guard rename(temporary, path) == 0 else {
            let code = errno
            unlink(temporary)
            throw failure(path, "rename", code)
        }
    }

    static func makeDirectory(_ path: String) throws(PipelineError) {
        var partial = ""
        for part in path.split(separator: "/") {
            partial += "/" + part
            guard mkdir(partial, 0o755) == 0 || errno == EEXIST else {
                throw failure(partial, "mkdir")
            }
        }
    }

    /// Nil when there is no such file.
    static func read(_ path: String, maximumBytes: Int) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while bytes.count < maximumBytes {
            let count = Glibc.read(file, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return bytes
    }

    private static func writeAll(_ bytes: UnsafeRawBufferPointer, to file: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = Glibc.write(file, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
        return true
    }

    private static func failure(
        _ path: String, _ call: String, _ code: Int32 = errno
    ) -> PipelineError {
        .file(path: path, call: call, code: code, reason: String(cString: strerror(code)))
    }
}

/// What can be written to a file without a copy.
protocol ContiguousBytesOfFile {
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result
}

extension [UInt8]: ContiguousBytesOfFile {
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeBytes(body)
    }
}

extension String: ContiguousBytesOfFile {
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        Array(utf8).withUnsafeBytes(body)
    }
}
