import MediaKernel
import SecureTransport
import Testing

@Suite("DTLS application data and close")
struct DTLSDataTests {
    @Test("Data passes both ways, one datagram each, up to the maximum")
    func data() throws {
        let pair = try DTLSPair.connected()
        let largest = (0..<DTLSTransport.applicationDataBytesMaximum).map {
            UInt8(truncatingIfNeeded: $0)
        }
        let before = pair.datagrams.count
        pair.client.send([1])
        pair.client.send(largest)
        pair.server.send([2, 2])
        pair.exchange()
        #expect(
            pair.serverOutputs == [
                .connected, .applicationData([1]), .applicationData(largest),
            ])
        #expect(pair.clientOutputs == [.connected, .applicationData([2, 2])])
        #expect(pair.datagrams.count == before + 3)
        let sizes = pair.datagrams[before...].map(\.bytes.count)
        #expect(sizes.max() == DTLSTransport.datagramBytesMaximum)
    }

    @Test("What cannot be sent is counted: too early, too long, empty")
    func refused() throws {
        let pair = try DTLSPair()
        pair.client.send([1])
        pair.start()
        pair.exchange()
        pair.client.send([])
        pair.client.send(
            [UInt8](repeating: 0, count: DTLSTransport.applicationDataBytesMaximum + 1))
        pair.exchange()
        #expect(pair.client.statistics.refusedSends == 3)
        #expect(pair.serverOutputs == [.connected])
    }

    @Test("Data that overtakes the last flight is kept until the handshake is done")
    func overtaking() throws {
        let pair = try DTLSPair()
        pair.start()
        // The server's last flight reaches the client after the server's first data.
        var held: [[UInt8]] = []
        pair.exchange { side, datagram in
            if side == .server, pair.server.isConnected {
                held.append(datagram)
                return nil
            }
            return datagram
        }
        #expect(pair.server.isConnected && !pair.client.isConnected)
        pair.server.send([7, 7, 7])
        pair.exchange { side, datagram in
            if side == .server { held.insert(datagram, at: 0) }
            return nil
        }
        for datagram in held { pair.client.handle(datagram, at: .zero) }
        pair.exchange()
        #expect(pair.clientOutputs == [.connected, .applicationData([7, 7, 7])])
    }

    @Test("A close reaches the other side, and both say so once")
    func close() throws {
        let pair = try DTLSPair.connected()
        pair.client.close()
        pair.exchange()
        #expect(pair.clientOutputs == [.connected, .closed])
        #expect(pair.serverOutputs == [.connected, .closed])
        pair.client.close()
        pair.client.send([1])
        pair.server.send([1])
        pair.exchange()
        #expect(pair.clientOutputs.count == 2 && pair.serverOutputs.count == 2)
        #expect(!pair.client.isConnected && !pair.server.isConnected)
    }

    @Test("A close during the handshake ends it")
    func closeEarly() throws {
        let pair = try DTLSPair()
        pair.client.start(at: .zero)
        pair.client.close()
        pair.exchange { _, _ in nil }
        #expect(pair.clientOutputs == [.closed])
        #expect(pair.client.nextDeadline == nil)
    }

    @Test("A replayed record of data is dropped")
    func replayedRecord() throws {
        let pair = try DTLSPair.connected()
        pair.client.send([1])
        pair.exchange()
        let record = try #require(pair.datagrams.last).bytes
        pair.server.handle(record, at: .zero)
        pair.exchange()
        #expect(pair.serverOutputs == [.connected, .applicationData([1])])
        #expect(pair.server.isConnected)
    }

    @Test("An owner that does not poll loses data, not the news of the end")
    func overflow() throws {
        let pair = try DTLSPair.connected()
        for _ in 0..<1500 { pair.client.send([1]) }
        #expect(pair.client.statistics.overflowedOutputs == 1500 - 1024)
        pair.client.close()
        pair.exchange()
        #expect(pair.clientOutputs.last == .closed)
    }
}

@Suite("Secrets")
struct SecretsTests {
    @Test("Random bytes come in the number asked for, and differ", arguments: [0, 1, 7, 8, 9, 64])
    func random(_ count: Int) {
        #expect(secureRandomBytes(count).count == count)
        if count >= 16 { #expect(secureRandomBytes(count) != secureRandomBytes(count)) }
    }
}
