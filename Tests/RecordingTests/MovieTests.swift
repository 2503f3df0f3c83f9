import Codec
import Foundation
import ISOMedia
import MediaKernel
import RecordedStreams
import Testing

@testable import Recording

@Suite struct MovieTests {
    private func movie(_ stream: RecordedStream, layer: Int = 0) throws -> String {
        let plan = try stream.plan()
        let assets = RecordingAssets(folder: stream.folder, plan: plan, createdAt: 1_770_091_506)
        let size = stream.layers[layer]
        let place = RecordingAssets.Place(directory: "\(stream.path)/made", name: "\(layer).mp4")
        let movie = RecordingAssets.Movie(
            layer: layer, width: size.width, height: size.height, place: place)
        let sizes = try assets.write([movie])
        #expect(try [UInt64(stream.bytes("made/\(layer).mp4").count)] == sizes)
        return "\(stream.path)/made/\(layer).mp4"
    }

    @Test(arguments: ["ultrafast", "veryfast"])
    func allPicturesOfTheSegmentsAreInItAtTheirTimes(preset: String) throws {
        let stream = try RecordedStream()
        try stream.record(run: 1, frames: 75, preset: preset)
        for layer in stream.layers.indices {
            let names = stream.records[layer].map { "stream_\(layer)/\($0.fileName)" }
            let original = try MediaProbe.decode(names.flatMap { try stream.bytes($0) })
            let copy = try MediaProbe.decode(path: try movie(stream, layer: layer))
            #expect(copy.damagedPackets == 0)
            #expect(copy.pictures.map { $0.pts.rescaled(to: 30).ticks } == Array(0..<75))
            #expect(copy.pictures.map(\.isKeyframe) == original.pictures.map(\.isKeyframe))
            for (a, b) in zip(copy.pictures, original.pictures) {
                #expect(a.frame.luma == b.frame.luma)
            }
            let sound = copy.sound.flatMap(\.samples)
            #expect(sound.count > 0)
        }
    }

    @Test func playersSeeOneLengthInAllLayersAndTracks() throws {
        let stream = try RecordedStream()
        // Two lives of a bot with a pause in the first one.
        try stream.record(run: 1, frames: 105, leavingOut: [1])
        try stream.record(run: 2, frames: 50)
        for layer in stream.layers.indices {
            let facts = try Probe.facts(try movie(stream, layer: layer))
            let frames = 75 + 50
            #expect(facts.warnings == "")
            #expect(facts.format == "mov,mp4,m4a,3gp,3g2,mj2")
            #expect(facts.formatDuration == String(format: "%.6f", Double(frames) / 30))
            #expect(facts.videoDuration == facts.formatDuration)
            #expect(facts.frameRate == "30/1")
            #expect(facts.size == [stream.layers[layer].width, stream.layers[layer].height])
            #expect(facts.pictureTimes.map { ($0 * 30).rounded() } == (0..<frames).map(Double.init))
            #expect(facts.pictureTimes.allSatisfy { abs($0 * 30 - ($0 * 30).rounded()) < 0.001 })
            let soundEnd = try #require(facts.soundTimes.last)
            #expect(abs(soundEnd - Double(frames) / 30) < 0.05)
        }
    }

    @Test func soundStaysWithItsPicturesOverManyJoins() throws {
        let stream = try RecordedStream(layers: [RecordedStream.Layer(width: 192, height: 144)])
        for run in 1...12 { try stream.record(run: Int64(run), frames: 31, preset: "ultrafast") }
        let plan = try stream.plan()
        #expect(plan.parts.count == 24)
        let track = try #require(SoundTrack(plan, layer: 0))
        #expect(abs(track.end - plan.frameCount * 1600) <= 1024)
        // Each block is at most one block away from its part's place.
        var time = track.start
        var sizes = track.table.durations.runs.flatMap {
            Array(repeating: Int64($0.value), count: Int($0.count))
        }[...]
        for (part, own) in zip(plan.parts, track.parts) {
            #expect(abs(time - part.firstFrame * 1600) <= 1024)
            for _ in own.blocks { time += sizes.removeFirst() }
        }
        #expect(sizes.isEmpty)
        #expect(try Probe.facts(try movie(stream)).warnings == "")
    }

    @Test func aPictureThatWasLeftOutLengthensTheOneBefore() throws {
        let stream = try RecordedStream()
        try stream.record(run: 1, frames: 60, preset: "ultrafast") { layer, frame in
            layer == 0 || frame % 30 == 0 || frame % 3 != 2 && frame < 57
        }
        let whole = try Probe.facts(try movie(stream))
        let thinned = try Probe.facts(try movie(stream, layer: 1))
        #expect(whole.videoDuration == "2.000000")
        #expect(thinned.videoDuration == "2.000000")
        #expect(thinned.pictureTimes.count < 40)
        #expect(Set(thinned.pictureTimes).isSubset(of: whole.pictureTimes))
    }

    @Test func theHeaderComesFirstAndTheFileIsReadFromFrontToBack() throws {
        let stream = try RecordedStream()
        try stream.record(run: 1, frames: 95)
        let bytes = Array(try Data(contentsOf: URL(filePath: try movie(stream))))
        var types: [String] = []
        var position = 0
        while position + 8 <= bytes.count {
            let size = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            types.append(String(decoding: bytes[position + 4..<position + 8], as: UTF8.self))
            position += size
        }
        #expect(types == ["ftyp", "moov", "mdat"])
        #expect(position == bytes.count)
        let offsets = try Probe.packetOffsets("\(stream.path)/made/0.mp4")
        #expect(offsets == offsets.sorted())
    }

