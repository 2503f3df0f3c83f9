import MediaKernel
import Testing

@testable import MediaClient

/// Connections share a socket as long as the server's addresses tell them apart.
@Suite struct PortSharingTests {
    private func address(_ port: UInt16) throws -> TransportAddress {
        try #require(TransportAddress("192.0.2.1", port: port))
    }

    private func openPort(_ sharing: inout PortSharing) -> Int {
        let port = sharing.addPort()
        sharing.opened(port)
        return port
    }

    @Test func differentAddressesShareASocket() throws {
        var sharing = PortSharing()
        let port = openPort(&sharing)
        for number in 0..<10 {
            let address = try address(5000 + UInt16(number))
            let connection = StreamConnectionID(number)
            #expect(sharing.port(for: [address], of: connection) == port)
            let isClaimed = sharing.claim(address, on: port, for: connection)
            #expect(isClaimed)
            #expect(sharing.owner(of: address, on: port) == connection)
        }
    }

    @Test func oneAddressNeedsASocketForEachConnection() throws {
        var sharing = PortSharing()
        let (shared, own) = (try address(5000), try address(5001))
        let (first, second) = (StreamConnectionID(1), StreamConnectionID(2))
        let port = openPort(&sharing)
        sharing.claim(shared, on: port, for: first)
        #expect(sharing.port(for: [shared], of: first) == port)
        #expect(sharing.port(for: [own, shared], of: second) == nil)
        let isTaken = !sharing.claim(shared, on: port, for: second)
        #expect(isTaken)
        let other = openPort(&sharing)
        #expect(sharing.port(for: [own, shared], of: second) == other)
        sharing.claim(shared, on: other, for: second)
        #expect(sharing.owner(of: shared, on: port) == first)
        #expect(sharing.owner(of: shared, on: other) == second)
        // The place of one that has ended is free.
        sharing.release(first)
        #expect(sharing.port(for: [shared], of: StreamConnectionID(3)) == port)
    }

    @Test func aSocketThatIsNotOpenIsNobodysAndKeepsNobodyFromAnother() throws {
        var sharing = PortSharing()
        let address = try address(5000)
        let (first, second) = (StreamConnectionID(1), StreamConnectionID(2))
        let port = sharing.addPort()
        #expect(sharing.port(for: [address], of: first) == nil, "it is being opened")
        sharing.claim(address, on: port, for: first)
        let other = openPort(&sharing)
        #expect(sharing.port(for: [address], of: second) == other)
        // It cannot be opened: its claims end, and its number is used again.
        sharing.failed(port)
        #expect(sharing.owner(of: address, on: port) == nil)
        let isNobodys = !sharing.claim(address, on: port, for: first)
        #expect(isNobodys)
        #expect(sharing.port(for: [address], of: first) == other)
        #expect(openPort(&sharing) == port)
        #expect(sharing.port(for: [address], of: second) == port)
    }

    @Test func aConnectionHasSoManyAddresses() throws {
        var sharing = PortSharing()
        let port = openPort(&sharing)
        let connection = StreamConnectionID(1)
        for number in 0..<PortSharing.addressesMaximum {
            let isClaimed = sharing.claim(
                try address(5000 + UInt16(number)), on: port, for: connection)
            #expect(isClaimed)
        }
        let isOneTooMany = !sharing.claim(try address(9000), on: port, for: connection)
        let isNowhere = !sharing.claim(try address(9000), on: 7, for: connection)
        #expect(isOneTooMany && isNowhere)
    }
}
