import Testing

@testable import Codec

@Suite struct ClockReferencesTests {
    private static let wrap: Int64 = 1 << 33

    /// A packet of the picture, with or without a clock reference.
    private func packet(counter: UInt8, ticks: Int64? = nil, id: UInt8 = 0) -> [UInt8] {
        var bytes: [UInt8] = [0x47, 1, id, (ticks == nil ? 0x10 : 0x30) | counter]
        if let ticks {
            bytes += [7, 0x10]
            bytes += [25, 17, 9, 1].map { UInt8(truncatingIfNeeded: ticks >> $0) }
            bytes += [UInt8(ticks & 1) << 7 | 0x7E, 0]
        }
        return bytes + [UInt8](repeating: 0xAB, count: 188 - bytes.count)
    }

    /// A picture with a reference, in `packets` packets of which half are audio.
    private func picture(_ ticks: Int64, packets: Int) -> [UInt8] {
        packet(counter: 0, ticks: ticks)
            + (1..<packets).flatMap { packet(counter: UInt8($0 / 2 % 16), id: UInt8($0 % 2)) }
    }

    private func marks(_ bytes: [UInt8]) throws -> [(packet: Int, ticks: Int64)] {
        let packets = try #require(TransportStreamPackets(bytes)).packets
        return packets.enumerated().compactMap { position, packet in
            packet.clockReference.map { (position, $0) }
        }
    }

    @Test func whatIsMissingLiesWhereAConstantRatePutsIt() throws {
        var references = ClockReferences()
        let segment = picture(1000, packets: 30) + picture(28_000, packets: 30)
        let found = try marks(references.completing(segment))
        #expect(found.map(\.ticks) == [1000, 10_000, 19_000, 28_000])
        // The second and the third picture's packets moved behind the inserted ones.
        #expect(found.map(\.packet) == [0, 10, 21, 32])
    }

    @Test func whatIsMissingSinceTheLastSegmentComesBeforeTheFirst() throws {
        var references = ClockReferences()
        _ = references.completing(picture(1000, packets: 4))
        let table = packet(counter: 3, id: 9)
        let bytes = references.completing(table + picture(19_000, packets: 4))
        let found = try marks(bytes)
        #expect(found.map(\.ticks) == [10_000, 19_000])
        #expect(found.map(\.packet) == [1, 2])
        // That of the same stream's last packet before it, in the previous segment.
        #expect(bytes[188 + 3] == 0x20 | 1)
    }

    @Test func theClockRunsOnOverItsEnd() throws {
        var references = ClockReferences()
        let segment = picture(Self.wrap - 5000, packets: 10) + picture(9000, packets: 10)
        let found = try marks(references.completing(segment))
        #expect(found.map(\.ticks) == [Self.wrap - 5000, 2000, 9000])
    }

    @Test(arguments: [9000, 11 * 90_000, -1000])
    func whereNothingIsMissingNothingIsPutIn(distance: Int64) {
        var references = ClockReferences()
        let segment = picture(100_000, packets: 5) + picture(100_000 + distance, packets: 5)
        #expect(references.completing(segment) == segment)
        #expect(references.completing([]) == [])
    }
}
