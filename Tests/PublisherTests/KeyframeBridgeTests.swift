import Codec
import Foundation
import RTP
import Testing

@testable import Publisher

@Suite struct KeyframeBridgeTests {
    private static let clip = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().appendingPathComponent("../../fixtures/media/ann.webm").path

    /// The clip's first pictures; it has a key frame every 30.
    private func pictures(_ count: Int) throws -> [MediaFile.Frame] {
        var file = try MediaFile(path: Self.clip)
        var pictures: [MediaFile.Frame] = []
        while pictures.count < count, let frame = try file.next() {
            if frame.isVideo { pictures.append(frame) }
        }
        return pictures
    }

    @Test func whatNobodyAskedForPassesAsItIs() throws {
        let bridge = try #require(KeyframeBridge(codec: .vp8, frameRate: 30))
        for frame in try pictures(40) { #expect(try bridge.pass(frame).data == frame.data) }
    }

    @Test func aRequestIsAnsweredWithTheNextPictureAndTheFileGoesOnAtItsKeyFrame() throws {
        let bridge = try #require(KeyframeBridge(codec: .vp8, frameRate: 30))
        let decoder = try VideoDecoder(codec: .vp8)
        let reference = try VideoDecoder(codec: .vp8)
        for (index, frame) in try pictures(40).enumerated() {
            if index == 12 { bridge.request() }
            let sent = try bridge.pass(frame)
            #expect(sent.isKeyframe == [0, 12, 30].contains(index))
            #expect((sent.data == frame.data) == !(12..<30).contains(index))
            #expect(sent.time == frame.time)
            // A viewer that joins with the request sees the same picture as one from the start.
            let expected = try #require(try reference.decode(frame.data, timestamp: 0).first)
            guard index >= 12 else { continue }
            let seen = try #require(try decoder.decode(sent.data, timestamp: 0).first)
            #expect(meanDifference(seen.frame, expected.frame) < 6)
        }
    }

    @Test func requestsInARowDoNotMakeKeyFramesInARow() throws {
        let bridge = try #require(KeyframeBridge(codec: .vp8, frameRate: 30))
        var keyframes: [Int] = []
        for (index, frame) in try pictures(29).enumerated() {
            if index >= 3 { bridge.request() }
            if try bridge.pass(frame).isKeyframe { keyframes.append(index) }
        }
        #expect(keyframes == [0, 3, 14, 25])
    }

    @Test func picturesThatWereNotSentAreKnownToTheNextOnes() throws {
        let bridge = try #require(KeyframeBridge(codec: .vp8, frameRate: 30))
        let all = try pictures(10)
        for frame in all.dropLast() { bridge.skip(frame) }
        bridge.request()
        #expect(try bridge.pass(all[9]).isKeyframe)
    }

    @Test func aCodecThatIsNotEncodedHereHasNoBridge() {
        #expect(KeyframeBridge(codec: .h264, frameRate: 30) == nil)
        #expect(KeyframeBridge(codec: .av1, frameRate: nil) == nil)
        #expect(KeyframeBridge(codec: .vp9, frameRate: nil) != nil)
    }

    /// Of the luma in every eighth row, since all rows take seconds in a debug build.
    private func meanDifference(_ one: VideoFrame, _ other: VideoFrame) -> Double {
        let width = one.width
        func luma(_ frame: VideoFrame) -> [UInt8] {
            frame.withPlanes { planes in
                stride(from: 0, to: frame.height, by: 8).flatMap { row in
                    (0..<width).map { planes.y.bytes[row * planes.y.stride + $0] }
                }
            }
        }
        let (first, second) = (luma(one), luma(other))
        let sum = zip(first, second).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        return Double(sum) / Double(first.count)
    }
}
