import Codec
import Foundation
import MediaKernel
import Testing

/// Of the whole process, so that they run alone (`LONE_TESTS` of the Makefile).
struct MappedMemoryTests {
    /// For instance after a pause in which packets have piled up.
    @Test(arguments: [VideoCodecKind.vp8, .vp9, .h264])
    func aDecoderGivesBackWhatABurstTook(codec: VideoCodecKind) throws {
        let packets = try codedPackets(codec, width: 640, height: 362, count: 40)
        let decoder = try VideoDecoder(codec: codec)
        var burst = try packets.flatMap { try decoder.decode($0.data, timestamp: $0.pts.ticks) }
        #expect(burst.count == 40)
        let bytes = burst.count * 640 * 362 * 3 / 2
        let held = try mappedBytes()
        burst = []
        // The decoder keeps the pictures to which later ones may refer, and a few spare ones.
        #expect(try mappedBytes() <= held - bytes / 2)
        withExtendedLifetime(decoder) {}
    }

    @Test func aPoolGivesBackWhatABurstTook() throws {
        let pool = try FramePool(width: 1024, height: 1024)
        var burst = try (0..<40).map { _ in try pool.makeFrame { $0.y[0, 0] = 16 } }
        let bytes = burst.count * 1024 * 1024 * 3 / 2
        let held = try mappedBytes()
        burst = []
        // A few are kept for further pictures.
        #expect(try mappedBytes() <= held - bytes * 3 / 4)
        withExtendedLifetime(pool) {}
    }

    /// What this process has mapped, touched or not.
    private func mappedBytes() throws -> Int {
        let counts = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = try #require(counts.split(separator: " ").first.flatMap { Int($0) })
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }
}