    @Test func aChangeOfTheEncoderIsASecondDescription() throws {
        let stream = try RecordedStream()
        try stream.record(run: 1, frames: 30, preset: "ultrafast")
        try stream.record(run: 2, frames: 30, preset: "veryfast")
        let plan = try stream.plan()
        let track = PictureTrack(plan, layer: 0, width: 320, height: 180)
        #expect(track.descriptions.count == 2)
        #expect(track.parts.map(\.description) == [1, 2])
        // FFmpeg decodes all; its parser, which knows only the first description, warns.
        #expect(try Probe.facts(try movie(stream)).pictureTimes.count == 60)
    }

    @Test func offsetsBecomeLongWhereTheFileDoes() throws {
        var plan = try RecordedStream().smallPlan()
        let part = plan.parts[0]
        let count = Int(UInt32.max) / PictureSample.bytesMaximum + 2
        var parts: [SegmentRecord] = []
        for index in 0..<count {
            var record = part.layers[0]
            record.firstFrame = Int64(index)
            record.frameCount = 1
            record.pictures = [
                PictureSample(
                    byteCount: UInt32(PictureSample.bytesMaximum), frame: 0, isKeyframe: true)
            ]
            record.sound = nil
            parts.append(record)
        }
        plan = try RecordingPlan(layers: [parts])
        let movie = try MP4Movie(plan, layer: 0, width: 320, height: 180, createdAt: 0)
        #expect(movie.byteCount == UInt64(movie.header.count + count * PictureSample.bytesMaximum))
        #expect(movie.header.contains(sequence: Array("co64".utf8)))
        // A large size says 1, and its length follows.
        let head = movie.header.suffix(16)
        #expect(Array(head.prefix(8)) == [0, 0, 0, 1] + Array("mdat".utf8))
        let length = head.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        #expect(length == UInt64(count * PictureSample.bytesMaximum) + 16)
    }

    /// The last chunk begins beyond four gigabytes only together with the preceding header.
    @Test func offsetsAreLongWhereTheHeaderMakesThemSo() throws {
        let record = try RecordedStream().smallPlan().parts[0].layers[0]
        let whole = Int(UInt32.max) / PictureSample.bytesMaximum
        let rest = Int(UInt32.max) - whole * PictureSample.bytesMaximum - 110
        let sizes = Array(repeating: PictureSample.bytesMaximum, count: whole) + [rest, 10]
        let records = sizes.enumerated().map { index, size in
            var record = record
            record.firstFrame = Int64(index)
            record.frameCount = 1
            record.pictures = [
                PictureSample(byteCount: UInt32(size), frame: 0, isKeyframe: true)
            ]
            record.sound = nil
            return record
        }
        let movie = try MP4Movie(
            try RecordingPlan(layers: [records]), layer: 0, width: 320, height: 180, createdAt: 0)
        #expect(movie.header.contains(sequence: Array("co64".utf8)))
        #expect(movie.header.suffix(4) == Array("mdat".utf8))
    }

    /// Audio blocks do not end where pictures do.
    @Test func soundThatGoesOnBehindTheLastPictureIsNotPlayed() throws {
        var record = try RecordedStream().smallPlan().parts[0].layers[0]
        record.sound?.blockSizes += Array(repeating: 100, count: 40)
        let movie = try MP4Movie(
            try RecordingPlan(layers: [[record]]), layer: 0, width: 320, height: 180, createdAt: 0)
        let name = Array("mvhd".utf8)
        let place = try #require(
            movie.header.indices.first { movie.header[$0...].starts(with: name) })
        // Version, two dates and the timescale come before it, in four bytes each.
        let duration = movie.header[(place + 20)..<(place + 24)].reduce(0) { $0 << 8 | Int($1) }
        #expect(duration == 240_000, "one second")
    }

    @Test func aSegmentThatBeginsWithNoPictureShowsItsFirstOneFromTheStart() throws {
        var record = try RecordedStream().smallPlan().parts[0].layers[0]
        record.pictures = [PictureSample(byteCount: 100, frame: 3, isKeyframe: true)]
        let track = PictureTrack(
            try RecordingPlan(layers: [[record]]), layer: 0, width: 320, height: 180)
        #expect(track.table.durations.runs == [RunLengths.Run(count: 1, value: 3000)])
        #expect(track.table.compositionOffsets.runs == [RunLengths.Run(count: 1, value: 0)])
    }

    /// Logs and orders are files that users may change.
    @Test func numbersThatNoRecordingHasAreCutToWhatAFileCanSay() throws {
        let stream = try RecordedStream()
        try stream.record(run: 1, frames: 30, preset: "ultrafast")
        var records = [stream.records[0][0]]
        // Half a year without pictures.
        for number in 1...2700 {
            var record = stream.records[0][0]
            record.number = number
            record.firstFrame = Int64(number) * SegmentRecord.framesMaximum
            record.frameCount = Int(SegmentRecord.framesMaximum)
            record.parameterSets = nil
            record.pictures = []
            records.append(record)
        }
        let plan = try RecordingPlan(layers: [records])
        for (width, height) in [(1 << 20, -1), (Int.max, Int.min)] {
            let movie = try MP4Movie(plan, layer: 0, width: width, height: height, createdAt: 0)
            #expect(!movie.header.isEmpty)
        }
    }
}

extension RecordedStream {
    func smallPlan() throws -> RecordingPlan {
        try record(run: 1, frames: 30, preset: "ultrafast")
        return try plan()
    }
}

extension VideoFrame {
    var luma: [UInt8] {
        withPlanes { planes in
            stride(from: 0, to: height, by: 9).flatMap { row in
                (0..<width).map { planes.y[$0, row] }
            }
        }
    }
}

extension Array where Element == UInt8 {
    func contains(sequence: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: sequence) }
    }
}
