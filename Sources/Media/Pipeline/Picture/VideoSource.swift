import Codec
import MediaKernel
import Stage

/// One video track: frames in, the picture of each moment out. Owned by the director's thread.
final class VideoSource {
    struct Picture: Sendable {
        var frame: VideoFrame
        /// Clockwise degrees by which to turn the picture.
        var rotation: Int
    }

    /// The result of decoding a frame.
    enum Outcome: Hashable {
        case taken
        /// The decoder needs a key frame; the caller must request one.
        case keyframeNeeded
        /// The decoder needs a key frame, to be requested later: one was just requested, earlier
        /// ones did not help, or the video is muted.
        case waiting
        /// Key frames arrive and cannot be decoded. Reported once.
        case undecodable(CodecError)
        /// The same, and final: the pictures have more pixels than the limit.
        case tooLarge(IncomingFrame.Size)
    }

    /// Key frames in a row that fail, or whose following frames fail, before the video counts as
    /// undecodable, for example because its pictures are larger than `VideoDecoder.pixelsMaximum`.
    /// Each key frame costs the sender quality, for all viewers.
    static let failedKeyframesMaximum = 3
    /// Frames that must be decoded in a row for a key frame to count as a success: 2 s of a camera,
    /// as long as the first pause.
    static let provingFrames = 60
    /// Growing pauses between requests from then on.
    static let pauses: ClosedRange<Duration> = .seconds(2) ... .seconds(60)

    private let decoder: any PictureDecoder
    private(set) var timeline: VideoTrackTimeline<Picture>
    /// Whether a first picture has come.
    private(set) var hasPicture = false
    private var failedKeyframes = 0
    /// Frames decoded since the last failure.
    private var decodedFrames = 0
    private var nextRequest: (at: Instant, pause: Duration)?
    /// Frames were skipped: the next ones cannot be decoded before a key frame.
    private var wasPassedOver = false
    /// When a key frame was requested because of that.
    private var lastRequest: Instant?
    /// Whether the last decoded picture is outdated.
    private var isOutdated = false
    /// When the sender was last heard of; nil if that is not to count.
    private let lastSign: () -> Instant?

    /// For a screen, from its sender's last sign of life on: it may stand still for hours.
    static let screenHoldLimit: Duration = .seconds(15)
    static let cameraHoldLimit: Duration = .seconds(3)
    /// The pause before a key frame that has not come is requested again.
    static let requestInterval: Duration = .seconds(1)

    /// - Parameter lastSign: when media or a report of the sender last arrived; ignored for a
    ///   camera.
    init(
        codec: SourceCodec, isScreen: Bool, lastSign: @escaping () -> Instant? = { nil }
    ) throws(CodecError) {
        self.lastSign = isScreen ? lastSign : { nil }
        timeline = VideoTrackTimeline(
            holdLimit: isScreen ? Self.screenHoldLimit : Self.cameraHoldLimit)
        switch codec {
        case .vp8: decoder = try VideoDecoder(codec: .vp8)
        case .vp9: decoder = try VideoDecoder(codec: .vp9)
        case .h264: decoder = try VideoDecoder(codec: .h264)
        case .av1: decoder = try VideoDecoder(codec: .av1)
        case .i420: decoder = PixelReader()
        case .opus: throw .partMissing("a picture in Opus")
        }
    }

    var isMuted: Bool { timeline.isMuted }
    /// Whether it was reported as undecodable and no frame has been decoded since.
    var isUndecodable: Bool { nextRequest != nil }

    /// Skips a frame without decoding it.
    func passOver() {
        wasPassedOver = true
        isOutdated = true
    }

    /// Marks the picture as outdated: a video without a tile is not decoded.
    func goUnseen() { isOutdated = true }

    /// Decodes a frame.
    func receive(_ frame: IncomingFrame, presentation: (Int64) -> Instant?) -> Outcome {
        if wasPassedOver {
            guard frame.isKeyframe else { return request(at: frame.arrival) }
            wasPassedOver = false
            lastRequest = nil
        }
        if let size = frame.size, Self.isTooLarge(size) { return refused(size, frame) }
        do throws(CodecError) {
            let pictures = try decoder.decode(frame)
            for (index, picture) in pictures.enumerated() {
                // Each of VP9's spatial layers comes out as a picture, the best one last.
                let isLast = index + 1 == pictures.count
                guard isLast || pictures[index + 1].timestamp != picture.timestamp,
                    let instant = presentation(picture.timestamp)
                else { continue }
                hasPicture = true
                timeline.insert(
                    Picture(frame: picture.frame, rotation: frame.rotation), at: instant,
                    bytes: picture.frame.byteCount)
            }
            isOutdated = false
            decodedFrames += 1
            if decodedFrames >= Self.provingFrames {
                failedKeyframes = 0
                nextRequest = nil
            }
            return .taken
        } catch {
            return failed(error, frame)
        }
    }

    private static func isTooLarge(_ size: IncomingFrame.Size) -> Bool {
        let (pixels, isHuge) = size.width.multipliedReportingOverflow(by: size.height)
        return isHuge || pixels > VideoDecoder.pixelsMaximum
    }

    /// Not even decoded: one key frame is proof enough.
    private func refused(_ size: IncomingFrame.Size, _ frame: IncomingFrame) -> Outcome {
        let isNews = !isUndecodable
        failedKeyframes = max(failedKeyframes, Self.failedKeyframesMaximum)
        let outcome = failed(
            .pictureSize(width: size.width, height: size.height), frame)
        return isNews ? .tooLarge(size) : outcome
    }

    private func request(at now: Instant) -> Outcome {
        if isMuted { return .waiting }
        if let lastRequest, now - lastRequest < Self.requestInterval { return .waiting }
        lastRequest = now
        return .keyframeNeeded
    }

    private func failed(_ error: CodecError, _ frame: IncomingFrame) -> Outcome {
        isOutdated = true
        // Frames were decoded, so there was a key frame, but it did not help.
        let wasInVain = (1..<Self.provingFrames).contains(decodedFrames)
        decodedFrames = 0
        if frame.isKeyframe || wasInVain { failedKeyframes += 1 }
        guard failedKeyframes >= Self.failedKeyframesMaximum else { return .keyframeNeeded }
        guard let next = nextRequest else {
            let pause = Self.pauses.lowerBound
            nextRequest = (frame.arrival + pause, pause)
            return .undecodable(error)
        }
        guard frame.arrival >= next.at else { return .waiting }
        let pause = min(next.pause * 2, Self.pauses.upperBound)
        nextRequest = (frame.arrival + pause, pause)
        return .keyframeNeeded
    }

    func setMuted(_ isMuted: Bool) { timeline.setMuted(isMuted) }

    func choose(at tick: Instant) -> VideoTrackTimeline<Picture>.Choice {
        timeline.frame(at: tick) { isOutdated ? nil : lastSign() }
    }

    /// Whether there is a picture to choose.
    func hasPicture(at tick: Instant) -> Bool {
        timeline.hasFrame(at: tick) { isOutdated ? nil : lastSign() }
    }
}
