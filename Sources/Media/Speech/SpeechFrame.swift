/// One message to a program that recognizes speech, on its standard input.
///
/// ```
/// 0        4         8                  16         20
/// | kind   | speaker | time             | count    | payload …
/// ```
/// Little-endian: `kind` is four letters of ASCII, `speaker` a number that means one track for as
/// long as the stream lasts, `time` milliseconds since 1970 on the stream's clock, and `count` the
/// payload's bytes.
public struct SpeechFrame: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A speaker is there: `{"peer_id": …, "peer_name": …}`.
        case begin = "SPKR"
        /// Samples: 16 kHz, mono, 16 bits, signed, little-endian. `time` is that of the first one.
        case sound = "PCM "
        /// The speaker is gone.
        case end = "DONE"
    }

    public static let sampleRate = 16_000
    public static let headerBytes = 20
    /// Half a second of sound; a name and an id are shorter.
    public static let payloadBytesMaximum = 16_000

    public var kind: Kind
    public var speaker: UInt32
    public var time: Int64
    public var payload: [UInt8]

    /// - Parameter payload: cut off beyond the maximum.
    public init(_ kind: Kind, speaker: UInt32, time: Int64, payload: [UInt8] = []) {
        self.kind = kind
        self.speaker = speaker
        self.time = time
        self.payload = Array(payload.prefix(Self.payloadBytesMaximum))
    }

    public var bytes: [UInt8] {
        var bytes = Array(kind.rawValue.utf8)
        func append(_ value: some FixedWidthInteger) {
            withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
        }
        append(speaker)
        append(time)
        append(UInt32(payload.count))
        return bytes + payload
    }
}

/// Cuts bytes into frames.
public struct SpeechFrameReader: Sendable {
    private var rest: [UInt8] = []
    /// The bytes are no frames; nothing more is read.
    public private(set) var isBroken = false

    public init() {}

    /// - Returns: the frames that are complete now.
    public mutating func read(_ bytes: some Sequence<UInt8>) -> [SpeechFrame] {
        guard !isBroken else { return [] }
        rest += bytes
        var frames: [SpeechFrame] = []
        var place = 0
        func number<Value: FixedWidthInteger>(_ offset: Int, _ type: Value.Type) -> Value {
            (0..<MemoryLayout<Value>.size).reduce(0) { value, index in
                value | Value(truncatingIfNeeded: rest[place + offset + index]) << (8 * index)
            }
        }
        while rest.count - place >= SpeechFrame.headerBytes {
            let name = String(decoding: rest[place..<place + 4], as: UTF8.self)
            let count = Int(number(16, UInt32.self))
            guard let kind = SpeechFrame.Kind(rawValue: name),
                count <= SpeechFrame.payloadBytesMaximum
            else {
                isBroken = true
                rest = []
                return frames
            }
            let end = place + SpeechFrame.headerBytes + count
            guard end <= rest.count else { break }
            frames.append(
                SpeechFrame(
                    kind, speaker: number(4, UInt32.self), time: number(8, Int64.self),
                    payload: Array(rest[(end - count)..<end])))
            place = end
        }
        rest.removeFirst(place)
        return frames
    }
}
