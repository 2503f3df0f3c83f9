import MediaKernel
import RTP
import Testing

@testable import PeerConnection

extension PeerConnectionTests {
    /// Where a packet lies in memory.
    @Suite struct PlaceOfMedia {
        @Test func aDatagramThatIsGivenAwayIsDecryptedInItsOwnPlace() throws {
            let wire = Wire()
            let mid = try wire.client.core.add(.audio())
            try wire.connect(offering: .client)
            wire.client.core.send(packet(1, payload: [1, 2, 3]), mid: mid, at: wire.now)
            guard case .transmit(let sent, _)? = wire.client.core.poll() else {
                Issue.record("nothing was sent")
                return
            }
            // A buffer of its own.
            let datagram = sent.map { $0 }
            let place = datagram.addresses
            wire.server.core.handle(
                consume datagram, from: Wire.Side.client.address, at: wire.now)

            guard case .media(let incoming)? = wire.server.core.poll() else {
                Issue.record("nothing has arrived")
                return
            }
            #expect(Array(incoming.packet.payload) == [1, 2, 3])
            #expect(place.contains(incoming.packet.payload.addresses.lowerBound))
        }

        @Test func aDatagramThatIsKeptStaysAsItWas() throws {
            let wire = Wire()
            let mid = try wire.client.core.add(.audio())
            try wire.connect(offering: .client)
            wire.client.core.send(packet(1), mid: mid, at: wire.now)
            guard case .transmit(let sent, _)? = wire.client.core.poll() else {
                Issue.record("nothing was sent")
                return
            }
            let copy = sent.map { $0 }
            wire.server.core.handle(sent, from: Wire.Side.client.address, at: wire.now)
            #expect(sent == copy)
        }
    }
}

extension Collection<UInt8> {
    /// Where the bytes lie; for comparison only.
    fileprivate var addresses: Range<UInt> {
        withContiguousStorageIfAvailable { bytes in
            let first = UInt(bitPattern: bytes.baseAddress)
            return first..<first + UInt(bytes.count)
        } ?? 0..<0
    }
}
