import MediaKernel
import Pipeline
import Stage
import Testing

@testable import Bot

@Suite struct PictureWishesTests {
    private let hosts = PictureHosts(["example.org"]) ?? PictureHosts()
    private let logo = "https://example.org/logo.png"

    private func wishes(_ layout: Layout = Layout()) -> PictureWishes {
        PictureWishes(hosts: hosts, layout: layout)
    }

    private func peer(_ picture: String?, publishes: Bool = true) -> SourcePeer {
        SourcePeer(
            id: "ann", name: "Ann", picture: picture, joinedAt: 0,
            tracks: publishes ? [SourceTrack(id: "voice", isVideo: false, isMuted: false)] : [])
    }

    private func told(_ wishes: [PictureWishes.Wish]) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: wishes.map { ($0.address.text, $0.sideMaximum) })
    }

    @Test func peersPicturesAreSmallAndTheLayoutsLarge() {
        var wishes = wishes(Layout(backgroundImage: logo))
        #expect(told(wishes.changes()) == [logo: 1920])
        let face = "https://example.org/ann.jpg"
        #expect(told(wishes.roomChanged([peer(face), peer(logo)])) == [face: 512])
        #expect(wishes.roomChanged([peer(face)]).isEmpty, "each is fetched once")
    }

    @Test func aPeersPictureThatTheLayoutNamesIsFetchedAgainInItsSize() throws {
        var wishes = wishes()
        let small = try #require(wishes.roomChanged([peer(logo)]).first)
        #expect(wishes.isWanted(small))
        let large = try #require(
            wishes.layoutChanged(Layout(backgroundImage: logo)).first)
        #expect(large.sideMaximum == 1920)
        // The small one, should it come now, must not take the place of the large one.
        #expect(wishes.isWanted(large) && !wishes.isWanted(small))
        #expect(wishes.layoutChanged(Layout()).isEmpty, "the large one will do for the peer")
        #expect(wishes.roomChanged([]).isEmpty)
        #expect(!wishes.isWanted(large))
    }

    @Test func whatIsNotListedAndWhoPublishesNothingIsPassedOver() {
        var wishes = wishes()
        #expect(wishes.roomChanged([peer("https://example.com/a.png"), peer(nil)]).isEmpty)
        #expect(wishes.roomChanged([peer(logo, publishes: false)]).isEmpty)
    }

    @Test func thereAreNoMoreThanTheMaximumAtATime() {
        var wishes = wishes()
        let many = (100..<200).map { peer("https://example.org/\($0).png") }
        #expect(wishes.roomChanged(many).count == PictureWishes.addressesMaximum)
        #expect(wishes.roomChanged(many).isEmpty)
        // Those who leave make room.
        #expect(wishes.roomChanged(Array(many.dropFirst(10))).count == 10)
        #expect(told(wishes.layoutChanged(Layout(backgroundImage: logo))) == [logo: 1920])
    }
}
