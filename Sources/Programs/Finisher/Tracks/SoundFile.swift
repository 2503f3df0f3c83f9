import Catalogue
import Codec
import Recording

/// A file of 16-bit samples whose length is known before the first of them.
final class SoundFile {
    private let file: MeteredFile
    private let channels: Int
    /// Nil for WAV.
    private let encoder: FLACEncoder?
    private var waiting: [Int16] = []
    /// Per channel, still to be written.
    private var rest: Int64

    /// - Parameter samples: per channel.
    /// - Throws: `RecordingError`, `CodecError`.
    init(
        _ place: RecordingAssets.Place, _ format: MixOrder.Format, sampleRate: Int, channels: Int,
        samples: Int64
    ) throws {
        self.channels = channels
        rest = samples
        encoder =
            format == .flac ? try FLACEncoder(sampleRate: sampleRate, channels: channels) : nil
        file = try MeteredFile(place)
        try file.write(
            encoder?.header(samples: samples)
                ?? Self.wavHeader(sampleRate: sampleRate, channels: channels, samples: samples))
    }

    /// - Parameter values: samples of all channels in turn, nominally -1 to 1. Those beyond the
    ///   file's length are left out.
    func write(_ values: [Float]) throws {
        let count = min(Int64(values.count / channels), rest)
        rest -= count
        waiting += values.prefix(Int(count) * channels).map { value in
            Int16(max(-32_768, min(32_767, (value * 32_767).rounded())))
        }
        let block = (encoder?.frameSize ?? 4096) * channels
        var position = 0
        while waiting.count - position >= block {
            try put(Array(waiting[position..<position + block]))
            position += block
        }
        waiting.removeFirst(position)
    }

    private func put(_ samples: [Int16]) throws {
        guard let encoder else {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(samples.count * 2)
            for sample in samples {
                let bits = UInt16(bitPattern: sample)
                bytes.append(UInt8(truncatingIfNeeded: bits))
                bytes.append(UInt8(bits >> 8))
            }
            return try file.write(bytes)
        }
        for frame in try encoder.encode(samples) { try file.write(frame) }
    }

    /// Fills the file with silence up to its length, and puts it in its place.
    func finish() throws -> MeteredFile.Size {
        while rest > 0 {
            try write([Float](repeating: 0, count: Int(min(rest, 48_000)) * channels))
        }
        if !waiting.isEmpty { try put(waiting) }
        for frame in try encoder?.flush() ?? [] { try file.write(frame) }
        return try file.finish()
    }

    /// RIFF, or RF64 (EBU Tech 3306) for more than its 32 bits can say.
    static func wavHeader(sampleRate: Int, channels: Int, samples: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        func text(_ text: String) { bytes += Array(text.utf8) }
        func number<Value: FixedWidthInteger>(_ value: Value) {
            withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
        }
        let data = UInt64(samples) * UInt64(2 * channels)
        let isLong = data + 36 > UInt64(UInt32.max)
        let short = { (size: UInt64) in isLong ? UInt32.max : UInt32(size) }
        text(isLong ? "RF64" : "RIFF")
        number(short(data + 36))
        text("WAVE")
        if isLong {
            text("ds64")
            number(UInt32(28))
            number(data + 36 + 36)
            number(data)
            number(UInt64(samples))
            number(UInt32(0))
        }
        text("fmt ")
        number(UInt32(16))
        number(UInt16(1))  // PCM
        number(UInt16(channels))
        number(UInt32(sampleRate))
        number(UInt32(sampleRate * channels * 2))
        number(UInt16(channels * 2))
        number(UInt16(16))
        text("data")
        number(short(data))
        return bytes
    }
}
