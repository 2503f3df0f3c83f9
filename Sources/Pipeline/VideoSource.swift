import Codec
import MediaKernel
import Stage

/// One video track: frames in, the picture of each moment out. Owned by the director's thread.
struct VideoSource {
    struct Picture: Sendable {
        var frame: VideoFrame
        /// Clockwise degrees by which it is to be turned.
        var rotation: Int
    }

    private let decoder: VideoDecoder
    private(set) var timeline = VideoTrackTimeline<Picture>()
    /// Something decodable has come.
    private(set) var hasPicture = false

    init(codec: SourceCodec) throws(CodecError) {
        let kind: VideoCodecKind
        switch codec {
        case .vp8: kind = .vp8
        case .vp9: kind = .vp9
        case .h264: kind = .h264
        case .av1: kind = .av1
        case .opus: throw .partMissing("a picture in Opus")
        }
        decoder = try VideoDecoder(codec: kind)
    }

    /// Decodes a frame. Gives false when the decoder needs a key frame to go on.
    mutating func receive(_ frame: IncomingFrame, presentation: (Int64) -> Instant?) -> Bool {
        do throws(CodecError) {
            for picture in try decoder.decode(frame.data, timestamp: frame.timestamp) {
                guard let instant = presentation(picture.timestamp) else { continue }
                hasPicture = true
                timeline.insert(
                    Picture(frame: picture.frame, rotation: frame.rotation), at: instant)
            }
            return true
        } catch {
            return false
        }
    }

    mutating func setMuted(_ isMuted: Bool) { timeline.setMuted(isMuted) }

    mutating func choose(at tick: Instant) -> VideoTrackTimeline<Picture>.Choice {
        timeline.frame(at: tick)
    }
}
