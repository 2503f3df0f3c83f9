public import MediaKernel

/// The lines that a program prints, with limits: a longer one is left out, and so are those that
/// come too fast.
public struct SpeechLines: Sendable {
    /// A caption of 500 characters with all of them escaped is shorter.
    public static let bytesMaximum = 8192
    /// Per second in the long run, and in a burst.
    public static let ratePerSecond = 20
    public static let burst = 100

    private var rest: [UInt8] = []
    private var isTooLong = false
    private var rate: TokenBucket
    /// Lines that were left out.
    public private(set) var leftOut = 0

    public init(at now: Instant) {
        rate = TokenBucket(rate: Self.ratePerSecond, burst: Self.burst, at: now)
    }

    /// - Returns: the lines that are complete now, without line breaks: only those that may be
    ///   objects of JSON.
    public mutating func read(_ bytes: some Sequence<UInt8>, at now: Instant) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                if rest.count < Self.bytesMaximum { rest.append(byte) } else { isTooLong = true }
                continue
            }
            let line = rest
            let wasTooLong = isTooLong
            rest = []
            isTooLong = false
            guard line.first == UInt8(ascii: "{") else { continue }
            guard !wasTooLong, rate.take(1, at: now),
                let text = String(validating: line, as: UTF8.self)
            else {
                leftOut += 1
                continue
            }
            lines.append(text)
        }
        return lines
    }

    /// The program has ended within a line.
    public mutating func breakOff() { (rest, isTooLong) = ([], false) }
}
