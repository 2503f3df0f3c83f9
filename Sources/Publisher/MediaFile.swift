import Codec
import MediaKernel
import RTP

/// A media file, played in a loop, as a sequence of frames that can go out over RTP.
///
/// Pictures and Opus sound pass as they are. Other sound is turned into Opus, which costs little.
struct MediaFile {
    struct Frame {
        var isVideo: Bool
        var data: [UInt8]
        /// From the start of the first round, growing without a seam.
        var time: MediaTime
        var isKeyframe: Bool
    }

    private struct Transcoder {
        let decoder: AudioDecoder
        let encoder: OpusEncoder
        var samples: [Float] = []
        /// Samples encoded so far, which tell the time: decoded blocks have no gaps.
        var position: Int64?
    }

    let videoCodec: MediaCodec?
    /// Pictures per second, nil when they vary.
    let frameRate: Double?
    /// Of each picture; 0 without any.
    let pixels: Int
    let hasAudio: Bool
    /// How long one round takes.
    var duration: MediaTime { reader.duration }
    private let reader: MediaFileReader
    private let videoTrack: Int?
    private let audioTrack: Int?
    private var transcoder: Transcoder?
    private var ready: [Frame] = []

    init(path: String) throws {
        reader = try MediaFileReader(path: path, loops: true)
        let video = reader.tracks.first(where: \.isVideo)
        let audio = reader.tracks.first { !$0.isVideo }
        guard video != nil || audio != nil else { throw PublisherError.nothingToSend(path: path) }
        if let video {
            guard let codec = MediaCodec(rawValue: video.codec), codec.isVideo, !video.isReordered
            else { throw PublisherError.unsupportedVideo(codec: video.codec, path: path) }
            videoCodec = codec
        } else {
            videoCodec = nil
        }
        if case .video(let width, let height, let rate) = video?.kind {
            (frameRate, pixels) = (rate, width * height)
        } else {
            (frameRate, pixels) = (nil, 0)
        }
        videoTrack = video?.index
        audioTrack = audio?.index
        hasAudio = audio != nil
        if let audio, audio.codec != MediaCodec.opus.rawValue {
            transcoder = Transcoder(
                decoder: try reader.makeAudioDecoder(for: audio), encoder: try OpusEncoder())
        }
    }

    /// The next frame in the order of the file.
    mutating func next() throws -> Frame? {
        while ready.isEmpty {
            guard let packet = try reader.read() else { return nil }
            if packet.track == videoTrack {
                return Frame(
                    isVideo: true, data: packet.data, time: packet.pts,
                    isKeyframe: packet.isKeyframe)
            }
            guard packet.track == audioTrack else { continue }
            guard transcoder != nil else {
                return Frame(
                    isVideo: false, data: packet.data, time: packet.pts, isKeyframe: true)
            }
            try transcode(packet)
        }
        return ready.removeFirst()
    }

    private mutating func transcode(_ packet: MediaFileReader.Packet) throws {
        guard var state = transcoder else { return }
        for block in try state.decoder.decode(packet.data, pts: packet.pts) {
            if state.position == nil {
                // A decoder gives the sound that much later than it is put in.
                state.position =
                    block.pts.rescaled(to: Int32(OpusEncoder.sampleRate)).ticks
                    - Int64(state.encoder.lookahead)
            }
            state.samples += block.samples
        }
        let count = OpusEncoder.frameSize * OpusEncoder.channels
        while state.samples.count >= count, let position = state.position {
            let data = try state.encoder.encode(Array(state.samples.prefix(count)))
            state.samples.removeFirst(count)
            ready.append(
                Frame(
                    isVideo: false, data: data,
                    time: MediaTime(ticks: position, timescale: Int32(OpusEncoder.sampleRate)),
                    isKeyframe: true))
            state.position = position + Int64(OpusEncoder.frameSize)
        }
        transcoder = state
    }
}
