import ICE
import MediaKernel
import Testing

@Suite struct ICECandidateTests {
    @Test func aChromiumHostCandidateIsReadAndWrittenBack() throws {
        let text =
            "candidate:3405691582 1 udp 2122260223 192.0.2.2 58012 typ host generation 0 "
            + "ufrag pT4v network-id 1 network-cost 10"
        let candidate = try ICECandidate(parsing: text)
        #expect(candidate.foundation == "3405691582")
        #expect(candidate.component == 1)
        #expect(candidate.address.transport == .udp)
        #expect(candidate.priority == 2_122_260_223)
        #expect(candidate.address == TransportAddress(ipv4: 192, 0, 2, 2, port: 58012))
        #expect(candidate.kind == .host)
        #expect(candidate.usernameFragment == "pT4v")
        #expect(candidate.rendered() == text)
    }

    @Test func aFirefoxReflexiveCandidateKeepsItsRelatedAddress() throws {
        let text =
            "candidate:1 1 UDP 1685987327 203.0.113.7 61000 typ srflx raddr 10.0.0.4 rport 50001"
        let candidate = try ICECandidate(parsing: "a=" + text)
        #expect(candidate.kind == .serverReflexive)
        #expect(candidate.relatedAddress == TransportAddress(ipv4: 10, 0, 0, 4, port: 50001))
        // Browsers accept either case; RFC 8839's examples use lower case.
        #expect(candidate.rendered() == text.replacing("UDP", with: "udp"))
    }

    @Test func anIPv6TCPCandidateIsUnderstood() throws {
        let candidate = try ICECandidate(
            parsing: "candidate:7 1 tcp 1518280447 fd00::2 9 typ host tcptype active")
        #expect(candidate.address == TransportAddress("fd00::2", port: 9, transport: .tcp))
        #expect(candidate.extensions == [ICECandidate.Extension("tcptype", "active")])
    }

    @Test func aMulticastDNSNameIsItsOwnError() {
        let name = "4f3c2a1b-9d8e-4c7b-a6f5-0123456789ab.local"
        #expect(throws: ICEError.unresolvableHost(name)) {
            try ICECandidate(parsing: "candidate:1 1 udp 2113937151 \(name) 40000 typ host")
        }
    }

    @Test func aHiddenRelatedAddressIsNoError() throws {
        let candidate = try ICECandidate(
            parsing: "candidate:1 1 udp 1 203.0.113.7 1 typ srflx raddr x.local rport 0")
        #expect(candidate.relatedAddress == nil)
    }

    @Test(arguments: [
        "", "candidate:", "candidate:1 1 udp 1 192.0.2.1 1 typ",
        "cand:1 1 udp 1 1.2.3.4 1 typ host",
        "candidate:1 0 udp 1 192.0.2.1 1 typ host", "candidate:1 257 udp 1 192.0.2.1 1 typ host",
        "candidate:1 1 sctp 1 192.0.2.1 1 typ host", "candidate:1 1 udp -1 192.0.2.1 1 typ host",
        "candidate:1 1 udp 4294967296 192.0.2.1 1 typ host",
        "candidate:1 1 udp 1 192.0.2.1 65536 typ host", "candidate:1 1 udp 1 192.0.2.1 1 typ guest",
        "candidate:1 1 udp 1 192.0.2.1 1 type host",
        "candidate:1 1 udp 1 192.0.2.1 1 typ host generation",
        "candidate:1 1 udp 1 192.0.2.1 1 typ srflx raddr 10.0.0.1 rport x",
        "candidate:1 1 udp 1 192.0.2.1 1 typ host "
            + String(repeating: "x", count: ICELimits.candidateBytesMaximum),
    ])
    func aMalformedCandidateSaysSo(text: String) {
        #expect {
            try ICECandidate(parsing: text)
        } throws: { error in
            if case ICEError.malformedCandidate = error { true } else { false }
        }
    }

    @Test func everyTruncationEitherParsesOrThrows() {
        let text =
            "candidate:1 1 udp 1685987327 203.0.113.7 61000 typ srflx raddr 10.0.0.4 rport 50001"
        for count in 0..<text.utf8.count {
            _ = try? ICECandidate(parsing: String(text.prefix(count)))
        }
    }

    @Test func mutatedCandidatesNeverTrap() {
        let text = Array(
            "candidate:1 1 udp 1685987327 fd00::2 61000 typ srflx raddr 10.0.0.4 rport 50001".utf8)
        var random = SeededRandom(seed: 11)
        for _ in 0..<5000 {
            var bytes = text
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                    in: 0x20...0x7E, using: &random)
            }
            if let candidate = try? ICECandidate(parsing: String(decoding: bytes, as: UTF8.self)) {
                #expect((try? ICECandidate(parsing: candidate.rendered())) == candidate)
            }
        }
    }

    @Test func hostPrioritiesFollowTheFormulaAndLoopbackRanksLast() {
        #expect(ICECandidate.priority(kind: .host, localPreference: 65535) == 2_130_706_431)
        let outside = ICECandidate.host(TransportAddress(ipv4: 192, 0, 2, 2, port: 4000))
        let loopback = ICECandidate.host(TransportAddress(ipv4: 127, 0, 0, 1, port: 4000))
        #expect(outside.priority == 2_130_706_431)
        #expect(loopback.priority < outside.priority)
        #expect(loopback.foundation != outside.foundation)
    }

    /// 90 of 126 for the type, 4 of 7 for the direction, and 13 bits of ours: RFC 6544 sect. 4.2.
    @Test func aTCPCandidateWaitsForOthersAndRanksBelowUDP() {
        let address = TransportAddress(ipv4: 192, 0, 2, 2, port: 4000).over(.tcp)
        let candidate = ICECandidate.host(address)
        #expect(candidate.priority == 1_520_435_199)
        let text = candidate.rendered()
        #expect(text.hasSuffix(" 1 tcp 1520435199 192.0.2.2 4000 typ host tcptype passive"))
        #expect((try? ICECandidate(parsing: text)) == candidate)
        let second = ICECandidate.host(address, preference: 65_000)
        let loopback = ICECandidate.host(
            TransportAddress(ipv4: 127, 0, 0, 1, port: 4000).over(.tcp))
        let poorest = ICECandidate.host(address.over(.udp), preference: 0)
        #expect(loopback.priority < second.priority && second.priority < candidate.priority)
        #expect(candidate.priority < poorest.priority)
        #expect(candidate.foundation != poorest.foundation)
    }

    @Test func randomCredentialsHaveTheLengthsAndTheAlphabetOfRFC8839() {
        var random = SeededRandom(seed: 5)
        let one = ICECredentials.random(using: &random)
        let two = ICECredentials.random(using: &random)
        #expect(one != two)
        #expect(one.usernameFragment.utf8.count == 8)
        #expect(one.password.utf8.count == 24)
        #expect((one.usernameFragment + one.password).allSatisfy { $0.isASCII && $0 != ":" })
    }
}
