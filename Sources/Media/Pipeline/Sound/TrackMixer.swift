import Codec
import Compositor
import Stage

/// Mixes the tracks' sound into one: frame by frame, limited, encoded. Owned by the director's
/// thread.
struct TrackMixer {
    /// The most ended tracks that are played to their end; beyond it the oldest is cut.
    static let departingMaximum = 64

    private var mixer: AudioMixer
    private var output: AudioOutput
    private var departing: [AudioSource] = []

    init(output: AudioOutput) {
        self.output = output
        mixer = AudioMixer(lowestBitrate: output.lowestBitrate)
    }

    /// A track has ended. Its queued sound is still played: cutting it off would click.
    mutating func heardOut(_ source: AudioSource) {
        source.isSpeaking = false
        departing.append(source)
        if departing.count > Self.departingMaximum { departing.removeFirst() }
    }

    /// Mixes the stretch of one frame. `deliver` gets each layer's packets.
    mutating func mix(
        _ sources: [AudioSource], frame: Int64, _ clock: SampleClock,
        deliver: (Int, [EncodedPacket]) -> Void
    ) throws(CodecError) {
        let start = clock.firstSample(ofFrame: frame)
        let end = clock.firstSample(ofFrame: frame + 1)
        var blocks: [[Float]] = []
        for source in sources {
            if let block = source.pull(Int(end - start), through: end) { blocks.append(block) }
        }
        departing.removeAll { source in
            guard let block = source.pull(Int(end - start), through: end) else { return true }
            blocks.append(block)
            return false
        }
        let mixed = mixer.mix(sources: blocks, frames: Int(end - start))
        try output.append(mixed, deliver: deliver)
    }

    /// Sound before a sample is not mixed any more.
    mutating func goOn(at sample: Int64) {
        departing = []
        output.goOn(at: sample - Int64(AudioMixer.latency))
    }

    mutating func finish(
        deliver: (Int, [EncodedPacket]) -> Void
    ) throws(CodecError) {
        try output.finish(deliver: deliver)
    }
}
