import MediaKernel
import SecureTransport
import Testing

@Suite("SRTP")
struct SRTPTests {
    @Test("RTP passes both ways, in place, and grows by the tag", arguments: SRTPProfile.allCases)
    func rtp(_ profile: SRTPProfile) throws {
        let pair = try DTLSPair.connected([profile])
        let tag = profile == .aeadAES128GCM ? 16 : 10
        for (sender, receiver) in [(pair.client, pair.server), (pair.server, pair.client)] {
            for sequence in UInt16(65_530)...65_535 {
                let plain = rtpPacket(sequence: sequence, payload: Array(0..<200))
                var packet = plain
                try sender.protectRTP(&packet)
                #expect(packet.count == plain.count + tag)
                #expect(packet[..<12] == plain[..<12])
                #expect(packet[12..<212] != plain[12...])
                try receiver.unprotectRTP(&packet)
                #expect(packet == plain)
            }
        }
    }

    @Test("RTCP passes both ways and is encrypted", arguments: SRTPProfile.allCases)
    func rtcp(_ profile: SRTPProfile) throws {
        let pair = try DTLSPair.connected([profile])
        let tag = profile == .aeadAES128GCM ? 16 : 10
        for (sender, receiver) in [(pair.client, pair.server), (pair.server, pair.client)] {
            let plain = receiverReport(ssrc: 7) + receiverReport(ssrc: 8)
            var packet = plain
            try sender.protectRTCP(&packet)
            #expect(packet.count == plain.count + tag + 4)
            #expect(packet[8..<16] != plain[8...])
            try receiver.unprotectRTCP(&packet)
            #expect(packet == plain)
        }
    }

