import Codec
import MediaKernel
import RTP

/// A media file, played in a loop, as a sequence of frames for RTP.
///
/// Pictures and Opus sound pass unchanged. Other sound is transcoded to Opus, which costs little.
struct MediaFile {
    struct Frame {
        var isVideo: Bool
        var data: [UInt8]
        /// From the start of the first round, increasing without a seam.
        var time: MediaTime
        var isKeyframe: Bool
    }

    let videoCodec: MediaCodec?
    /// Pictures per second, nil when they vary.
    let frameRate: Double?
    /// Of each picture; 0 without any.
    let pixels: Int
    let hasAudio: Bool
    /// The duration of one round.
    var duration: MediaTime { reader.duration }
    private let reader: MediaFileReader
    private let videoTrack: Int?
    private let audioTrack: Int?
    private var transcoder: SoundTranscoder?
    private var ready: [Frame] = []

    init(path: String) throws {
        do {
            reader = try MediaFileReader(path: path, loops: true)
        } catch {
            throw PublisherError.unreadable(path: path, reason: error.reason)
        }
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
            transcoder = try SoundTranscoder(
                decoder: try reader.makeAudioDecoder(for: audio), length: reader.duration)
        }
    }

    /// The next frame in file order.
    mutating func next() throws -> Frame? {
        while ready.isEmpty {
            guard let packet = try reader.read() else { return nil }
            if packet.track == videoTrack {
                return Frame(
                    isVideo: true, data: packet.data, time: packet.pts,
                    isKeyframe: packet.isKeyframe)
            }
            guard packet.track == audioTrack else { continue }
            guard let frames = try transcoder?.transcode(packet) else {
                return Frame(
                    isVideo: false, data: packet.data, time: packet.pts, isKeyframe: true)
            }
            ready += frames
        }
        return ready.removeFirst()
    }
}
