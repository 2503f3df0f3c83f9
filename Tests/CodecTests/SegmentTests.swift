import Codec
import MediaKernel
import RecordedStreams
import Testing

@Suite struct SegmentTests {
    @Test func aStreamDecodesToEveryPictureAtItsExactTime() throws {
        let stream = try EncodedStream(seconds: 4)
        #expect(stream.segments.count == 2)
        let report = try MediaProbe.decode(stream.segments.flatMap { $0 })
        #expect(report.damagedPackets == 0)
        #expect(report.pictures.count == 120)
        let expected = (0..<120).map { 90_000 + Int64($0) * 3_000 }
        #expect(report.pictures.map(\.pts.ticks) == expected)
        #expect(report.pictures.allSatisfy { $0.frame.width == 320 && $0.frame.height == 180 })
        #expect(report.pictures.indices.filter { report.pictures[$0].isKeyframe } == [0, 60])
    }

    @Test(arguments: [0, 3]) func eachSegmentDecodesAlone(bFrames: Int) throws {
        let stream = try EncodedStream(seconds: 6) {
            $0.preset = "veryfast"
            $0.bFramesMaximum = bFrames
        }
        #expect(stream.segments.count == 3)
        for (number, segment) in stream.segments.enumerated() {
            let report = try MediaProbe.decode(segment)
            let first = 90_000 + Int64(number) * 180_000
            #expect(report.damagedPackets == 0)
            #expect(report.pictures.map(\.pts.ticks) == (0..<60).map { first + $0 * 3_000 })
            #expect(report.pictures.first?.isKeyframe == true)
            #expect(report.pictures.count { $0.isKeyframe } == 1)
        }
    }

    @Test func tablesAndAnIDRPictureComeFirstInEverySegment() throws {
        let stream = try EncodedStream(seconds: 6)
        for segment in stream.segments {
            let packets = try #require(TransportStreamPackets(segment)).packets
            let head = packets.prefix(4)
            // The service description may come first; then PAT (PID 0) and PMT, then the picture.
            let pids = head.map(\.pid).filter { $0 != 0x11 }
            #expect(pids.prefix(3) == [0, 0x1000, 0x100])
            #expect(packets.count { $0.pid == 0 } == 1)
            #expect(head.allSatisfy { $0.isStart })
            let picture = try #require(packets.first { $0.pid == 0x100 })
            #expect(picture.payload.starts(with: [0, 0, 1, 0xE0]))
            #expect(TransportStreamPackets.presentationTime(picture.payload) != nil)
            #expect(picture.clockReference != nil)
            // Access unit delimiter, parameter sets, IDR slice.
            let payload = packets.filter { $0.pid == 0x100 }.prefix(40).flatMap(\.payload)
            let types = nalTypes(payload)
            #expect(types.first == 9)
            let idr = try #require(types.firstIndex(of: 5))
            #expect(types[..<idr].contains(7) && types[..<idr].contains(8))
            #expect(!types[..<idr].contains(1))
        }
    }

