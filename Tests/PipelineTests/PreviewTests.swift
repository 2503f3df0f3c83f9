import Codec
import Foundation
import MediaKernel
import Streams
import Testing
import Workbench

@testable import Pipeline

/// The small pictures for those who direct a stream.
@Suite struct PreviewTests {
    private let picture: VideoFrame
    private let inbox = Mailbox<VideoFrame>(maximum: 1)

    init() throws {
        picture = try VideoFrame.solid(
            width: 640, height: 360, colour: Colour(red: 200, green: 30, blue: 30))
    }

    private func time(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    /// What the writer would take now.
    private func taken() -> Int {
        var batch: [VideoFrame] = []
        _ = inbox.takeAll(into: &batch, until: .zero)
        return batch.count
    }

    @Test func nothingIsTakenWhileNobodyLooks() {
        var tap = PreviewTap(to: inbox)
        for frame in 0..<100 { tap.offer(picture, at: time(frame * 33)) }
        #expect(taken() == 0)
    }

    @Test func aboutOneASecondIsTakenWhileSomebodyLooks() {
        var tap = PreviewTap(to: inbox)
        tap.wanted(for: .seconds(5), at: time(10_000))
        var taken = 0
        for milliseconds in stride(from: 10_000, to: 30_000, by: 40) {
            tap.offer(picture, at: time(milliseconds))
            taken += self.taken()
        }
        #expect(taken == 5)
    }

    @Test func aShorterWishEndsNone() {
        var tap = PreviewTap(to: inbox)
        tap.wanted(for: .seconds(5), at: time(0))
        tap.wanted(for: .seconds(1), at: time(0))
        tap.offer(picture, at: time(4900))
        #expect(taken() == 1)
    }

    @Test func aWriterThatIsBusyGetsNoSecondPicture() {
        var tap = PreviewTap(to: inbox)
        tap.wanted(for: .seconds(5), at: time(0))
        tap.offer(picture, at: time(0))
        tap.offer(picture, at: time(1500))
        #expect(taken() == 1)
        tap.offer(picture, at: time(1540))
        #expect(taken() == 1)
    }

    @Test func itIsASmallJPEGThatGoesWithTheWriter() async throws {
        let scratch = try Scratch()
        let writer = PreviewWriter(in: scratch.path)
        let file = "\(scratch.path)/\(StreamPreview.fileName)"
        let thread = MediaThread(name: "preview") { writer.run() }
        #expect(writer.inbox.put(picture))
        // A second one is only taken when the first one is being written.
        #expect(writer.inbox.put(picture))
        #expect(writer.inbox.put(picture))
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
        let still = try StillPicture.decode(bytes)
        #expect(still.width == 480 && still.height == 270)
        writer.inbox.close()
        await thread.join()
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == [])
    }

    @Test func aFaultOfTheDiskIsNoFaultOfTheStream() throws {
        let writer = PreviewWriter(in: "/nowhere")
        _ = writer.inbox.offer(picture)
        writer.inbox.close()
        writer.run()
    }

    @Test(arguments: [
        (1280, 720, 480, 270), (720, 1280, 270, 480), (1920, 1080, 480, 270), (320, 180, 320, 180),
        (480, 480, 480, 480), (8192, 2, 480, 2), (1000, 333, 480, 158),
    ])
    func itsSizeFits(width: Int, height: Int, smallWidth: Int, smallHeight: Int) {
        let small = StreamPreview.size(of: width, height)
        #expect(small.width == smallWidth && small.height == smallHeight)
    }
}
