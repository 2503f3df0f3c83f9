import Catalogue
import ChildProcesses
import Codec
import Foundation
import RecordedStreams
import Recording
import Testing

@testable import Finisher

@Suite struct ThumbnailTests {
    private let directory = "hls/room/2026-02-03/1770091506/thumbnails"

    @Test func thumbnailsAndTheSheetAreMadeAndEveryAssetNamesThem() throws {
        let world = try FinishedStream(
            thumbnails: ThumbnailOrder(width: 160, offsets: [2, 0, 2, 99]))
        try world.stream.record(run: 1, frames: 105, preset: "ultrafast")
        let assets = try world.finish()
        let made = try #require(assets[0].thumbnails)
        #expect(assets.allSatisfy { $0.thumbnails == made })
        let base = "\(directory)/Rec-room-1770091506"
        // Offsets beyond the end are ignored.
        #expect(
            made.thumbnails == [
                .init(path: "\(base)-0s.jpg", width: 160, height: 90, offset: 0),
                .init(path: "\(base)-2s.jpg", width: 160, height: 90, offset: 2),
            ])
        // Four segments of the lower layer, 192x144.
        let sprite = try #require(made.sprite)
        #expect(
            sprite
                == .init(
                    path: "\(base)-sprite.jpg", tracksPath: "\(base)-sprite.vtt", width: 160,
                    height: 120, count: 4))
        for (path, width, height) in [
            (made.thumbnails[1].path, 160, 90), (sprite.path, 320, 240),
        ] {
            let picture = try StillPicture.decode(world.bytes(path))
            #expect(picture.width == width && picture.height == height)
        }
        let cues = String(decoding: try world.bytes(sprite.tracksPath), as: UTF8.self)
        #expect(
            cues == """
                WEBVTT

                00:00:00.000 --> 00:00:01.000
                Rec-room-1770091506-sprite.jpg#xywh=0,0,160,120

                00:00:01.000 --> 00:00:02.000
                Rec-room-1770091506-sprite.jpg#xywh=160,0,160,120

                00:00:02.000 --> 00:00:03.000
                Rec-room-1770091506-sprite.jpg#xywh=0,120,160,120

                00:00:03.000 --> 00:00:03.500
                Rec-room-1770091506-sprite.jpg#xywh=160,120,160,120

                """)
        // The manifest has them, so the catalogue can be rebuilt.
        #expect(try world.finish() == assets)
    }

    @Test func theSheetIsNoDenserThanWanted() throws {
        let world = try FinishedStream(
            thumbnails: ThumbnailOrder(offsets: [], frameRate: 0.5))
        try world.stream.record(run: 1, frames: 150, preset: "ultrafast")
        let made = try #require(try world.finish()[0].thumbnails)
        #expect(made.thumbnails.isEmpty && made.sprite?.count == 3)
    }

    @Test func whatCannotBeMadeCostsTheThumbnailsOnly() throws {
        let world = try FinishedStream(thumbnails: ThumbnailOrder(offsets: [0]))
        try world.stream.record(run: 1, frames: 60, preset: "ultrafast")
        // A file exists in place of their directory.
        let place = "\(world.recordings)/hls/room/2026-02-03/1770091506"
        try FileManager.default.createDirectory(
            atPath: place, withIntermediateDirectories: true)
        try Data([1]).write(to: URL(filePath: "\(place)/thumbnails"))
        let assets = try world.finish()
        #expect(assets.count == 3 && assets.allSatisfy { $0.thumbnails == nil })
        let isTold = world.events.contains { event in
            if case .withoutThumbnails = event { true } else { false }
        }
        #expect(isTold)
    }

    @Test func aKeyFrameIsReadWithoutTheRestOfItsSegment() throws {
        let world = try FinishedStream()
        try world.stream.record(run: 1, frames: 30, preset: "ultrafast")
        let record = world.stream.records[0][0]
        let folder = world.stream.folder
        let bytes = try folder.keyFrame(record, layer: 0)
        let first = try #require(record.pictures.first)
        #expect(bytes.count >= Int(first.byteCount))
        // The following picture is damaged, unnoticed; this one is intact.
        let path = "\(world.stream.path)/stream_0/\(record.fileName)"
        var file = [UInt8](try Data(contentsOf: URL(filePath: path)))
        let end = file.count
        file.replaceSubrange((end - 188)..<end, with: repeatElement(0xAA, count: 188))
        try Data(file).write(to: URL(filePath: path))
        #expect(try folder.keyFrame(record, layer: 0) == bytes)
        try Data(file.prefix(376)).write(to: URL(filePath: path))
        #expect(throws: RecordingError.damaged(layer: 0, segment: record.number)) {
            try folder.keyFrame(record, layer: 0)
        }
    }

    @Test(arguments: [
        (1280, 720, 320, 0, 320, 180), (1280, 720, 0, 90, 160, 90), (720, 1280, 320, 320, 180, 320),
        (640, 360, 1920, 0, 640, 360), (854, 480, 101, 0, 102, 56),
    ])
    func aThumbnailKeepsItsShapeAndFits(
        width: Int, height: Int, boxWidth: Int, boxHeight: Int, newWidth: Int, newHeight: Int
    ) {
        let size = ThumbnailMaker.fitted(
            .init(width: width, height: height), width: boxWidth, height: boxHeight)
        #expect(size == .init(width: newWidth, height: newHeight))
    }

    /// A player looks for a picture at every time.
    @Test func theFirstPictureStandsForWhatComesBeforeItToo() {
        let board = Storyboard(
            image: "sheet.jpg", columns: 2, width: 160, height: 90, frameRate: 30,
            beginnings: [15, 60, 105], end: 120)
        #expect(
            board.text == """
                WEBVTT

                00:00:00.000 --> 00:00:02.000
                sheet.jpg#xywh=0,0,160,90

                00:00:02.000 --> 00:00:03.500
                sheet.jpg#xywh=160,0,160,90

                00:00:03.500 --> 00:00:04.000
                sheet.jpg#xywh=0,90,160,90

                """)
    }
}
