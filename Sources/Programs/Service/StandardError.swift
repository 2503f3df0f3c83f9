import Glibc

/// The output for log lines and errors.
public enum StandardError {
    /// Writes the whole text, or as much as possible: neither a full disk nor a reader that is gone
    /// may end the process. (`FileHandle.write` would.)
    public static func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)[...]
            while !rest.isEmpty {
                let count = Glibc.write(
                    STDERR_FILENO, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }
}
