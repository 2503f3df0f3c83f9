import Testing

@testable import Matroska

@Suite struct FinishedWebMTests {
    private let track = MatroskaTrack(.video(width: 640, height: 360), codecID: "V_VP8")

    private func file(_ samples: [FinishedWebM.Sample]) -> (FinishedWebM, [UInt8]) {
        let layout = FinishedWebM(track, samples: samples, duration: 60_000)
        var bytes = layout.header
        var cluster = 0
        for (index, sample) in samples.enumerated() {
            bytes += layout.head(ofSample: index, cluster: &cluster)
            bytes += Array(repeating: UInt8(truncatingIfNeeded: index), count: sample.byteCount)
        }
        return (layout, bytes)
    }

    /// The top elements in the segment: id and place.
    private func elements(_ bytes: [UInt8]) -> [(id: UInt32, place: Int)] {
        var found: [(UInt32, Int)] = []
        var position = 0
        while position < bytes.count, let head = LiveMatroskaReader.Head(bytes[position...]),
            let (id, _) = LiveMatroskaReader.Head.id(bytes[position...])
        {
            found.append((id, position))
            position += head.headBytes
            if head.kind != .parent { position += Int(head.byteCount) }
        }
        return found
    }

    private func samples(seconds: Int64, keyframes every: Int64) -> [FinishedWebM.Sample] {
        (0..<seconds * 10).map {
            FinishedWebM.Sample(
                time: $0 * 100, byteCount: Int($0 % 7) + 1, isKeyframe: $0 % every == 0)
        }
    }

    @Test func pictureAndSoundShareAFile() throws {
        let sound = MatroskaTrack(.audio(channels: 2, sampleRate: 48_000), codecID: "A_OPUS")
        var samples: [FinishedWebM.Sample] = []
        for time in stride(from: Int64(0), to: 10_000, by: 20) {
            if time % 100 == 40 {
                samples.append(
                    .init(time: time, byteCount: 5, isKeyframe: time % 2500 == 40))
            }
            samples.append(.init(time: time, byteCount: 2, isKeyframe: true, track: 1))
        }
        let layout = FinishedWebM([track, sound], samples: samples, duration: 10_000)
        var bytes = layout.header
        var cluster = 0
        var clusters: [Int] = []
        for (index, sample) in samples.enumerated() {
            let before = cluster
            let head = layout.head(ofSample: index, cluster: &cluster)
            if cluster != before { clusters.append(index) }
            // The block's head ends with track number, time and flags.
            #expect(head[head.count - 4] == 0x81 + UInt8(sample.track))
            bytes += head + Array(repeating: 0, count: sample.byteCount)
        }
        #expect(layout.byteCount == UInt64(bytes.count))
        // Entered only at pictures, though each packet of sound could be decoded at once.
        #expect(clusters.first == 0 && clusters.count == 4)
        for index in clusters.dropFirst() {
            #expect(samples[index].track == 0 && samples[index].isKeyframe)
        }
        let text = String(decoding: layout.header, as: UTF8.self)
        #expect(text.contains("webm") && text.contains("V_VP8") && text.contains("A_OPUS"))
        let other = MatroskaTrack(.video(width: 2, height: 2), codecID: "V_MPEG4/ISO/AVC")
        let matroska = FinishedWebM([other, sound], samples: samples, duration: 1)
        #expect(String(decoding: matroska.header, as: UTF8.self).contains("matroska"))
    }

    @Test func theLayoutIsThatOfTheFile() throws {
        let (layout, bytes) = file(samples(seconds: 30, keyframes: 30))
        #expect(layout.byteCount == UInt64(bytes.count))
        let elements = elements(bytes)
        let ids = elements.map { ElementID(rawValue: $0.id) }
        #expect(ids.prefix(6) == [.ebml, .segment, .seekHead, .info, .tracks, .cues])
        #expect(ids.dropFirst(6).allSatisfy { $0 == .cluster })
        // A cluster begins with each key frame, three seconds apart.
        #expect(ids.count == 6 + 10)
        let segment = try #require(LiveMatroskaReader.Head(bytes[elements[1].place...]))
        let content = elements[1].place + segment.headBytes
        #expect(segment.byteCount == UInt64(bytes.count - content))
        // Each place in the index is that of a cluster.
        let places = Set(elements.dropFirst(6).map { $0.place - content })
        let cues = bytes[elements[5].place..<elements[6].place]
        let mark: [UInt8] = [0xF1, 0x01, 0, 0, 0, 0, 0, 0, 8]
        var listed: Set<Int> = []
        for index in cues.indices.dropLast(16) where Array(cues[index..<index + 9]) == mark {
            listed.insert(cues[index + 9..<index + 17].reduce(0) { $0 << 8 | Int($1) })
        }
        #expect(listed == places)
    }

    @Test func aLongTimeWithoutKeyFramesHasSeveralClusters() {
        let samples = samples(seconds: 60, keyframes: 1000)
        let (layout, bytes) = file(samples)
        #expect(layout.byteCount == UInt64(bytes.count))
        // Times in a cluster have 16 bits.
        #expect(elements(bytes).count { $0.id == ElementID.cluster.rawValue } == 6)
    }

    @Test func aPauseDoesNotOverflow() {
        let times: [Int64] = [0, 33, 100_000, 100_033, 10_000_000]
        let (layout, bytes) = file(
            times.map { FinishedWebM.Sample(time: $0, byteCount: 1, isKeyframe: $0 == 0) })
        #expect(layout.byteCount == UInt64(bytes.count))
        #expect(elements(bytes).count { $0.id == ElementID.cluster.rawValue } == 3)
    }
}
