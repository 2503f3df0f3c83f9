import Codec
import MediaKernel

/// The mixed sound on its way to the layers: gathered into AAC's blocks and encoded once for each
/// bitrate that the ladder names. Owned by the director's thread.
struct AudioOutput {
    private struct Encoder {
        let encoder: AACEncoder
        let layers: [Int]
    }

    private let encoders: [Encoder]
    /// Interleaved samples that do not fill a block yet.
    private var pending: [Float] = []
    /// Index of the first pending sample.
    private var position: Int64
    /// Packets begin here at the earliest.
    private var start = Int64.min

    /// - Parameters:
    ///   - bitrates: of each layer, in the ladder's order.
    ///   - firstSample: index of the first sample that comes; below 0 when what feeds us begins
    ///     with samples of before the stream.
    init(bitrates: [Int], firstSample: Int64) throws(CodecError) {
        position = firstSample
        var encoders: [Encoder] = []
        for bitrate in Set(bitrates).sorted() {
            let layers = bitrates.indices.filter { bitrates[$0] == bitrate }
            encoders.append(Encoder(encoder: try AACEncoder(bitrate: bitrate), layers: layers))
        }
        self.encoders = encoders
    }

    /// Of the layers' sound, in bits per second.
    var lowestBitrate: Int { encoders.map(\.encoder.bitrate).min() ?? 0 }

    func parameters(ofLayer layer: Int) -> AudioStreamParameters? {
        encoders.first { $0.layers.contains(layer) }?.encoder.streamParameters
    }

    /// What comes next begins at another sample, and what has not filled a block is left out. An
    /// encoder gives what it holds with its next block: packets of before that are to be left out
    /// as well.
    mutating func goOn(at sample: Int64) {
        pending = []
        position = sample
        start = sample - Int64(AACEncoder.frameSize)
    }

    /// Takes the next stretch of sound. `deliver` gets each layer's packets.
    mutating func append(
        _ samples: [Float], deliver: (Int, [EncodedPacket]) -> Void
    ) throws(CodecError) {
        pending += samples
        let block = AACEncoder.frameSize * AACEncoder.channels
        var start = 0
        while pending.count - start >= block {
            try encode(Array(pending[start..<(start + block)]), deliver)
            start += block
        }
        pending.removeFirst(start)
    }

    private mutating func encode(
        _ block: [Float], _ deliver: (Int, [EncodedPacket]) -> Void
    ) throws(CodecError) {
        for entry in encoders {
            let packets = try entry.encoder.encode(block, index: position)
                .filter { $0.pts.rescaled(to: Int32(AACEncoder.sampleRate)).ticks >= start }
            guard !packets.isEmpty else { continue }
            for layer in entry.layers { deliver(layer, packets) }
        }
        position += Int64(AACEncoder.frameSize)
    }

    /// Gives what is left, filled up with silence.
    mutating func finish(deliver: (Int, [EncodedPacket]) -> Void) throws(CodecError) {
        if !pending.isEmpty {
            let block = AACEncoder.frameSize * AACEncoder.channels
            let last = pending + [Float](repeating: 0, count: block - pending.count)
            pending = []
            try encode(last, deliver)
        }
        for entry in encoders {
            let packets = try entry.encoder.flush()
            guard !packets.isEmpty else { continue }
            for layer in entry.layers { deliver(layer, packets) }
        }
    }
}
