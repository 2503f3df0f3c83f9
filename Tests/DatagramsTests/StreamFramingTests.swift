import Datagrams
import Testing

@Suite struct StreamFramingTests {
    /// One byte, several, and a packet that needs both bytes of its length.
    private static let packets: [[UInt8]] = [[7], [1, 2, 3], Array(repeating: 9, count: 300)]
    private static let stream: [UInt8] = packets.flatMap { packet in
        [UInt8(packet.count >> 8), UInt8(packet.count & 0xFF)] + packet
    }

    private func framing() -> StreamFraming { StreamFraming(packetBytesMaximum: 300) }

    private func packets(_ framing: inout StreamFraming) throws -> [[UInt8]] {
        var packets: [[UInt8]] = []
        while let packet = try framing.next() { packets.append(packet) }
        return packets
    }

    @Test func packetsThatComeTogetherAreToldApart() throws {
        var framing = framing()
        #expect(try framing.next() == nil)
        framing.append(Self.stream)
        #expect(try packets(&framing) == Self.packets)
    }

    @Test func packetsThatComeByteByByteAreWhole() throws {
        var framing = framing()
        var found: [[UInt8]] = []
        for byte in Self.stream {
            framing.append([byte])
            found += try packets(&framing)
        }
        #expect(found == Self.packets)
    }

    @Test func theStreamMayBeCutAnywhere() throws {
        for cut in 0...Self.stream.count {
            var framing = framing()
            framing.append(Self.stream[..<cut])
            var found = try packets(&framing)
            #expect(found == Array(Self.packets.prefix(found.count)))
            framing.append(Self.stream[cut...])
            found += try packets(&framing)
            #expect(found == Self.packets)
        }
    }

    @Test func nullPacketsArePassedOver() throws {
        var framing = framing()
        framing.append([0, 0, 0, 0, 0, 1, 5, 0, 0])
        #expect(try packets(&framing) == [[5]])
    }

    @Test func aLengthThatMayNotBeEndsTheStream() throws {
        var framing = framing()
        framing.append([0, 1, 5, 1, 45])
        #expect(try framing.next() == [5])
        #expect(throws: StreamFramingError.packetTooLong(bytes: 301, maximum: 300)) {
            try framing.next()
        }
    }
}
