import MediaKernel
import SecureTransport
import Testing

@Suite("Stray and damaged datagrams")
struct StrayDatagramTests {
    @Test("Every truncation of every datagram of a handshake, sent before it, does no harm")
    func truncation() throws {
        let pair = try DTLSPair()
        pair.start()
        pair.exchange { side, datagram in
            let receiver = side == .client ? pair.server : pair.client
            for count in 0..<datagram.count {
                receiver.handle(Array(datagram[..<count]), at: pair.now)
            }
            return datagram
        }
        #expect(pair.clientOutputs == [.connected])
        #expect(pair.serverOutputs == [.connected])
    }

    @Test("Datagrams that are no DTLS do not disturb a handshake")
    func noise() throws {
        let pair = try DTLSPair()
        var random = SeededRandom(seed: 3)
        pair.start()
        pair.exchange { side, datagram in
            let receiver = side == .client ? pair.server : pair.client
            for _ in 0..<200 {
                var bytes = (0..<Int.random(in: 0...120, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                if !bytes.isEmpty { bytes[0] = UInt8.random(in: 20...63, using: &random) }
                receiver.handle(bytes, at: pair.now)
            }
            return datagram
        }
        #expect(pair.clientOutputs == [.connected])
        #expect(pair.serverOutputs == [.connected])
        #expect(pair.server.statistics.strayDatagrams > 0)
    }

    @Test("What looks like a ClientHello and is none does not spoil the real one")
    func falseHello() throws {
        let pair = try DTLSPair()
        pair.start()
        // A well-framed handshake record whose body is nonsense.
        let hello: [UInt8] =
            [22, 0xFE, 0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16]
            + [1, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 4] + [0xFF, 0xFF, 0xFF, 0xFF]
        pair.server.handle(hello, at: .zero)
        pair.exchange()
        #expect(pair.serverOutputs == [.connected])
    }

    @Test(
        "A handshake fragment that is no part of a message is dropped",
        arguments: [
            (length: 0xFF_FFFF, offset: 0, count: 4), (length: 4, offset: 4, count: 4),
            (length: 4, offset: 0xFF_FFFF, count: 4), (length: 40, offset: 0, count: 40),
        ])
    func falseFragment(_ fragment: (length: Int, offset: Int, count: Int)) throws {
        let pair = try DTLSPair()
        pair.start()
        var writer = ByteWriter()
        writer.write([22, 0xFE, 0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 2])
        writer.writeUInt24(UInt32(fragment.length))
        writer.write(UInt16(0))
        writer.writeUInt24(UInt32(fragment.offset))
        writer.writeUInt24(UInt32(fragment.count))
        writer.write([1, 2, 3, 4])
        // Also to the client, which could not start over.
        pair.client.handle(writer.bytes, at: .zero)
        pair.server.handle(writer.bytes, at: .zero)
        #expect(pair.client.statistics.strayDatagrams == 1)
        #expect(pair.server.statistics.strayDatagrams == 1)
        pair.exchange()
        #expect(pair.clientOutputs == [.connected])
        #expect(pair.serverOutputs == [.connected])
    }

    @Test("Mutated datagrams never end a connection that is up")
    func mutationConnected() throws {
        let pair = try DTLSPair.connected()
        let handshake = pair.datagrams
        for round in UInt8(0)..<20 { pair.client.send([round, round, round]) }
        pair.exchange()
        let corpus = handshake + pair.datagrams.suffix(20)
        var random = SeededRandom(seed: 0xD715)
        for _ in 0..<10_000 {
            guard let sample = corpus.randomElement(using: &random) else { break }
            let bytes = mutate(sample.bytes, using: &random)
            pair.client.handle(bytes, at: .zero)
            pair.server.handle(bytes, at: .zero)
        }
        pair.exchange { _, _ in nil }
        #expect(pair.client.isConnected && pair.server.isConnected)
        pair.client.send([42])
        pair.server.send([43])
        pair.exchange()
        #expect(pair.serverOutputs.last == .applicationData([42]))
        #expect(pair.clientOutputs.last == .applicationData([43]))
    }

    @Test("An encrypted record that is too short to be one is passed over", arguments: 0...40)
    func shortRecord(bodyBytes: Int) throws {
        let pair = try DTLSPair.connected()
        let record =
            [23, 0xFE, 0xFD, 0, 1, 0, 0, 0, 0, 1, 0, 0, UInt8(bodyBytes)]
            + [UInt8](repeating: 7, count: bodyBytes)
        pair.client.handle(record, at: .zero)
        pair.server.handle(record, at: .zero)
        pair.exchange()
        #expect(pair.client.isConnected && pair.server.isConnected)
    }

    @Test("Mutated datagrams in a handshake end in a connection or a failure, never a trap")
    func mutationHandshake() throws {
        var random = SeededRandom(seed: 0x4853)
        var connections = 0
        for _ in 0..<60 {
            let pair = try DTLSPair()
            pair.start()
            pair.exchange { side, datagram in
                let receiver = side == .client ? pair.server : pair.client
                if Bool.random(using: &random) {
                    receiver.handle(self.mutate(datagram, using: &random), at: pair.now)
                }
                return datagram
            }
            for outputs in [pair.clientOutputs, pair.serverOutputs] {
                #expect(outputs.count <= 2)
                if outputs.first == .connected { connections += 1 }
            }
        }
        #expect(connections > 0, "the framing check keeps many of them harmless")
    }

    private func mutate(_ bytes: [UInt8], using random: inout SeededRandom) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2: bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
            case 3: bytes.append(contentsOf: bytes.suffix(index))
            default: bytes[index] = [0, 1, 127, 128, 255].randomElement(using: &random) ?? 0
            }
        }
        return bytes
    }
}
