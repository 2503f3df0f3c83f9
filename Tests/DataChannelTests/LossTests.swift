import DataChannel
import Glibc
import MediaKernel
import Testing

extension Tag {
    /// Waits on a real clock, since usrsctp's T3 timer uses one.
    @Tag static var realTime: Self
}

extension DataChannelTests {
    /// Except for the tagged test, these avoid usrsctp's own clock: it measures round trips, and
    /// the age of chunks that T3 would retransmit, with `gettimeofday`.
    @Suite("Loss")
    struct LossTests {
        @Test("A lost packet among others is sent again on the strength of the others' SACKs")
        func fastRetransmit() throws {
            let (pair, id) = try ChannelPair.withChannel()
            var dataPackets = 0
            for number in 0..<30 { try pair.client.send("\(number)", on: id) }
            pair.exchange { side, packet in
                if side == .client, SCTPPackets.chunkType(packet) == 0 { dataPackets += 1 }
                return side == .client && dataPackets == 2 ? [] : [packet]
            }
            pair.pass(milliseconds: 100)
            #expect(dataPackets > 4)
            #expect(pair.serverOutputs == (0..<30).map { .text(id, "\($0)") })
        }

        @Test("Doubled packets are delivered once")
        func doubled() throws {
            let pair = try ChannelPair()
            pair.client.connect()
            pair.server.connect()
            let twice: (ChannelPair.Side, [UInt8]) -> [[UInt8]] = { _, packet in [packet, packet] }
            pair.exchange(twice)
            let id = try pair.client.open(label: "x", protocol: "")
            for number in 0..<20 { try pair.client.send("\(number)", on: id) }
            pair.exchange(twice)
            #expect(
                pair.serverOutputs == [
                    .connected, .opened(id, label: "x", protocol: "", isRemote: true),
                ] + (0..<20).map { .text(id, "\($0)") })
        }

        @Test("Packets out of order are delivered in order")
        func reordered() throws {
            let (pair, id) = try ChannelPair.withChannel()
            for number in 0..<60 { try pair.client.send("\(number)", on: id) }
            var held: [UInt8]?
            pair.exchange { side, packet in
                guard side == .client else { return [packet] }
                guard let earlier = held else {
                    held = packet
                    return []
                }
                held = nil
                return [packet, earlier]
            }
            pair.exchange()
            if let held { pair.server.handle(held) }
            pair.exchange()
            #expect(pair.serverOutputs == (0..<60).map { .text(id, "\($0)") })
        }

        @Test("A message that overtakes the ACK of its channel opens it")
        func messageBeforeAcknowledgement() throws {
            let pair = try ChannelPair.connected()
            let id = try pair.client.open(label: "early", protocol: "", isOrdered: false)
            var held: [[UInt8]] = []
            pair.exchange { side, packet in
                guard side == .server else { return [packet] }
                held.append(packet)
                return []
            }
            try pair.server.send("first", on: id)
            pair.exchange()
            #expect(
                pair.clientOutputs == [
                    .opened(id, label: "early", protocol: "", isRemote: false),
                    .text(id, "first"),
                ])
            for packet in held { pair.client.handle(packet) }
            pair.exchange()
            #expect(pair.clientOutputs.count == 2)
            #expect(pair.client.statistics.protocolViolations == 0)
        }

        @Test("A lost INIT and a lost COOKIE ECHO are sent again")
        func lostSetup() throws {
            let pair = try ChannelPair()
            pair.client.connect()
            pair.server.connect()
            var lost: Set<UInt8> = []
            let losesFirst: (ChannelPair.Side, [UInt8]) -> [[UInt8]] = { side, packet in
                guard side == .client, let type = SCTPPackets.chunkType(packet),
                    [1, 2, 10].contains(type), lost.insert(type).inserted
                else { return [packet] }
                return []
            }
            pair.exchange(losesFirst)
            pair.pass(milliseconds: 6000, losesFirst)
            #expect(lost.contains(1))
            #expect(pair.clientOutputs == [.connected])
            #expect(pair.serverOutputs == [.connected])
        }

        /// Browsers keep their ends open as long, and one given up here would stay silent. usrsctp
        /// retransmits waiting data by its own clock, so this test does not check that.
        @Test("A peer that answers nothing for two minutes is not given up")
        func vanished() throws {
            let (pair, id) = try ChannelPair.withChannel()
            try pair.client.send("anybody there?", on: id)
            pair.pass(milliseconds: 120_000) { _, _ in [] }
            #expect(pair.clientOutputs.isEmpty && pair.serverOutputs.isEmpty)
            try pair.server.send("I am", on: id)
            pair.exchange()
            #expect(pair.clientOutputs == [.text(id, "I am")])
        }

        @Test("A lost packet with none behind it is sent again when T3 runs out", .tags(.realTime))
        func tailLoss() throws {
            let (pair, id) = try ChannelPair.withChannel()
            try pair.client.send("the last one", on: id)
            var isLost = false
            pair.exchange { side, packet in
                guard side == .client, !isLost else { return [packet] }
                isLost = true
                return []
            }
            #expect(isLost && pair.serverOutputs.isEmpty)
            // At most a second and a half, or more if the machine's own clock, by which usrsctp
            // measures round trips, ran on while the test was suspended.
            for _ in 0..<1000 where pair.serverOutputs.isEmpty {
                usleep(10_000)
                pair.pass(milliseconds: 10)
            }
            #expect(pair.serverOutputs == [.text(id, "the last one")])
        }
    }
}
