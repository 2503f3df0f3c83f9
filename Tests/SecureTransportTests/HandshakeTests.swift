import MediaKernel
import SecureTransport
import Testing

@Suite("DTLS handshake")
struct HandshakeTests {
    @Test("Both sides connect and choose GCM when both offer it")
    func connects() throws {
        let pair = try DTLSPair.connected()
        #expect(pair.clientOutputs == [.connected])
        #expect(pair.serverOutputs == [.connected])
        #expect(pair.client.isConnected && pair.server.isConnected)
        #expect(pair.client.srtpProfile == .aeadAES128GCM)
        #expect(pair.server.srtpProfile == .aeadAES128GCM)
        #expect(pair.client.nextDeadline == nil && pair.server.nextDeadline == nil)
    }

    @Test("The server's order decides when the client prefers the other profile")
    func serverPreference() throws {
        let pair = try DTLSPair(clientProfiles: [.aes128CMHMACSHA1Tag80, .aeadAES128GCM])
        pair.start()
        pair.exchange()
        #expect(pair.client.srtpProfile == .aeadAES128GCM)
    }

    @Test("A peer that knows only AES128_CM_HMAC_SHA1_80 gets it")
    func fallback() throws {
        let pair = try DTLSPair(clientProfiles: [.aes128CMHMACSHA1Tag80])
        pair.start()
        pair.exchange()
        #expect(pair.client.srtpProfile == .aes128CMHMACSHA1Tag80)
        #expect(pair.server.srtpProfile == .aes128CMHMACSHA1Tag80)
    }

    @Test(
        "Without a common SRTP profile the connection carries data only",
        arguments: [true, false])
    func noProfile(clientOffers: Bool) throws {
        let pair = try DTLSPair(
            clientProfiles: clientOffers ? SRTPProfile.allCases : [],
            serverProfiles: clientOffers ? [] : SRTPProfile.allCases)
        pair.start()
        pair.exchange()
        #expect(pair.client.isConnected && pair.server.isConnected)
        #expect(pair.client.srtpProfile == nil && pair.server.srtpProfile == nil)
        var packet = rtpPacket(sequence: 1, payload: [1])
        #expect(throws: SecureTransportError.srtpUnavailable) {
            try pair.client.protectRTP(&packet)
        }
        pair.client.send([1, 2, 3])
        pair.exchange()
        #expect(pair.serverOutputs == [.connected, .applicationData([1, 2, 3])])
    }

    /// A side whose timer expires while it reads sends its last flight again and the next one after
    /// it, in one datagram.
    @Test(
        "A flight behind messages that come again is read with them",
        arguments: [DTLSPair.Side.client, .server])
    func repeatedFlight(of repeating: DTLSPair.Side) throws {
        let pair = try DTLSPair()
        var earlier: [UInt8]?
        pair.start()
        pair.exchange { side, datagram in
            guard side == repeating else { return datagram }
            defer { earlier = datagram }
            return (earlier.map(numberedAnew) ?? []) + datagram
        }
        #expect(pair.clientOutputs == [.connected])
        #expect(pair.serverOutputs == [.connected])
    }

    /// Records with new numbers, which a receiver does not treat as replays.
    private func numberedAnew(_ datagram: [UInt8]) -> [UInt8] {
        var datagram = datagram
        var (start, number) = (0, UInt8(32))
        while start + 13 <= datagram.count {
            datagram[start + 10] = number
            number += 1
            start += 13 + (Int(datagram[start + 11]) << 8 | Int(datagram[start + 12]))
        }
        return datagram
    }

    @Test("No datagram is longer than 1200 bytes and all are records of the handshake")
    func datagramSizes() throws {
        let pair = try DTLSPair.connected()
        #expect(pair.datagrams.count >= 4)
        for datagram in pair.datagrams {
            #expect(datagram.bytes.count <= DTLSTransport.datagramBytesMaximum)
            #expect((20...22).contains(datagram.bytes[0]))
        }
    }

    @Test("A ClientHello in two fragments is put together, whatever their order")
    func fragments() throws {
        for isSwapped in [false, true] {
            let pair = try DTLSPair()
            pair.start()
            var isFirst = true
            pair.exchange { side, datagram in
                guard side == .client, isFirst else { return datagram }
                isFirst = false
                let halves = self.fragmented(datagram)
                let (one, two) = isSwapped ? (halves.1, halves.0) : halves
                pair.server.handle(one, at: pair.now)
                return two
            }
            #expect(pair.serverOutputs == [.connected])
            #expect(pair.clientOutputs == [.connected])
        }
    }

    /// Splits the only handshake message of a datagram in two, each in its own record.
    private func fragmented(_ datagram: [UInt8]) -> ([UInt8], [UInt8]) {
        let header = datagram[..<11]
        let message = datagram[13..<25]
        let body = Array(datagram[25...])
        let middle = body.count / 2
        func record(_ range: Range<Int>, sequence: UInt8) -> [UInt8] {
            var writer = ByteWriter()
            writer.write(header.dropLast())
            writer.write(sequence)
            writer.write(UInt16(12 + range.count))
            writer.write(message.prefix(6))
            writer.writeUInt24(UInt32(range.lowerBound))
            writer.writeUInt24(UInt32(range.count))
            writer.write(body[range])
            return writer.bytes
        }
        return (record(0..<middle, sequence: 8), record(middle..<body.count, sequence: 9))
    }

    @Test("A ClientHello that came before start is answered")
    func early() throws {
        let pair = try DTLSPair()
        pair.client.start(at: .zero)
        pair.exchange()
        #expect(pair.serverOutputs == [.connected])
    }

    @Test("A client that was not started takes no datagram")
    func clientBeforeStart() throws {
        let pair = try DTLSPair()
        pair.client.handle([22, 0xFE, 0xFD], at: .zero)
        #expect(pair.client.poll() == nil)
        #expect(pair.client.statistics.strayDatagrams == 1)
    }

    @Test("A client whose fingerprint is another's is refused with a bad_certificate alert")
    func serverRefuses() throws {
        let other = try DTLSIdentity.generate()
        let pair = try DTLSPair(serverExpects: ("sha-256", other.fingerprint))
        pair.start()
        pair.exchange()
        #expect(pair.serverOutputs == [.failed(.fingerprintMismatch)])
        #expect(pair.clientOutputs == [.failed(.alert(code: 42))])
    }

    @Test("A server whose fingerprint is another's is refused before our Finished leaves")
    func clientRefuses() throws {
        let other = try DTLSIdentity.generate()
        let pair = try DTLSPair(clientExpects: ("SHA-256", other.fingerprint))
        pair.start()
        pair.exchange()
        #expect(pair.clientOutputs == [.failed(.fingerprintMismatch)])
        #expect(pair.serverOutputs == [.failed(.alert(code: 42))])
        #expect(!pair.client.isConnected && !pair.server.isConnected)
        // No encrypted record was ever sent: none has epoch 1.
        #expect(pair.datagrams.allSatisfy { $0.bytes[3] == 0 && $0.bytes[4] == 0 })
    }

    @Test("A transport that failed stays silent")
    func failedIsFinal() throws {
        let other = try DTLSIdentity.generate()
        let pair = try DTLSPair(clientExpects: ("sha-256", other.fingerprint))
        pair.start()
        pair.exchange()
        pair.client.start(at: .zero)
        pair.client.send([1])
        pair.client.handle(pair.datagrams[1].bytes, at: .zero)
        pair.client.handleTimeout(at: .distantFuture)
        pair.client.close()
        #expect(pair.client.poll() == nil)
        #expect(pair.client.nextDeadline == nil)
    }
}

