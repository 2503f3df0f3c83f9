import DataChannel
import MediaKernel
import Testing

extension DataChannelTests {
    @Suite("Threads")
    struct ThreadTests {
        @Test("Transports of several threads share the stack while another one ticks")
        func threads() async throws {
            try await withThrowingTaskGroup(of: Int.self) { group in
                for thread in 0..<4 {
                    group.addTask {
                        let (pair, id) = try ChannelPair.withChannel()
                        for number in 0..<500 {
                            try pair.client.send("\(thread) \(number)", on: id)
                            try pair.server.send(binary: [UInt8(number & 255)], on: id)
                            pair.exchange()
                        }
                        let isWhole =
                            pair.serverOutputs == (0..<500).map { .text(id, "\(thread) \($0)") }
                        return isWhole ? pair.clientOutputs.count : -1
                    }
                }
                group.addTask {
                    for _ in 0..<200 { TestTime.advance(milliseconds: 1) }
                    return 500
                }
                for try await count in group { #expect(count == 500) }
            }
        }

        @Test("Packets that a tick makes are reported as work")
        func work() throws {
            let (pair, id) = try ChannelPair.withChannel()
            #expect(!pair.client.hasWork)
            try pair.client.send("x", on: id)
            #expect(pair.client.hasWork)
            pair.exchange()
            #expect(!pair.client.hasWork && !pair.server.hasWork)
            // The SACK of a single packet is delayed by 20 ms, then sent on its own.
            TestTime.advance(milliseconds: 40)
            #expect(pair.server.hasWork)
            guard case .transmit(let packet) = pair.server.poll() else {
                Issue.record("nothing to send")
                return
            }
            #expect(SCTPPackets.chunkType(packet) == 3)
        }
    }
}
