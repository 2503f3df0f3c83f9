import DataChannel
import MediaKernel
import Testing

@testable import PeerConnection

extension PeerConnectionTests {
    @Suite struct ManyChannels {
        @Test(arguments: Wire.Side.allCases)
        func anyNumberOfChannelsCarryTextAndBytes(side: Wire.Side) throws {
            let wire = Wire()
            let (here, there) = (wire.end(side), wire.end(side.other))
            _ = try here.core.add(.audio())
            let chat = try here.core.openChannel(
                ChannelFormat(label: "chat", protocol: "json"), at: wire.now)
            try wire.connect(offering: side)
            wire.run(for: .milliseconds(500))
            let fast = try there.core.openChannel(
                ChannelFormat(
                    label: "fast", isOrdered: false, reliability: .retransmissions(0)),
                at: wire.now)
            wire.run(for: .milliseconds(500))
            #expect(here.channelEvents == ["open chat", "open fast"])
            #expect(here.channelProtocols == ["json", ""])
            #expect(there.channelProtocols == ["json", ""])
            #expect(here.core.send(.binary([0, 255]), on: chat, at: wire.now))
            #expect(here.core.send(.text("hello"), on: chat, at: wire.now))
            #expect(there.core.send(.binary([]), on: fast, at: wire.now))
            wire.run(for: .milliseconds(500))
            #expect(there.channelEvents.suffix(2) == ["chat: [0, 255]", "chat: hello"])
            #expect(here.channelEvents.suffix(1) == ["fast: []"])

            here.core.closeChannel(chat, at: wire.now)
            for _ in 0..<20 where !there.channelEvents.contains("closed chat") {
                wire.run(for: .milliseconds(500))
            }
            #expect(there.channelEvents.last == "closed chat")
            #expect(!here.core.send(.text("late"), on: chat, at: wire.now))
            #expect(there.core.send(.text("still there"), on: fast, at: wire.now))
        }

        @Test func thereIsALimitToChannelsAndTheirNames() throws {
            let core = Wire().client.core
            let now = Instant(nanoseconds: 1_000_000_000)
            let long = String(repeating: "x", count: PeerConnection.channelNameBytesMaximum + 1)
            for format in [ChannelFormat(label: long), ChannelFormat(label: "", protocol: long)] {
                #expect {
                    try core.openChannel(format, at: now)
                } throws: { error in
                    if case PeerConnectionError.tooMany = error { true } else { false }
                }
            }
            for number in 0..<DataChannelTransport.channelsMaximum {
                _ = try core.openChannel(ChannelFormat(label: "\(number)"), at: now)
            }
            let most = DataChannelTransport.channelsMaximum
            #expect(throws: PeerConnectionError.tooMany(what: "data channels", maximum: most)) {
                try core.openChannel(ChannelFormat(label: "more"), at: now)
            }
        }
    }
}