    @Test("Any changed byte is found", arguments: SRTPProfile.allCases)
    func tampered(_ profile: SRTPProfile) throws {
        let pair = try DTLSPair.connected([profile])
        var sealed = rtpPacket(sequence: 9, payload: Array(0..<40))
        try pair.client.protectRTP(&sealed)
        // From byte 1: the version in byte 0 is checked before the tag.
        for index in 1..<sealed.count {
            var packet = sealed
            packet[index] ^= 0x10
            #expect(throws: SecureTransportError.authenticationFailed, "byte \(index)") {
                try pair.server.unprotectRTP(&packet)
            }
        }
        try pair.server.unprotectRTP(&sealed)
    }

    @Test("A changed RTCP packet is found", arguments: SRTPProfile.allCases)
    func tamperedRTCP(_ profile: SRTPProfile) throws {
        let pair = try DTLSPair.connected([profile])
        var sealed = receiverReport(ssrc: 7) + receiverReport(ssrc: 8)
        try pair.client.protectRTCP(&sealed)
        for index in 1..<sealed.count {
            var packet = sealed
            packet[index] ^= 0x10
            #expect(throws: SecureTransportError.self, "byte \(index)") {
                try pair.server.unprotectRTCP(&packet)
            }
        }
        try pair.server.unprotectRTCP(&sealed)
    }

    @Test("A replayed packet is refused", arguments: SRTPProfile.allCases)
    func replayed(_ profile: SRTPProfile) throws {
        let pair = try DTLSPair.connected([profile])
        var first = rtpPacket(sequence: 100, payload: [1, 2, 3])
        try pair.client.protectRTP(&first)
        var again = first
        try pair.server.unprotectRTP(&first)
        #expect(throws: SecureTransportError.replayed) {
            try pair.server.unprotectRTP(&again)
        }
        var report = receiverReport(ssrc: 7)
        try pair.client.protectRTCP(&report)
        var reportAgain = report
        try pair.server.unprotectRTCP(&report)
        #expect(throws: SecureTransportError.replayed) {
            try pair.server.unprotectRTCP(&reportAgain)
        }
    }

    @Test("A packet two thousand behind is taken late, one beyond the window is refused")
    func window() throws {
        let pair = try DTLSPair.connected()
        var late: [[UInt8]] = []
        for sequence in UInt16(0)...3000 {
            var packet = rtpPacket(sequence: sequence, payload: [5])
            try pair.client.protectRTP(&packet)
            if sequence == 900 || sequence == 1001 {
                late.append(packet)
            } else {
                try pair.server.unprotectRTP(&packet)
            }
        }
        #expect(throws: SecureTransportError.replayed) {
            try pair.server.unprotectRTP(&late[0])
        }
        try pair.server.unprotectRTP(&late[1])
    }

    @Test("A stream that is sent in order goes back by 511 packets at most, another by 2047")
    func outboundWindow() throws {
        let pair = try DTLSPair.connected()
        for (areInOrder, window) in [(true, UInt16(512)), (false, 2048)] {
            let ssrcs = DTLSTransport.outboundSSRCs(areInOrder: areInOrder)
            for ssrc in [ssrcs.lowerBound, ssrcs.upperBound] {
                func send(_ sequence: UInt16) throws {
                    var packet = rtpPacket(sequence: sequence, ssrc: ssrc, payload: [7])
                    try pair.client.protectRTP(&packet)
                    try pair.server.unprotectRTP(&packet)
                }
                try send(5000)
                try send(5001 - window)
                #expect(throws: SecureTransportError.replayed) { try send(5000 - window) }
                try send(5001)
            }
        }
    }

    @Test("An index is never encrypted twice")
    func repeatedProtect() throws {
        let pair = try DTLSPair.connected()
        var first = rtpPacket(sequence: 1, payload: [1])
        try pair.client.protectRTP(&first)
        let plain = rtpPacket(sequence: 1, payload: [2])
        var second = plain
        #expect(throws: SecureTransportError.replayed) { try pair.client.protectRTP(&second) }
        #expect(second == plain, "an error leaves the packet's length alone")
    }

    @Test(
        "Many SSRCs share a connection's keys, each with its own sequence",
        arguments: SRTPProfile.allCases)
    func manyStreams(_ profile: SRTPProfile) throws {
        let pair = try DTLSPair.connected([profile])
        let ssrcs = (UInt32(1)...300).map { $0 &* 0x9E37_79B9 }
        for sequence in UInt16(5)...7 {
            for ssrc in ssrcs {
                let media = rtpPacket(sequence: sequence, ssrc: ssrc, payload: [9, 9])
                let control = receiverReport(ssrc: ssrc)
                for (sender, receiver) in [(pair.client, pair.server), (pair.server, pair.client)] {
                    var packet = media
                    try sender.protectRTP(&packet)
                    var report = control
                    try sender.protectRTCP(&report)
                    try receiver.unprotectRTCP(&report)
                    #expect(report == control)
                    try receiver.unprotectRTP(&packet)
                    #expect(packet == media)
                }
            }
        }
    }

    @Test("A peer cannot open streams without end")
    func streamLimit() throws {
        let pair = try DTLSPair.connected([.aeadAES128GCM])
        var refusedAt: UInt32?
        for ssrc in UInt32(1)...3001 {
            var packet = rtpPacket(sequence: 5, ssrc: ssrc, payload: [9])
            try pair.client.protectRTP(&packet)
            pair.client.retireOutboundStream(ssrc: ssrc)
            do {
                try pair.server.unprotectRTP(&packet)
            } catch .tooManyStreams {
                refusedAt = ssrc
            }
        }
        #expect(refusedAt == 3001)
        // Its existing streams continue.
        var packet = rtpPacket(sequence: 6, ssrc: 3000, payload: [9])
        try pair.client.protectRTP(&packet)
        try pair.server.unprotectRTP(&packet)
    }

    @Test("Streams that have ended give way to others, the earliest first")
    func endedStreamsGiveWay() throws {
        let pair = try DTLSPair.connected([.aeadAES128GCM])
        func send(_ ssrc: UInt32, sequence: UInt16) throws {
            var packet = rtpPacket(sequence: sequence, ssrc: ssrc, payload: [9])
            try pair.client.protectRTP(&packet)
            try pair.server.unprotectRTP(&packet)
        }
        var recorded = rtpPacket(sequence: 4, ssrc: 2, payload: [9])
        try pair.client.protectRTP(&recorded)
        func replay() throws {
            var packet = recorded
            try pair.server.unprotectRTP(&packet)
        }
        try replay()
        for ssrc in UInt32(1)...3000 { try send(ssrc, sequence: 5) }
        for ssrc in UInt32(1)...4 { pair.server.retireInboundStream(ssrc: ssrc) }
        pair.server.expectInboundStream(ssrc: 1)
        #expect(throws: SecureTransportError.replayed) { try replay() }
        // Forged packets take no stream's place.
        for ssrc in UInt32(4000)...4010 {
            var forged = rtpPacket(
                sequence: 5, ssrc: ssrc, payload: [UInt8](repeating: 9, count: 20))
            #expect(throws: SecureTransportError.authenticationFailed) {
                try pair.server.unprotectRTP(&forged)
            }
        }
        for ssrc in UInt32(3001)...3002 { try send(ssrc, sequence: 5) }
        // Nor can recorded packets be replayed.
        #expect(throws: SecureTransportError.replayed) { try replay() }
        try send(3003, sequence: 5)
        #expect(throws: SecureTransportError.tooManyStreams(maximum: 3000)) {
            try send(3004, sequence: 5)
        }
        for ssrc in [UInt32(1), 5, 3001] { try send(ssrc, sequence: 6) }
    }

    @Test("A retired stream's state is gone")
    func retired() throws {
        let pair = try DTLSPair.connected()
        var first = rtpPacket(sequence: 1, ssrc: 0x0102_0304, payload: [1])
        try pair.client.protectRTP(&first)
        pair.client.retireOutboundStream(ssrc: 0x0102_0304)
        var second = rtpPacket(sequence: 1, ssrc: 0x0102_0304, payload: [1])
        try pair.client.protectRTP(&second)
        #expect(first == second)
    }

    @Test("Before the handshake there is no SRTP")
    func tooEarly() throws {
        let pair = try DTLSPair()
        var packet = rtpPacket(sequence: 1, payload: [1])
        #expect(throws: SecureTransportError.srtpUnavailable) {
            try pair.client.protectRTP(&packet)
        }
        #expect(throws: SecureTransportError.srtpUnavailable) {
            try pair.server.unprotectRTCP(&packet)
        }
    }

    private static func isOfATruncation(_ error: any Error) -> Bool {
        switch error as? SecureTransportError {
        case .tooShort, .authenticationFailed: true
        default: false
        }
    }

    @Test("Every truncation of a packet is refused", arguments: SRTPProfile.allCases)
    func truncated(_ profile: SRTPProfile) throws {
        let pair = try DTLSPair.connected([profile])
        var sealed = rtpPacket(sequence: 1, payload: Array(0..<30))
        try pair.client.protectRTP(&sealed)
        var report = receiverReport(ssrc: 7)
        try pair.client.protectRTCP(&report)
        for count in 0..<sealed.count {
            var packet = Array(sealed[..<count])
            #expect("\(count)") {
                try pair.server.unprotectRTP(&packet)
            } throws: { Self.isOfATruncation($0) }
        }
        for count in 0..<report.count {
            var packet = Array(report[..<count])
            #expect("\(count)") {
                try pair.server.unprotectRTCP(&packet)
            } throws: { Self.isOfATruncation($0) }
        }
    }

    @Test("Mutated packets never get through and never trap", arguments: SRTPProfile.allCases)
    func mutated(_ profile: SRTPProfile) throws {
        let pair = try DTLSPair.connected([profile])
        var random = SeededRandom(seed: 0x5274)
        var sealed = rtpPacket(sequence: 77, payload: Array(0..<60))
        try pair.client.protectRTP(&sealed)
        var passed = 0
        for _ in 0..<4000 {
            var packet = sealed
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                packet[Int.random(in: 0..<packet.count, using: &random)] =
                    UInt8.random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) {
                packet.removeLast(Int.random(in: 0..<packet.count, using: &random))
            }
            guard packet != sealed else { continue }
            var other = packet
            if (try? pair.server.unprotectRTP(&packet)) != nil { passed += 1 }
            if (try? pair.server.unprotectRTCP(&other)) != nil { passed += 1 }
        }
        #expect(passed == 0)
        try pair.server.unprotectRTP(&sealed)
    }
}
