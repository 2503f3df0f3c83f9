import Codec
import HLS
import MediaKernel
import Stage
import Testing

@testable import Pipeline

@Suite struct VideoSourceTests {
    static func keyframe(
        _ format: VPXEncoder.Format, width: Int, height: Int, _ colour: Colour = .white
    ) throws -> [UInt8] {
        let encoder = try VPXEncoder(
            format,
            VideoEncoderSettings(
                width: width, height: height, frameRate: 30, bitrate: 200_000,
                keyframeInterval: 300))
        let picture = try VideoFrame.solid(width: width, height: height, colour: colour)
        return try #require(try encoder.encode(picture, index: 0, forceKeyframe: true).first).data
    }

    /// Annex B of the VP9 bitstream specification: frames, and an index of their sizes.
    private func superframe(_ frames: [[UInt8]]) -> [UInt8] {
        let marker = 0b1100_0000 | 3 << 3 | UInt8(frames.count - 1)
        let sizes = frames.flatMap { frame in
            (0..<4).map { UInt8(truncatingIfNeeded: frame.count >> (8 * $0)) }
        }
        return frames.flatMap { $0 } + [marker] + sizes + [marker]
    }

    @Test func ofSpatialLayersTheBestIsShown() throws {
        let source = try VideoSource(codec: .vp9, isScreen: false)
        let layers = try [(160, 90), (320, 180), (640, 360)].map {
            try Self.keyframe(.vp9, width: $0.0, height: $0.1)
        }
        let frame = IncomingFrame(
            data: superframe(layers), timestamp: 9000, isKeyframe: true, arrival: .zero)
        let outcome = source.receive(frame) { _ in .zero + .milliseconds(100) }
        #expect(outcome == .taken)
        #expect(source.timeline.queuedFrames == 1)
        guard case .show(let picture) = source.choose(at: .zero + .milliseconds(100)) else {
            Issue.record("no picture")
            return
        }
        #expect(picture.frame.width == 640)
    }

