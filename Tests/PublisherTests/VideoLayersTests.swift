import Codec
import MediaKernel
import Testing
import Workbench

@testable import Publisher

@Suite struct VideoLayersTests {
    @Test func layersAreNamedAsBrowsersNameThemAndOneFormHasNoName() {
        #expect(VideoLayers(count: 1).rids == [])
        #expect(VideoLayers(count: 2).rids == ["f", "h"])
        #expect(VideoLayers(count: 3).rids == ["f", "h", "q"])
    }

    @Test func theUpperLayersAreSwitchedOffAndOn() {
        var layers = VideoLayers(count: 3)
        func sent() -> [Bool] { (0..<3).map { layers.isSent($0) } }
        #expect(sent() == [true, true, true])
        #expect(layers.send(1).isEmpty)
        #expect(sent() == [false, false, true])
        #expect(layers.send(2) == 1..<2)
        #expect(sent() == [false, true, true])
        // A number beyond the existing layers means all of them.
        #expect(layers.send(9) == 0..<1)
        #expect(sent() == [true, true, true])
        #expect(layers.send(3).isEmpty)
    }

    @Test func filesOfOneVideoAreLayersOfIt() throws {
        let clips = try Clips()
        let first = try MediaFile(path: try clips.make("first", .vp8, 320, 180, pictures: 30))
        let half = try clips.make("half", .vp8, 160, 90, pictures: 30)
        let quarter = try clips.make("quarter", .vp8, 80, 46, pictures: 30)
        let layers = try VideoLayers.open([half, quarter], of: first)
        #expect(layers.map(\.pixels) == [160 * 90, 80 * 46])
        #expect(throws: PublisherError.notSmaller(path: half)) {
            try VideoLayers.open([quarter, half], of: first)
        }
        #expect(throws: PublisherError.tooManyLayers(maximum: 3)) {
            try VideoLayers.open([half, quarter, quarter], of: first)
        }
    }

    @Test func filesThatCannotBeLayersAreRefusedByName() throws {
        let clips = try Clips()
        let first = try MediaFile(path: try clips.make("first", .vp8, 320, 180, pictures: 30))
        let other = try clips.make("other", .vp9, 160, 90, pictures: 30)
        #expect(throws: PublisherError.differentCodecs(path: other)) {
            try VideoLayers.open([other], of: first)
        }
        let short = try clips.make("short", .vp8, 160, 90, pictures: 29)
        #expect(throws: PublisherError.differentLength(path: short)) {
            try VideoLayers.open([short], of: first)
        }
        #expect {
            try VideoLayers.open(["/no/such/file"], of: first)
        } throws: { error in
            if case PublisherError.unreadable("/no/such/file", _) = error { true } else { false }
        }
    }

    @Test func aFileThatIsShownAnswersRequestsForKeyFrames() throws {
        let clips = try Clips()
        var shown = FilePlayer(
            try MediaFile(path: try clips.make("first", .vp8, 160, 90, pictures: 30)))
        #expect(try shown.next(before: .seconds(1)) == nil)
        shown.start(at: .zero)
        var keyframes: [Int] = []
        var index = 0
        while let (frame, time) = try shown.next(before: .seconds(1)) {
            #expect(abs((time - .seconds(1) * index / 30).nanoseconds) < 1_000_000)
            if index == 17 { shown.requestKeyframe() }
            if try shown.pass(frame).isKeyframe { keyframes.append(index) }
            index += 1
        }
        #expect(index == 30 && keyframes == [0, 17])
    }
}

/// Short files of moving grey without sound, in their own directory.
private struct Clips {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// An IVF file with 30 pictures per second; returns its path.
    func make(
        _ name: String, _ format: VPXEncoder.Format, _ width: Int, _ height: Int, pictures: Int
    ) throws -> String {
        let encoder = try VPXEncoder(
            format,
            VideoEncoderSettings(
                width: width, height: height, frameRate: 30, bitrate: 200_000,
                keyframeInterval: 3600))
        var file = Array("DKIF".utf8) + little(0, 2) + little(32, 2)
        file += Array((format == .vp8 ? "VP80" : "VP90").utf8)
        file += little(width, 2) + little(height, 2) + little(30, 4) + little(1, 4)
        file += little(pictures, 4) + little(0, 4)
        for index in 0..<pictures {
            let grey = Colour(red: UInt8(index * 8), green: UInt8(index * 8), blue: 0)
            let picture = try VideoFrame.solid(width: width, height: height, colour: grey)
            for packet in try encoder.encode(
                picture, index: Int64(index), forceKeyframe: index == 0)
            {
                file += little(packet.data.count, 4) + little(index, 8) + packet.data
            }
        }
        return try scratch.write(file, to: "\(name).ivf")
    }

    private func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}
