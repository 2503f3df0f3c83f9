import Codec
import MediaKernel

/// Transcodes a file's sound to Opus, round after round, each exactly as long as the file.
///
/// A decoder's run-up before a round and its output after the end are dropped: rounds decoded as
/// one would disturb each other where they meet.
struct SoundTranscoder {
    private static let frame = OpusEncoder.frameSize
    private static let channels = OpusEncoder.channels
    private static let rate = Int32(OpusEncoder.sampleRate)
    /// A longer gap in a file (1 s) is not sent at all; a shorter one is sent as silence.
    static let silenceMaximum = Int64(OpusEncoder.sampleRate)

    private let decoder: AudioDecoder
    private let encoder: OpusEncoder
    /// The duration of a round.
    private let length: MediaTime
    private var round = 0
    /// Not yet encoded.
    private var samples: [Float] = []
    /// The place of the next sample, counted from the start of the first round.
    private var end: Int64 = 0

    /// - Parameter length: the duration of a round.
    init(decoder: AudioDecoder, length: MediaTime) throws {
        self.decoder = decoder
        self.length = length
        encoder = try OpusEncoder()
    }

    /// The Opus packets that this packet of the file completes.
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

    /// Appends the part of a block that follows the samples so far and lies within its round.
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

    /// No more samples come before this time.
    private mutating func fill(until time: Int64, _ ready: inout [MediaFile.Frame]) throws {
        guard time > end else { return }
        let isSent = time - end <= Self.silenceMaximum
        // The waiting samples are completed in any case.
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
            // A decoder's output is later than the input by the lookahead.
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
