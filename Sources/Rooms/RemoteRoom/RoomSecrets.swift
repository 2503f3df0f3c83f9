/// What admits a program to a room. A server, or a page, may repeat it in its words, which are
/// logged and shown.
public struct RoomSecrets: Hashable, Sendable {
    /// More of the words is not looked at, in bytes of UTF-8. A server may send megabytes.
    public static let readMaximum = 64 << 10

    private let texts: [[UInt8]]
    private let mark: [UInt8]

    /// - Parameters:
    ///   - texts: empty ones are none.
    ///   - mark: stands for each of them.
    public init(_ texts: [String], mark: String = "…") {
        self.texts = texts.filter { !$0.isEmpty }.map { Array($0.utf8) }
        self.mark = Array(mark.utf8)
    }

    /// The first ``readMaximum`` bytes of a stranger's words as they may be shown. One that begins
    /// there is hidden wherever it ends, so give the words uncut and shorten what comes out: half a
    /// secret is not recognized any more.
    public func hidden(in words: String) -> String {
        var words = words
        let shown = words.withUTF8 { bytes in
            var shown: [UInt8] = []
            // Behind the secrets so far. They may overlap, as one is part of another.
            var hiddenEnd = 0
            for index in 0..<Self.end(of: bytes) {
                let end = texts.lazy.filter { bytes[index...].starts(with: $0) }
                    .map { index + $0.count }.max()
                if let end {
                    if index >= hiddenEnd { shown += mark }
                    hiddenEnd = max(hiddenEnd, end)
                } else if index >= hiddenEnd {
                    shown.append(bytes[index])
                }
            }
            return shown
        }
        return String(decoding: shown, as: UTF8.self)
    }

    /// Where reading ends: between two scalars.
    private static func end(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
        guard bytes.count > readMaximum else { return bytes.count }
        var end = readMaximum
        while end > 0, bytes[end] & 0b1100_0000 == 0b1000_0000 { end -= 1 }
        return end
    }
}
