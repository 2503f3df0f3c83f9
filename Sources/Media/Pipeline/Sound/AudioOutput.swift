import Codec
import MediaKernel

/// The mixed sound on its way to the layers: gathered into AAC blocks and encoded once for each
/// bitrate of the ladder. Owned by the director's thread.
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
    /// The earliest time at which packets may begin.
    private var start = Int64.min

    /// - Parameters:
    ///   - bitrates: of each layer, in the ladder's order.
    ///   - firstSample: index of the first sample; below 0 if the input begins with samples from
    ///     before the stream.
    init(bitrates: [Int], firstSample: Int64) throws(CodecError) {
        position = firstSample
        var encoders: [Encoder] = []
        for bitrate in Set(bitrates).sorted() {
            let layers = bitrates.indices.filter { bitrates[$0] == bitrate }
            encoders.append(Encoder(encoder: try AACEncoder(bitrate: bitrate), layers: layers))
        }
        self.encoders = encoders
    }

    /// The lowest of the layers' audio bitrates, in bits per second.
    var lowestBitrate: Int { encoders.map(\.encoder.bitrate).min() ?? 0 }

    func parameters(ofLayer layer: Int) -> AudioStreamParameters? {
        encoders.first { $0.layers.contains(layer) }?.encoder.streamParameters
    }

    /// The next sound begins at another sample; an incomplete block is dropped. An encoder returns
    /// its held sound with the next block: earlier packets are dropped as well.
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

    /// Encodes the rest, filled up with silence.
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
