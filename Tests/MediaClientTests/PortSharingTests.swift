import MediaKernel
import Testing

@testable import MediaClient

/// Connections share a socket as long as the server's addresses tell them apart.
@Suite struct PortSharingTests {
    private func address(_ port: UInt16) throws -> TransportAddress {
        try #require(TransportAddress("192.0.2.1", port: port))
    }

    @Test func differentAddressesShareASocket() throws {
        var sharing = PortSharing()
        let port = sharing.addPort()
        for number in 0..<10 {
            let address = try address(5000 + UInt16(number))
            let connection = StreamConnectionID(number)
            #expect(sharing.port(for: [address], of: connection) == port)
            #expect(sharing.claim(address, on: port, for: connection))
            #expect(sharing.owner(of: address, on: port) == connection)
        }
    }

    @Test func oneAddressNeedsASocketForEachConnection() throws {
        var sharing = PortSharing()
        let (shared, own) = (try address(5000), try address(5001))
        let (first, second) = (StreamConnectionID(1), StreamConnectionID(2))
        let port = sharing.addPort()
        sharing.claim(shared, on: port, for: first)
        #expect(sharing.port(for: [shared], of: first) == port)
        #expect(sharing.port(for: [own, shared], of: second) == nil)
        #expect(!sharing.claim(shared, on: port, for: second))
        let other = sharing.addPort()
        #expect(sharing.port(for: [own, shared], of: second) == other)
        #expect(sharing.claim(shared, on: other, for: second))
        #expect(sharing.owner(of: shared, on: port) == first)
        #expect(sharing.owner(of: shared, on: other) == second)
        // The place of one that has ended is free.
        sharing.release(first)
        #expect(sharing.port(for: [shared], of: StreamConnectionID(3)) == port)
    }

    @Test func aConnectionHasSoManyAddresses() throws {
        var sharing = PortSharing()
        let port = sharing.addPort()
        for number in 0..<PortSharing.addressesMaximum {
            #expect(
                sharing.claim(
                    try address(5000 + UInt16(number)), on: port, for: StreamConnectionID(1)))
        }
        #expect(!sharing.claim(try address(9000), on: port, for: StreamConnectionID(1)))
        #expect(!sharing.claim(try address(9000), on: 7, for: StreamConnectionID(1)))
    }
}
