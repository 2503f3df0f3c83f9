import Glibc

/// Where log lines and what is wrong go.
public enum StandardError {
    /// Writes all of a text, or as much as can be written: neither a full disk nor a reader that is
    /// gone may end who writes. (`FileHandle.write` ends the process.)
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
