/// What the first bytes of an Opus packet say. RFC 6716 sect. 3.1.
public enum OpusPacket {
    /// Of all times, whatever the sound's own rate.
    public static let sampleRate: Int64 = 48_000
    /// The longest packet, in samples: 120 ms.
    public static let samplesMaximum: Int64 = 5_760
    /// What libopus delays sound by, in samples. Receivers do not learn the sender's own figure.
    public static let lookahead: Int64 = 312

    /// 20 ms of silence, as encoders make it of digital silence (CELT, full band).
    public static func silence(isStereo: Bool) -> [UInt8] { [isStereo ? 0xFC : 0xF8, 0xFF, 0xFE] }

    public static let silenceSamples: Int64 = 960

    public static func isStereo(_ packet: some Collection<UInt8>) -> Bool {
        packet.first.map { $0 & 0x04 != 0 } ?? false
    }

    /// The packet's length in samples; nil for bytes that are no packet.
    public static func samples(_ packet: some Collection<UInt8>) -> Int64? {
        guard let first = packet.first else { return nil }
        let configuration = Int(first >> 3)
        let frame: Int64 =
            switch configuration {
            case 0..<12: [480, 960, 1920, 2880][configuration % 4]
            case 12..<16: [480, 960][configuration % 2]
            default: [120, 240, 480, 960][configuration % 4]
            }
        let count: Int64
        switch first & 0x03 {
        case 0: count = 1
        case 1, 2: count = 2
        default:
            guard let second = packet.dropFirst().first else { return nil }
            count = Int64(second & 0x3F)
        }
        let samples = count * frame
        return (1...samplesMaximum).contains(samples) ? samples : nil
    }

    /// `OpusHead`, also the private data of Opus in Matroska. RFC 7845 sect. 5.1.
    public static func head(channels: Int) -> [UInt8] {
        let skip = UInt16(lookahead)
        return Array("OpusHead".utf8) + [
            1, UInt8(channels), UInt8(truncatingIfNeeded: skip), UInt8(skip >> 8), 0x80, 0xBB, 0,
            0, 0, 0, 0,
        ]
    }
}