    @Test func continuityCountersRunOnOverSegmentBoundaries() throws {
        let stream = try EncodedStream(seconds: 6)
        var last: [Int: Int] = [:]
        for segment in stream.segments {
            for packet in try #require(TransportStreamPackets(segment)).packets {
                #expect(!packet.isDiscontinuous)
                if let previous = last[packet.pid], packet.hasPayload {
                    #expect(packet.continuityCounter == (previous + 1) % 16, "\(packet.pid)")
                }
                last[packet.pid] = packet.continuityCounter
            }
        }
        #expect(Set([0, 0x1000, 0x100, 0x101]).isSubset(of: last.keys))
    }

    @Test func theClockReferenceComesEvery100MillisecondsAndPrecedesThePictures() throws {
        let stream = try EncodedStream(seconds: 4)
        let packets = try #require(TransportStreamPackets(stream.segments.flatMap { $0 })).packets
        let references = packets.compactMap(\.clockReference)
        #expect(references.count >= 40)
        for (a, b) in zip(references, references.dropFirst()) {
            #expect(b > a && b - a <= 9_000)
        }
        #expect(references.first.map { $0 > 0 && $0 < 90_000 } == true)
    }

    /// With pictures 100 to 200 ms apart, reordered or not, and across the edges of segments.
    @Test(arguments: [(5, 0), (5, 2), (8, 0), (10, 0)])
    func theClockReferenceComesAsOftenWherePicturesAreFew(rate: Int, bFrames: Int) throws {
        let stream = try EncodedStream(seconds: 6) {
            $0.frameRate = rate
            $0.keyframeInterval = 2 * rate
            $0.bFramesMaximum = bFrames
        }
        #expect(stream.segments.count == 3)
        let bytes = stream.segments.flatMap { $0 }
        let packets = try #require(TransportStreamPackets(bytes)).packets
        let references = packets.compactMap(\.clockReference)
        for (a, b) in zip(references, references.dropFirst()) {
            #expect(b > a && b - a <= 9_000)
        }
        // Not too many: two for each 200 ms, two for each 125.
        #expect(references.count <= 6 * (rate < 10 ? 2 * rate : rate))
        var last = 15
        for packet in packets where packet.pid == 0x100 {
            let expected = packet.hasPayload ? (last + 1) % 16 : last
            #expect(packet.continuityCounter == expected && !packet.isDiscontinuous)
            last = packet.continuityCounter
        }
        for segment in stream.segments {
            let head = try #require(TransportStreamPackets(segment)).packets
            #expect(head.map(\.pid).filter { $0 != 0x11 }.prefix(2) == [0, 0x1000])
        }
        let report = try MediaProbe.decode(bytes)
        #expect(report.damagedPackets == 0)
        #expect(report.pictures.count == 6 * rate)
    }

    /// After 26.5 hours all clocks wrap, since they have 33 bits. ISO/IEC 13818-1 sect. 2.4.3.
    @Test(arguments: [5, 30]) func clocksRunOnOverTheirEnd(rate: Int) throws {
        let end: Int64 = 1 << 33
        // The first picture's PTS is a second more. A whole number of pictures at either rate.
        let start = (end - 270_000) / 18_000 * 18_000
        let stream = try EncodedStream(
            seconds: 6,
            configure: {
                $0.frameRate = rate
                $0.keyframeInterval = 2 * rate
            }, startingAt: MediaTime(ticks: start, timescale: 90_000))
        let packets = try #require(TransportStreamPackets(stream.segments.flatMap { $0 })).packets
        let pictures = packets.filter { $0.pid == 0x100 && $0.isStart }
            .compactMap { TransportStreamPackets.presentationTime($0.payload) }
        let interval = 90_000 / Int64(rate)
        #expect(pictures == (0..<6 * Int64(rate)).map { (start + 90_000 + $0 * interval) % end })
        let references = packets.compactMap(\.clockReference)
        for (a, b) in zip(references, references.dropFirst()) {
            #expect((1...9000).contains((b - a + end) % end))
        }
        #expect(references.contains { $0 > end - 90_000 } && references.contains { $0 < 90_000 })
        let report = try MediaProbe.decode(stream.segments[2])
        #expect(report.damagedPackets == 0 && report.pictures.count == 2 * rate)
    }

    @Test func soundAndPicturesOfASegmentCoverTheSameTime() throws {
        let stream = try EncodedStream(seconds: 6)
        for (number, segment) in stream.segments.enumerated() {
            let report = try MediaProbe.decode(segment)
            let first = try #require(report.sound.first).pts.ticks
            let last = try #require(report.sound.last).pts.ticks + 1024
            // The container's time zero is one second in.
            let start = Int64(48_000 + number * 96_000)
            // A player that starts here has sound from the first picture on.
            #expect((start - 1024...start).contains(first))
            #expect(abs(last - (start + 96_000)) <= 1024)
            for (a, b) in zip(report.sound, report.sound.dropFirst()) {
                #expect(b.pts.ticks - a.pts.ticks == 1024)
            }
        }
    }

    @Test func aFlashAndABeepThatBelongTogetherStayTogether() throws {
        let stream = try EncodedStream(
            seconds: 4,
            picture: { index, settings in
                try VideoFrame.solid(
                    width: settings.width, height: settings.height,
                    colour: index % 30 < 3 ? .white : .black)
            })
        let report = try MediaProbe.decode(stream.segments.flatMap { $0 })
        var flashes: [Double] = []
        var wasWhite = false
        for picture in report.pictures {
            let isWhite = picture.frame.withPlanes { $0.y[160, 90] > 128 }
            if isWhite, !wasWhite { flashes.append(picture.pts.seconds) }
            wasWhite = isWhite
        }
        let samples = report.samples(ofChannel: 0)
        let origin = try #require(report.sound.first).pts.seconds
        var beeps: [Double] = []
        var quiet = 48_000
        for (n, sample) in samples.enumerated() {
            if abs(sample) > 0.2 {
                if quiet > 9_600 { beeps.append(origin + Double(n) / 48_000) }
                quiet = 0
            } else {
                quiet += 1
            }
        }
        #expect(flashes == [1, 2, 3, 4])
        #expect(beeps.count == 3)
        for (flash, beep) in zip(flashes.dropFirst(), beeps) { #expect(abs(flash - beep) < 0.001) }
    }

    @Test func aSegmentMustStartWithAKeyframe() throws {
        let settings = VideoEncoderSettings(
            width: 64, height: 64, frameRate: 30, bitrate: 100_000, keyframeInterval: 60)
        let encoder = try H264Encoder(settings)
        let muxer = try TransportStreamMuxer(
            video: encoder.streamParameters,
            audio: try AACEncoder(bitrate: 64_000).streamParameters)
        let time = MediaTime(ticks: 0, timescale: 30)
        let packet = EncodedPacket(
            data: [0, 0, 0, 1, 1], pts: time, dts: time,
            duration: MediaTime(ticks: 1, timescale: 30), isKeyframe: false)
        #expect(throws: CodecError.segmentWithoutKeyframe) { try muxer.write(video: packet) }
        #expect(throws: CodecError.segmentWithoutKeyframe) { try muxer.cut(before: time) }
        #expect(try muxer.finish().isEmpty)
    }

    private func nalTypes(_ bytes: [UInt8]) -> [Int] {
        bytes.indices.dropLast(3).compactMap { index in
            bytes[index] == 0 && bytes[index + 1] == 0 && bytes[index + 2] == 1
                && index > 8
                ? Int(bytes[index + 3] & 0x1F) : nil
        }
    }
}
