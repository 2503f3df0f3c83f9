import Testing

@testable import Matroska

@Suite struct LiveMatroskaTests {
    private let track = MatroskaTrack(.video(width: 640, height: 360), codecID: "V_VP8")

    private func clusters(_ count: Int) -> [[UInt8]] {
        (0..<count).map { index in
            let begin = Int64(index) * 10_000
            var cluster = LiveMatroska.Cluster(timestamp: begin)
            cluster.add([1, 2, 3], at: begin, isKeyframe: true)
            cluster.add([UInt8(index)], at: begin + 333, isKeyframe: false)
            return cluster.bytes
        }
    }

    /// The frames up to the first cluster that is not whole.
    private func read(_ bytes: [UInt8]) -> [(time: Int64, isKeyframe: Bool, bytes: [UInt8])] {
        var found: [(Int64, Bool, [UInt8])] = []
        var position = 0
        while position < bytes.count,
            let head = LiveMatroskaReader.Head(
                bytes[position...].prefix(LiveMatroskaReader.headBytes))
        {
            position += head.headBytes
            if head.kind == .parent { continue }
            guard head.byteCount <= UInt64(bytes.count - position) else { break }
            let content = Array(bytes[position..<position + Int(head.byteCount)])
            if head.kind == .cluster {
                guard let frames = LiveMatroskaReader.frames(in: content) else { break }
                found += frames.map { ($0.time, $0.isKeyframe, Array(content[$0.range])) }
            }
            position += content.count
        }
        return found
    }

    @Test func whatIsWrittenIsRead() {
        let frames = read(LiveMatroska.header(of: track) + clusters(3).joined())
        #expect(frames.map(\.time) == [0, 333, 10_000, 10_333, 20_000, 20_333])
        #expect(frames.map(\.isKeyframe) == [true, false, true, false, true, false])
        #expect(frames.map(\.bytes) == [[1, 2, 3], [0], [1, 2, 3], [1], [1, 2, 3], [2]])
    }

    @Test func aFileCutAtAnyByteHasItsWholeClusters() {
        let header = LiveMatroska.header(of: track)
        let clusters = clusters(3)
        let whole = header + clusters.joined()
        for length in 0...whole.count {
            var left = length - header.count
            var count = 0
            while count < clusters.count, left >= clusters[count].count {
                left -= clusters[count].count
                count += 1
            }
            #expect(read(Array(whole[..<length])).count == 2 * count, "\(length)")
        }
    }

    @Test func aClusterOfOtherBytesIsNone() {
        let header = LiveMatroska.header(of: track)
        let cluster = clusters(1)[0]
        // Without the id and the length: those are what a reader finds it by.
        for index in 12..<cluster.count {
            var changed = cluster
            changed[index] ^= 0x40
            #expect(read(header + changed).isEmpty, "\(index)")
        }
    }

    @Test func aFrameTooFarFromItsClusterIsRefused() {
        let cluster = LiveMatroska.Cluster(timestamp: 50_000)
        #expect(cluster.takes(50_000) && cluster.takes(82_767) && cluster.takes(49_000))
        #expect(!cluster.takes(82_768) && !cluster.takes(0))
    }
}
