import Testing

@testable import MediaClient
@testable import PeerConnection

@Suite struct TextChannelTests {
    private let one = ChannelHandle(1)
    private let other = ChannelHandle(2)
    private let third = ChannelHandle(3)

    @Test func onlyTheChannelWithTheLabelCarriesTexts() {
        var channel = TextChannel(label: "texts")
        let first = channel.opened(one, label: "files")
        #expect(!first && !channel.carries(one))
        let second = channel.opened(other, label: "texts")
        #expect(second && channel.carries(other) && !channel.carries(one))
        // Another one is as good, and no news.
        let again = channel.opened(third, label: "texts")
        #expect(!again && channel.carries(third))
        channel.closed(other)
        channel.closed(third)
        #expect(!channel.carries(other) && !channel.carries(third))
        let anew = channel.opened(one, label: "texts")
        #expect(anew)
    }

    @Test func aProtocolWithoutOneHasNone() {
        var channel = TextChannel(label: nil)
        let isOurs = channel.opened(one, label: "texts")
        #expect(!isOurs && !channel.carries(one))
    }
}
