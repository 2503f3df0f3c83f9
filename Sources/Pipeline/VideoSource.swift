import Codec
import MediaKernel
import Stage

/// One video track: frames in, the picture of each moment out. Owned by the director's thread.
final class VideoSource {
    struct Picture: Sendable {
        var frame: VideoFrame
        /// Clockwise degrees by which it is to be turned.
        var rotation: Int
    }

    private let decoder: VideoDecoder
    private(set) var timeline: VideoTrackTimeline<Picture>
    /// Whether a first picture has come.
    private(set) var hasPicture = false

    /// A shared screen may stand still for long: its last picture is worth more than a name.
    static let screenHoldLimit: Duration = .seconds(10)
    static let cameraHoldLimit: Duration = .seconds(3)

    init(codec: SourceCodec, isScreen: Bool) throws(CodecError) {
        timeline = VideoTrackTimeline(
            holdLimit: isScreen ? Self.screenHoldLimit : Self.cameraHoldLimit)
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
    func receive(_ frame: IncomingFrame, presentation: (Int64) -> Instant?) -> Bool {
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

    func setMuted(_ isMuted: Bool) { timeline.setMuted(isMuted) }

    func choose(at tick: Instant) -> VideoTrackTimeline<Picture>.Choice {
        timeline.frame(at: tick)
    }
}
