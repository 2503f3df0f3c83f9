import DataChannel
import MediaKernel
import Testing

extension DataChannelTests {
    @Suite("Closing")
    struct CloseTests {
        @Test("A closed channel closes on both sides, after what was sent on it")
        func close() throws {
            let (pair, id) = try ChannelPair.withChannel()
            try pair.client.send("last words", on: id)
            pair.client.close(id)
            #expect(throws: DataChannelError.noChannel(id)) {
                try pair.client.send("too late", on: id)
            }
            pair.exchange()
            pair.pass(milliseconds: 100)
            #expect(pair.serverOutputs == [.text(id, "last words"), .closed(id)])
            #expect(pair.clientOutputs == [.closed(id)])
            #expect(throws: DataChannelError.noChannel(id)) {
                try pair.server.send("too late", on: id)
            }
        }

        @Test("No reset is asked for while the peer has not acknowledged what was sent")
        func resetWaits() throws {
            let (pair, id) = try ChannelPair.withChannel()
            let other = try pair.client.open(label: "other", protocol: "")
            pair.exchange()
            pair.clearOutputs()
            pair.recordsPackets = true
            try pair.client.send("on its way", on: id)
            pair.client.close(id)
            try pair.client.send("waits behind the reset", on: other)
            var held: [[UInt8]] = []
            pair.exchange { side, packet in
                if side == .server { held.append(packet) }
                return side == .server ? [] : [packet]
            }
            pair.pass(milliseconds: 100) { side, packet in
                if side == .server { held.append(packet) }
                return side == .server ? [] : [packet]
            }
            let sent = Set(pair.packets.flatMap { SCTPPackets.chunkTypes($0.bytes) })
            #expect(sent.contains(0) && !sent.contains(130), "DATA, no RE-CONFIG")
            #expect(pair.serverOutputs == [.text(id, "on its way")])
            #expect(pair.client.queuedBytes > 0)
            for packet in held { pair.client.handle(packet) }
            pair.exchange()
            pair.pass(milliseconds: 100)
            #expect(pair.packets.contains { SCTPPackets.chunkTypes($0.bytes).contains(130) })
            #expect(
                Set(pair.serverOutputs.dropFirst()) == [
                    .closed(id), .text(other, "waits behind the reset"),
                ])
            #expect(pair.clientOutputs == [.closed(id)])
        }

        @Test("An id is used again once both directions are reset")
        func reuse() throws {
            let (pair, id) = try ChannelPair.withChannel()
            for round in 0..<5 {
                if round.isMultiple(of: 2) { pair.client.close(id) } else { pair.server.close(id) }
                pair.exchange()
                pair.pass(milliseconds: 100)
                pair.clearOutputs()
                #expect(try pair.client.open(label: "again \(round)", protocol: "") == id)
                try pair.client.send("hello", on: id)
                pair.exchange()
                #expect(
                    pair.serverOutputs == [
                        .opened(id, label: "again \(round)", protocol: "", isRemote: true),
                        .text(id, "hello"),
                    ])
            }
        }

        @Test("While a close is under way the id is not given out again")
        func noEarlyReuse() throws {
            let (pair, id) = try ChannelPair.withChannel()
            pair.client.close(id)
            #expect(try pair.client.open(label: "next", protocol: "") != id)
        }

        @Test("An id whose other direction is not reset yet is not given out")
        func halfReset() throws {
            let (pair, id) = try ChannelPair.withChannel()
            pair.server.close(id)
            pair.exchange { side, packet in side == .client ? [] : [packet] }
            #expect(pair.clientOutputs == [.closed(id)])
            #expect(try pair.client.open(label: "next", protocol: "") != id)
        }

        @Test("Both sides close at once")
        func bothClose() throws {
            let (pair, id) = try ChannelPair.withChannel()
            pair.client.close(id)
            pair.server.close(id)
            pair.exchange()
            pair.pass(milliseconds: 200)
            #expect(pair.clientOutputs == [.closed(id)])
            #expect(pair.serverOutputs == [.closed(id)])
            #expect(try pair.client.open(label: "next", protocol: "") == id)
        }

        @Test("A channel closed before the peer acknowledged it opens and closes there")
        func closeBeforeAcknowledgement() throws {
            let pair = try ChannelPair.connected()
            let id = try pair.client.open(label: "brief", protocol: "")
            try pair.client.send("hello", on: id)
            pair.client.close(id)
            pair.exchange()
            pair.pass(milliseconds: 100)
            #expect(
                pair.serverOutputs == [
                    .opened(id, label: "brief", protocol: "", isRemote: true),
                    .text(id, "hello"), .closed(id),
                ])
            #expect(pair.clientOutputs == [.closed(id)])
        }

        @Test("Other channels go on while some close, several at once")
        func others() throws {
            let pair = try ChannelPair.connected()
            let ids = try (0..<8).map { try pair.client.open(label: "\($0)", protocol: "") }
            pair.exchange()
            pair.clearOutputs()
            for id in ids[1...] { pair.client.close(id) }
            try pair.client.send("still here", on: ids[0])
            pair.exchange()
            pair.pass(milliseconds: 300)
            #expect(pair.serverOutputs.contains(.text(ids[0], "still here")))
            #expect(Set(pair.clientOutputs) == Set(ids[1...].map { .closed($0) }))
            #expect(pair.serverOutputs.count == 8)
        }

        @Test("A peer that stays silent does not keep a close from ending, nor the id free")
        func silentPeer() throws {
            let (pair, id) = try ChannelPair.withChannel()
            pair.client.close(id)
            // No packet arrives any more. SCTP itself gives up the path later than this.
            for _ in 0..<1600 where pair.clientOutputs.isEmpty {
                pair.pass(milliseconds: 10) { _, _ in [] }
            }
            #expect(pair.clientOutputs.first == .closed(id))
        }

        @Test("The transport's close aborts: the peer hears of every channel and of the end")
        func closeTransport() throws {
            let (pair, id) = try ChannelPair.withChannel()
            pair.client.close()
            pair.client.close()
            pair.exchange()
            #expect(pair.clientOutputs.isEmpty)
            #expect(pair.serverOutputs.count == 2)
            #expect(pair.serverOutputs.first == .closed(id))
            guard case .failed(.associationLost) = pair.serverOutputs.last else {
                Issue.record("\(pair.serverOutputs)")
                return
            }
            for transport in [pair.client, pair.server] {
                #expect(throws: DataChannelError.closed) { try transport.send("x", on: id) }
                #expect(throws: DataChannelError.closed) {
                    _ = try transport.open(label: "", protocol: "")
                }
                transport.connect()
                #expect(transport.poll() == nil)
            }
        }

        @Test("A transport that is let go leaves nothing behind")
        func release() throws {
            let before = DataChannelTransport.count
            do {
                let (pair, _) = try ChannelPair.withChannel()
                #expect(DataChannelTransport.count == before + 2)
                pair.client.close()
                #expect(DataChannelTransport.count == before + 1)
            }
            #expect(DataChannelTransport.count == before)
            TestTime.advance(milliseconds: 200)
        }
    }
}