    /// Larger than `VideoDecoder.pixelsMaximum`, or plain nonsense: the decoder always refuses.
    @Test func keyFramesThatAreOfNoUseAreAskedForLessAndLess() throws {
        let source = try VideoSource(codec: .vp8, isScreen: true)
        var asked: [Double] = []
        var told: [Double] = []
        // RFC 6386 section 9.1: a key frame of 16383x16383 samples without any content.
        let nonsense: [UInt8] = [0x10, 0, 0, 0x9d, 0x01, 0x2a, 0xff, 0x3f, 0xff, 0x3f]
        for index in 0..<3000 {
            let arrival = Instant.zero + .milliseconds(100 * index)
            let frame = IncomingFrame(
                data: nonsense, timestamp: Int64(9000 * index), isKeyframe: index % 3 == 0,
                arrival: arrival)
            switch source.receive(frame, presentation: { _ in arrival }) {
            case .taken: Issue.record("decoded")
            case .keyframeNeeded: asked.append(Double(index) / 10)
            case .undecodable, .tooLarge: told.append(Double(index) / 10)
            case .waiting: break
            }
        }
        #expect(told == [0.6])
        #expect(
            asked == [0, 0.1, 0.2, 0.3, 0.4, 0.5, 2.6, 6.6, 14.6, 30.6, 62.6, 122.6, 182.6, 242.6])
        // A decodable frame is shown all the same, and starts over.
        let good = IncomingFrame(
            data: try Self.keyframe(.vp8, width: 64, height: 36), timestamp: 40_000_000,
            isKeyframe: true, arrival: .zero + .seconds(400))
        #expect(source.receive(good, presentation: { _ in .zero }) == .taken)
        for index in 1..<VideoSource.provingFrames {
            let next = IncomingFrame(
                data: good.data, timestamp: 40_000_000 + Int64(3000 * index), isKeyframe: false,
                arrival: .zero + .seconds(400))
            #expect(source.receive(next, presentation: { _ in .zero }) == .taken)
        }
        let bad = IncomingFrame(
            data: nonsense, timestamp: 41_000_000, isKeyframe: true, arrival: .zero + .seconds(401))
        #expect(source.receive(bad, presentation: { _ in .zero }) == .keyframeNeeded)
    }

    /// One key frame shows the size, and later frames are not even tried.
    @Test func picturesThatAreTooLargeAreToldWithTheirSize() throws {
        let source = try VideoSource(codec: .vp8, isScreen: false)
        let data = try Self.keyframe(.vp8, width: 64, height: 36)
        func receive(_ second: Int, _ size: IncomingFrame.Size?) -> VideoSource.Outcome {
            let arrival = Instant.zero + .seconds(second)
            let frame = IncomingFrame(
                data: data, timestamp: Int64(second * 90_000), isKeyframe: true, size: size,
                arrival: arrival)
            return source.receive(frame, presentation: { _ in arrival })
        }
        let limit = IncomingFrame.Size(width: 3840, height: 2160)
        #expect(receive(0, limit) == .taken)
        let cinema = IncomingFrame.Size(width: 4096, height: 2160)
        #expect(receive(1, cinema) == .tooLarge(cinema))
        #expect(source.isUndecodable)
        #expect(receive(2, cinema) == .waiting)
        #expect(receive(3, IncomingFrame.Size(width: .max, height: 2)) == .keyframeNeeded)
        // Once it is small enough for long enough it counts like any other.
        for second in 4..<4 + VideoSource.provingFrames {
            #expect(receive(second, limit) == .taken)
        }
        #expect(!source.isUndecodable)
    }

    /// Decoded without its predecessors, it would be garbage.
    @Test func behindWhatWasPassedOverNothingIsDecodedBeforeAKeyFrame() throws {
        let source = try VideoSource(codec: .vp8, isScreen: false)
        let keyframe = try Self.keyframe(.vp8, width: 64, height: 36)
        func receive(_ milliseconds: Int, isKeyframe: Bool = false) -> VideoSource.Outcome {
            let arrival = Instant.zero + .milliseconds(milliseconds)
            let frame = IncomingFrame(
                data: keyframe, timestamp: Int64(milliseconds * 90), isKeyframe: isKeyframe,
                arrival: arrival)
            return source.receive(frame, presentation: { _ in arrival })
        }
        #expect(receive(0, isKeyframe: true) == .taken)
        source.passOver()
        #expect(receive(100) == .keyframeNeeded)
        #expect(receive(200) == .waiting && receive(1099) == .waiting)
        #expect(receive(1100) == .keyframeNeeded)
        #expect(receive(1200, isKeyframe: true) == .taken && receive(1300) == .taken)
        // No frame of it is awaited.
        source.setMuted(true)
        source.passOver()
        #expect(receive(1400) == .waiting)
        source.setMuted(false)
        #expect(receive(1500) == .keyframeNeeded)
    }

    /// A person whose camera stops is gone; a page that is being read is not.
    @Test(arguments: [true, false])
    func aScreenIsHeldWhileItIsWhatItsSenderShows(isScreen: Bool) throws {
        var lastSign: Instant?
        let source = try VideoSource(codec: .vp8, isScreen: isScreen, lastSign: { lastSign })
        let keyframe = try Self.keyframe(.vp8, width: 64, height: 36)
        func receive(_ data: [UInt8], seconds: Int) -> VideoSource.Outcome {
            let arrival = Instant.zero + .seconds(seconds)
            let frame = IncomingFrame(
                data: data, timestamp: Int64(seconds * 90_000), isKeyframe: true, arrival: arrival)
            let outcome = source.receive(frame, presentation: { _ in arrival })
            _ = source.choose(at: arrival)
            return outcome
        }
        func hasPicture(seconds: Int) -> Bool {
            source.hasPicture(at: .zero + .seconds(seconds))
        }
        #expect(receive(keyframe, seconds: 0) == .taken)
        #expect(hasPicture(seconds: 3) && hasPicture(seconds: 15) == isScreen)
        #expect(!hasPicture(seconds: 16))
        lastSign = .zero + .seconds(100)
        #expect(hasPicture(seconds: 115) == isScreen && !hasPicture(seconds: 116))
        // New frames are not seen.
        source.passOver()
        #expect(!hasPicture(seconds: 115))
        #expect(receive(keyframe, seconds: 120) == .taken && hasPicture(seconds: 121))
        lastSign = .zero + .seconds(200)
        #expect(hasPicture(seconds: 201) == isScreen)
        #expect(receive([0xf1, 0xff, 0xff, 0, 0], seconds: 201) == .keyframeNeeded)
        #expect(!hasPicture(seconds: 202))
    }

    /// The decoder accepts the key frames and none of the frames between them.
    @Test func keyFramesThatLeadNowhereAreAskedForLessAndLess() throws {
        let source = try VideoSource(codec: .vp8, isScreen: false)
        let keyframe = try Self.keyframe(.vp8, width: 64, height: 36)
        var asked = 0
        var told = 0
        var isKeyframeDue = true
        for index in 0..<3000 {
            let arrival = Instant.zero + .milliseconds(100 * index)
            // The sender answers each request with the next frame.
            let frame = IncomingFrame(
                data: isKeyframeDue ? keyframe : [0xf1, 0xff, 0xff, 0, 0],
                timestamp: Int64(9000 * index), isKeyframe: isKeyframeDue, arrival: arrival)
            isKeyframeDue = false
            switch source.receive(frame, presentation: { _ in arrival }) {
            case .taken, .waiting: break
            case .keyframeNeeded:
                asked += 1
                isKeyframeDue = true
            case .undecodable, .tooLarge: told += 1
            }
        }
        // In five minutes.
        #expect(told == 1)
        #expect(asked <= 10, "\(asked)")
    }
}
