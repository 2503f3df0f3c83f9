import Codec
import MediaKernel

/// Turns a file's sound into Opus, round after round, each as long as the file to the sample.
///
/// A decoder's run-up before a round and what it gives behind its end are left out: two rounds
/// decoded as one would disturb each other where they meet.
struct SoundTranscoder {
    private static let frame = OpusEncoder.frameSize
    private static let channels = OpusEncoder.channels
    private static let rate = Int32(OpusEncoder.sampleRate)
    /// A longer gap in a file (1 s) is not sent at all; a shorter one is sent as silence.
    static let silenceMaximum = Int64(OpusEncoder.sampleRate)

    private let decoder: AudioDecoder
    private let encoder: OpusEncoder
    /// How long a round takes.
    private let length: MediaTime
    private var round = 0
    /// Not yet encoded.
    private var samples: [Float] = []
    /// Where the next sample belongs, counted from the start of the first round.
    private var end: Int64 = 0

    /// - Parameter length: how long a round takes.
    init(decoder: AudioDecoder, length: MediaTime) throws {
        self.decoder = decoder
        self.length = length
        encoder = try OpusEncoder()
    }

    /// The packets of Opus that this packet of the file completes.
    mutating func transcode(_ packet: MediaFileReader.Packet) throws -> [MediaFile.Frame] {
        var ready: [MediaFile.Frame] = []
        if packet.round != round {
            for block in try decoder.flush() { try take(block, &ready) }
            round = packet.round
            try fill(until: start(of: round), &ready)
        }
        for block in try decoder.decode(packet.data, pts: packet.pts) { try take(block, &ready) }
        return ready
    }

    private func start(of round: Int) -> Int64 {
        MediaTime(ticks: length.ticks * Int64(round), timescale: length.timescale)
            .rescaled(to: Self.rate).ticks
    }

    /// Appends as much of a block as belongs behind what is there and into its round.
    private mutating func take(_ block: DecodedAudio, _ ready: inout [MediaFile.Frame]) throws {
        let begin = block.pts.rescaled(to: Self.rate).ticks
        let blockEnd = begin + Int64(block.samples.count / Self.channels)
        let roundEnd = start(of: round + 1)
        guard min(blockEnd, roundEnd) > end, begin < roundEnd else { return }
        try fill(until: begin, &ready)
        let first = Int(end - begin) * Self.channels
        let last = Int(min(blockEnd, roundEnd) - begin) * Self.channels
        samples += block.samples[first..<last]
        end = min(blockEnd, roundEnd)
        try encode(&ready)
    }

    /// Nothing comes before this time any more.
    private mutating func fill(until time: Int64, _ ready: inout [MediaFile.Frame]) throws {
        guard time > end else { return }
        let isSent = time - end <= Self.silenceMaximum
        // What waits is completed in any case.
        let silence = isSent ? Int(time - end) : (Self.frame - waiting % Self.frame) % Self.frame
        samples += repeatElement(0, count: silence * Self.channels)
        end += Int64(silence)
        try encode(&ready)
        end = time
    }

    private var waiting: Int { samples.count / Self.channels }

    private mutating func encode(_ ready: inout [MediaFile.Frame]) throws {
        var first = 0
        while waiting - first >= Self.frame {
            let range = first * Self.channels..<(first + Self.frame) * Self.channels
            // A decoder gives the sound that much later than it is put in.
            let time = end - Int64(waiting - first) - Int64(encoder.lookahead)
            ready.append(
                MediaFile.Frame(
                    isVideo: false, data: try encoder.encode(Array(samples[range])),
                    time: MediaTime(ticks: time, timescale: Self.rate), isKeyframe: true))
            first += Self.frame
        }
        samples.removeFirst(first * Self.channels)
    }
}
