import DataChannel
import MediaKernel
import Testing

extension DataChannelTests {
    @Suite("Channels")
    struct ChannelTests {
        @Test("Both sides connect, from either end first", arguments: [true, false])
        func connects(clientFirst: Bool) throws {
            let pair = try ChannelPair()
            if clientFirst { pair.client.connect() } else { pair.server.connect() }
            pair.exchange()
            #expect(pair.clientOutputs.isEmpty && pair.serverOutputs.isEmpty)
            // The first INIT came too early and was lost; the other side's suffices.
            pair.connect()
            #expect(pair.clientOutputs == [.connected])
            #expect(pair.serverOutputs == [.connected])
        }

        @Test("The DTLS client's channels are even, the server's odd, and both sides see them")
        func ids() throws {
            let pair = try ChannelPair.connected()
            let first = try pair.client.open(label: "ion-sfu", protocol: "SCTP")
            let second = try pair.client.open(label: "chat", protocol: "")
            let third = try pair.server.open(label: "ion-sfu", protocol: "")
            #expect([first, second, third].map(\.rawValue) == [0, 2, 1])
            pair.exchange()
            func opened(
                _ id: ChannelID, _ label: String, _ name: String, _ isRemote: Bool
            ) -> DataChannelTransport.Output {
                .opened(id, label: label, protocol: name, isRemote: isRemote)
            }
            #expect(
                Set(pair.clientOutputs) == [
                    opened(first, "ion-sfu", "SCTP", false), opened(second, "chat", "", false),
                    opened(third, "ion-sfu", "", true),
                ])
            #expect(
                Set(pair.serverOutputs) == [
                    opened(first, "ion-sfu", "SCTP", true), opened(second, "chat", "", true),
                    opened(third, "ion-sfu", "", false),
                ])
        }

        @Test("A channel opened and used before the association waits, then arrives in order")
        func openEarly() throws {
            let pair = try ChannelPair()
            let id = try pair.client.open(label: "early", protocol: "")
            try pair.client.send("one", on: id)
            try pair.client.send(binary: [2], on: id)
            #expect(pair.client.queuedBytes > 0)
            pair.connect()
            #expect(
                pair.serverOutputs == [
                    .connected, .opened(id, label: "early", protocol: "", isRemote: true),
                    .text(id, "one"), .binary(id, [2]),
                ])
            #expect(pair.client.queuedBytes == 0)
        }

        @Test("Messages come whole, with their kind: text, binary, and both of them empty")
        func kinds() throws {
            let (pair, id) = try ChannelPair.withChannel()
            try pair.client.send("grüße 👋", on: id)
            try pair.client.send("", on: id)
            try pair.client.send(binary: [], on: id)
            try pair.client.send(binary: [0, 255, 0], on: id)
            try pair.server.send("back", on: id)
            pair.exchange()
            #expect(
                pair.serverOutputs == [
                    .text(id, "grüße 👋"), .text(id, ""), .binary(id, []),
                    .binary(id, [0, 255, 0]),
                ])
            #expect(pair.clientOutputs == [.text(id, "back")])
        }

        @Test("Large messages pass both ways in packets that fit a datagram")
        func large() throws {
            let (pair, id) = try ChannelPair.withChannel()
            pair.recordsPackets = true
            let large = (0..<262_144).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
            let text = String(repeating: "0123456789", count: 25_000)
            for _ in 0..<3 {
                try pair.client.send(binary: large, on: id)
                try pair.client.send(text, on: id)
                try pair.server.send(binary: large, on: id)
                pair.exchange()
                pair.pass(milliseconds: 100)
            }
            #expect(pair.serverOutputs.count == 6 && pair.clientOutputs.count == 3)
            #expect(pair.serverOutputs.first == .binary(id, large))
            #expect(pair.serverOutputs.last == .text(id, text))
            #expect(pair.clientOutputs.allSatisfy { $0 == .binary(id, large) })
            #expect(pair.packets.allSatisfy { $0.bytes.count <= 1163 })
        }

        @Test("A thousand small messages keep their order")
        func many() throws {
            let (pair, id) = try ChannelPair.withChannel()
            for number in 0..<1000 {
                try pair.client.send("\(number)", on: id)
                if number.isMultiple(of: 50) { pair.exchange() }
            }
            pair.exchange()
            #expect(pair.serverOutputs == (0..<1000).map { .text(id, "\($0)") })
        }

        @Test("Unordered and partly reliable channels carry their settings and their messages")
        func partlyReliable() throws {
            for reliability in [
                ChannelReliability.retransmissions(0), .lifetime(milliseconds: 500),
            ] {
                let (pair, id) = try ChannelPair.withChannel(
                    isOrdered: false, reliability: reliability)
                try pair.client.send("there", on: id)
                try pair.server.send("and back", on: id)
                pair.exchange()
                #expect(pair.serverOutputs == [.text(id, "there")])
                #expect(pair.clientOutputs == [.text(id, "and back")])
            }
        }
    }

    @Suite("Limits")
    struct LimitTests {
        @Test("A message over the peer's maximum is refused, one at the maximum goes")
        func messageSize() throws {
            let pair = try ChannelPair(serverAccepts: 1000)
            pair.connect()
            let id = try pair.client.open(label: "", protocol: "")
            pair.exchange()
            #expect(throws: DataChannelError.messageTooLong(bytes: 1001, maximum: 1000)) {
                try pair.client.send(String(repeating: "x", count: 1001), on: id)
            }
            try pair.client.send(String(repeating: "x", count: 1000), on: id)
            pair.exchange()
            #expect(pair.serverOutputs.last == .text(id, String(repeating: "x", count: 1000)))
        }

        @Test(
            "No message over 256 KiB is sent, whatever the peer would take",
            arguments: [0, 1 << 30])
        func ownMaximum(remote: Int) throws {
            let pair = try ChannelPair(serverAccepts: remote)
            pair.connect()
            let id = try pair.client.open(label: "", protocol: "")
            #expect(throws: DataChannelError.messageTooLong(bytes: 262_145, maximum: 262_144)) {
                try pair.client.send(binary: [UInt8](repeating: 0, count: 262_145), on: id)
            }
        }

        @Test("Long labels and protocols are refused")
        func names() throws {
            let pair = try ChannelPair.connected()
            let limit = String(repeating: "é", count: 128)
            _ = try pair.client.open(label: limit, protocol: limit)
            for (label, name) in [(limit + "x", ""), ("", limit + "x")] {
                #expect(throws: DataChannelError.nameTooLong(bytes: 257, maximum: 256)) {
                    _ = try pair.client.open(label: label, protocol: name)
                }
            }
            pair.exchange()
            #expect(pair.serverOutputs.count == 1)
        }

        @Test("Thirty-two channels and no more, whoever opens them")
        func channels() throws {
            let pair = try ChannelPair.connected()
            for _ in 0..<16 {
                _ = try pair.client.open(label: "c", protocol: "")
                _ = try pair.server.open(label: "s", protocol: "")
            }
            pair.exchange()
            #expect(pair.clientOutputs.count == 32 && pair.serverOutputs.count == 32)
            #expect(throws: DataChannelError.tooManyChannels(maximum: 32)) {
                _ = try pair.client.open(label: "one more", protocol: "")
            }
        }

        @Test("Both fill their sides at once: the surplus is closed, unseen by the other")
        func surplus() throws {
            let pair = try ChannelPair.connected()
            for _ in 0..<32 { _ = try pair.client.open(label: "c", protocol: "") }
            let surplus = try pair.server.open(label: "s", protocol: "")
            // The server's is sent first, so that the client has 32 of its own when it arrives.
            pair.exchange()
            pair.pass(milliseconds: 100)
            let closed = pair.clientOutputs + pair.serverOutputs
            #expect(closed.contains(.closed(surplus)))
            #expect(!pair.clientOutputs.contains(.closed(surplus)))
            #expect(pair.client.statistics.protocolViolations == 1)
        }

        @Test("A peer that does not read fills the queue, which then refuses and loses nothing")
        func queue() throws {
            let (pair, id) = try ChannelPair.withChannel()
            let message = [UInt8](repeating: 7, count: 100_000)
            var accepted = 0
            var refusal: DataChannelError?
            while refusal == nil, accepted < 100 {
                do throws(DataChannelError) {
                    try pair.client.send(binary: message, on: id)
                    accepted += 1
                } catch {
                    refusal = error
                }
            }
            guard case .queueFull(_, maximum: 1 << 20) = refusal else {
                Issue.record("\(String(describing: refusal)) after \(accepted)")
                return
            }
            #expect((15...25).contains(accepted))
            pair.exchange()
            pair.pass(milliseconds: 500)
            #expect(pair.serverOutputs.count == accepted)
            #expect(pair.client.queuedBytes == 0)
            try pair.client.send("room again", on: id)
            pair.exchange()
            #expect(pair.serverOutputs.last == .text(id, "room again"))
        }

        @Test("A channel with an id of our own side is closed, unseen by the application")
        func wrongSide() throws {
            let pair = try ChannelPair(bothAreClients: true)
            pair.connect()
            pair.clearOutputs()
            let id = try pair.client.open(label: "mine", protocol: "")
            pair.exchange()
            pair.pass(milliseconds: 100)
            #expect(pair.serverOutputs.isEmpty)
            #expect(pair.server.statistics.protocolViolations == 1)
            #expect(pair.clientOutputs == [.closed(id)])
            #expect(try pair.server.open(label: "free again", protocol: "") == id)
        }

        @Test("Unknown channels are refused")
        func unknown() throws {
            let (pair, _) = try ChannelPair.withChannel()
            #expect(throws: DataChannelError.noChannel(ChannelID(9))) {
                try pair.client.send("x", on: ChannelID(9))
            }
            pair.client.close(ChannelID(9))
            pair.exchange()
            #expect(pair.clientOutputs.isEmpty)
        }
    }
}
