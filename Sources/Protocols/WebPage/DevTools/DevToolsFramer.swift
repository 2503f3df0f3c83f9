/// Cuts the browser's bytes into messages: each ends with a zero byte, as with
/// `--remote-debugging-pipe`.
struct DevToolsFramer {
    /// A screenshot of 2160p as JPEG in base 64 has some 4 MB. A longer message, such as a page may
    /// write to its console, is left out.
    static let bytesMaximum = 32 << 20

    let bytesMaximum: Int
    private var partial: [UInt8] = []
    private var isTooLong = false

    init(bytesMaximum: Int = Self.bytesMaximum) { self.bytesMaximum = bytesMaximum }

    /// - Returns: the messages that are now complete, without their zero bytes.
    mutating func append(_ bytes: some Collection<UInt8>) -> [[UInt8]] {
        var messages: [[UInt8]] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: 0) {
            take(rest[..<end])
            if !isTooLong, !partial.isEmpty { messages.append(partial) }
            (partial, isTooLong) = ([], false)
            rest = rest[rest.index(after: end)...]
        }
        take(rest)
        return messages
    }

    private mutating func take(_ bytes: some Collection<UInt8>) {
        isTooLong = isTooLong || partial.count + bytes.count > bytesMaximum
        if isTooLong { partial = [] } else { partial += bytes }
    }
}