@Suite("DTLS fingerprints")
struct FingerprintTests {
    @Test("An identity's fingerprint is 32 upper-case bytes with colons, and its own")
    func form() throws {
        let identity = try DTLSIdentity.generate()
        let parts = identity.fingerprint.split(separator: ":")
        #expect(parts.count == 32)
        #expect(parts.allSatisfy { $0.count == 2 && UInt8($0, radix: 16) != nil })
        #expect(identity.fingerprint == identity.fingerprint.uppercased())
        #expect(try DTLSIdentity.generate().fingerprint != identity.fingerprint)
    }

    @Test(
        "Fingerprints of no use are refused at once",
        arguments: [
            [], [("md5", "00:11")], [("sha-1", "AA")], [("sha-256", "AA:BB")],
            [("sha-256", "")], [("sha-512", String(repeating: "0", count: 191))],
            [("sha-256", Array(repeating: "GG", count: 32).joined(separator: ":"))],
        ] as [[(String, String)]])
    func useless(_ fingerprints: [(String, String)]) throws {
        let identity = try DTLSIdentity.generate()
        #expect(throws: SecureTransportError.noUsableFingerprint) {
            _ = try DTLSTransport(
                identity: identity, role: .server,
                remoteFingerprints: fingerprints.map { (algorithm: $0.0, value: $0.1) })
        }
    }

    @Test("Lower case serves, and one of several fingerprints is enough")
    func oneOfSeveral() throws {
        let ours = try DTLSIdentity.generate()
        let theirs = try DTLSIdentity.generate()
        let decoy = try DTLSIdentity.generate()
        let client = try DTLSTransport(
            identity: ours, role: .client,
            remoteFingerprints: [
                ("sha-1", "00"), ("sha-256", decoy.fingerprint),
                ("sha-256", theirs.fingerprint.lowercased()),
            ])
        let server = try DTLSTransport(
            identity: theirs, role: .server,
            remoteFingerprints: [("sha-256", ours.fingerprint)])
        client.start(at: .zero)
        var connected = 0
        for _ in 0..<6 {
            while let output = client.poll() {
                if case .transmit(let bytes) = output { server.handle(bytes, at: .zero) }
                if output == .connected { connected += 1 }
            }
            while let output = server.poll() {
                if case .transmit(let bytes) = output { client.handle(bytes, at: .zero) }
                if output == .connected { connected += 1 }
            }
        }
        #expect(connected == 2)
    }

    @Test("The strongest algorithm decides: a good sha-256 does not excuse a wrong sha-512")
    func strongest() throws {
        let ours = try DTLSIdentity.generate()
        let wrong = Array(repeating: "00", count: 64).joined(separator: ":")
        let client = try DTLSTransport(
            identity: ours, role: .client,
            remoteFingerprints: [("sha-256", ours.fingerprint), ("sha-512", wrong)])
        let server = try DTLSTransport(
            identity: ours, role: .server,
            remoteFingerprints: [("sha-256", ours.fingerprint)])
        client.start(at: .zero)
        var seen: [DTLSTransport.Output] = []
        for _ in 0..<6 {
            while let output = client.poll() {
                if case .transmit(let bytes) = output {
                    server.handle(bytes, at: .zero)
                } else {
                    seen.append(output)
                }
            }
            while let output = server.poll() {
                if case .transmit(let bytes) = output { client.handle(bytes, at: .zero) }
            }
        }
        #expect(seen == [.failed(.fingerprintMismatch)])
    }
}
