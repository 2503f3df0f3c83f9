import MediaKernel
import Pipeline
import Stage
import Testing

@testable import Bot

@Suite struct PictureRequestsTests {
    private let hosts = WebHosts(["example.org"]) ?? WebHosts()
    private let logo = "https://example.org/logo.png"
    private let face = "https://example.org/ann.jpg"

    private func wishes(_ layout: Layout = Layout()) -> PictureRequests {
        PictureRequests(hosts: hosts, layout: layout)
    }

    private func peer(
        _ picture: String?, id: PeerID = "ann", joinedAt: Int64 = 0, publishes: Bool = true
    ) -> SourcePeer {
        SourcePeer(
            id: id, name: "Ann", picture: picture, joinedAt: joinedAt,
            tracks: publishes ? [SourceTrack(id: "voice", isVideo: false, isMuted: false)] : [])
    }

    /// In the order of joining, which differs from the order of the addresses.
    private func crowd(_ numbers: Range<Int>) -> [SourcePeer] {
        numbers.map { number in
            peer(address(number), id: PeerID("peer \(number)"), joinedAt: Int64(number))
        }
    }

    private func address(_ number: Int) -> String { "https://example.org/\(999 - number).png" }

    private func tiles(_ numbers: Range<Int>) -> [PlacedTile] {
        numbers.map { number in
            PlacedTile(
                peer: PeerID("peer \(number)"), track: nil, name: "",
                rectangle: Rectangle(x: 0, y: 0, width: 100, height: 100), fit: .crop)
        }
    }

    /// All waiting wishes, the most urgent first.
    private func due(_ wishes: inout PictureRequests) -> [PictureRequests.Wish] {
        var waiting: [PictureRequests.Wish] = []
        while let wish = wishes.next() { waiting.append(wish) }
        return waiting
    }

    private func texts(_ wishes: [PictureRequests.Wish]) -> [String] { wishes.map(\.address.text) }

    /// Fetches all waiting images.
    private func fetch(_ wishes: inout PictureRequests) -> [String] {
        let waiting = due(&wishes)
        for wish in waiting {
            let isToBeShown = wishes.fetched(wish)
            #expect(isToBeShown)
        }
        return texts(waiting)
    }

    @Test func peersPicturesAreSmallAndTheLayoutsLarge() {
        var wishes = wishes(Layout(backgroundImage: logo))
        _ = wishes.roomChanged([peer(face), peer(logo, id: "ben")])
        let first = due(&wishes)
        #expect(texts(first) == [logo, face])
        #expect(first.map(\.sideMaximum) == [1920, 512])
        _ = wishes.roomChanged([peer(face)])
        let second = due(&wishes)
        #expect(second.isEmpty, "each is fetched once")
    }

    @Test func uploadedPicturesAreForLayoutsOnly() throws {
        let uploaded = try ["ab", "cd"].map { digits in
            try #require(UploadedPicture(name: String(repeating: digits, count: 16))).text
        }
        var wishes = wishes(Layout(backgroundImage: uploaded[0]))
        _ = wishes.roomChanged([peer(uploaded[1])])
        let waiting = due(&wishes)
        #expect(texts(waiting) == [uploaded[0]])
    }

    @Test func theDefaultPictureComesBeforePeersAndIsAsSmall() {
        var wishes = wishes(Layout(defaultPicture: face))
        _ = wishes.roomChanged([peer(logo), peer(face, id: "ben")])
        let first = due(&wishes)
        #expect(texts(first) == [face, logo])
        #expect(first.map(\.sideMaximum) == [512, 512])
        // Unless it is the background too.
        _ = wishes.layoutChanged(Layout(backgroundImage: face, defaultPicture: face))
        let second = due(&wishes)
        #expect(texts(second) == [face] && second.map(\.sideMaximum) == [1920])
    }

    @Test func aPeersPictureThatTheLayoutNamesIsFetchedAgainInItsSize() throws {
        var wishes = wishes()
        _ = wishes.roomChanged([peer(logo)])
        let first = due(&wishes)
        let small = try #require(first.first)
        _ = wishes.layoutChanged(Layout(backgroundImage: logo))
        let second = due(&wishes)
        let large = try #require(second.first)
        #expect(small.sideMaximum == 512 && large.sideMaximum == 1920)
        // If the small one arrives now, it must not replace the large one.
        let isSmallShown = wishes.fetched(small)
        let isLargeShown = wishes.fetched(large)
        #expect(!isSmallShown && isLargeShown)
        _ = wishes.layoutChanged(Layout())
        let rest = due(&wishes)
        #expect(rest.isEmpty, "the large one will do for the peer")
        _ = wishes.roomChanged([])
        let isStillShown = wishes.fetched(large)
        #expect(!isStillShown)
    }

    @Test func whatIsNotListedAndWhoPublishesNothingIsPassedOver() {
        var wishes = wishes()
        _ = wishes.roomChanged([
            peer("https://example.com/a.png"), peer(nil, id: "ben"),
            peer(logo, id: "cleo", publishes: false),
        ])
        let waiting = due(&wishes)
        #expect(waiting.isEmpty)
    }

    @Test func thereAreNoMoreThanTheMaximumAtATime() {
        var wishes = wishes()
        _ = wishes.roomChanged(crowd(0..<100))
        let first = fetch(&wishes)
        #expect(first == (0..<PictureRequests.addressesMaximum).map(address), "who joined first")
        _ = wishes.roomChanged(crowd(0..<100))
        let again = fetch(&wishes)
        #expect(again.isEmpty)
        // Peers that leave make room, and those that stay keep their images.
        let dropped = wishes.roomChanged(crowd(10..<100))
        #expect(dropped.isEmpty)
        let next = fetch(&wishes)
        #expect(next == (50..<60).map(address))
        _ = wishes.layoutChanged(Layout(backgroundImage: logo))
        let layouts = fetch(&wishes)
        #expect(layouts == [logo])
    }

    @Test func thoseWhoHaveATileComeFirst() {
        var wishes = wishes(Layout(backgroundImage: logo))
        _ = wishes.roomChanged(crowd(0..<60))
        _ = wishes.tilesChanged(tiles(51..<60))
        let order = fetch(&wishes)
        #expect(order.first == logo)
        #expect(order.dropFirst().prefix(9) == (51..<60).map(address)[...])
        #expect(order.dropFirst(10) == (0..<41).map(address)[...])
    }

    @Test func whoComesOnStageTakesThePlaceOfWhoHasNotBeenThereForLongest() {
        var wishes = wishes()
        _ = wishes.roomChanged(crowd(0..<60))
        let first = fetch(&wishes)
        #expect(first.count == 50)
        for stage in [0..<9, 9..<18] {
            let dropped = wishes.tilesChanged(tiles(stage))
            #expect(dropped.isEmpty, "they have theirs")
        }
        // The peers that have never had a tile and joined last.
        let dropped = wishes.tilesChanged(tiles(51..<60))
        #expect(Set(dropped) == Set((41..<50).map(address)))
        let second = fetch(&wishes)
        #expect(second == (51..<60).map(address))
        // Images of peers that have been on stage are not fetched again.
        let back = wishes.tilesChanged(tiles(0..<18))
        let third = fetch(&wishes)
        #expect(back.isEmpty && third.isEmpty)
    }

    @Test func tilesOfWhoIsNotKnownYetCountOnceTheyAre() {
        var wishes = wishes()
        _ = wishes.tilesChanged(tiles(55..<60))
        _ = wishes.roomChanged(crowd(0..<60))
        let order = fetch(&wishes)
        #expect(order.prefix(5) == (55..<60).map(address)[...])
    }

    @Test func whoStopsPublishingIsToldOnlyWhileInTheRoom() {
        var wishes = wishes()
        _ = wishes.roomChanged([peer(face)])
        _ = fetch(&wishes)
        let silent = wishes.roomChanged([peer(face, publishes: false)])
        #expect(silent == [face])
        _ = wishes.roomChanged([peer(face)])
        let again = fetch(&wishes)
        #expect(again == [face])
        let gone = wishes.roomChanged([])
        #expect(gone.isEmpty, "what nobody names is forgotten all the same")
    }

    @Test func whatHasFailedWaitsUntilItIsToBeTriedAgain() throws {
        var wishes = wishes()
        _ = wishes.roomChanged([peer(face)])
        let first = due(&wishes)
        let wish = try #require(first.first)
        for count in 1...2 {
            let failures = wishes.failed(wish)
            let early = due(&wishes)
            #expect(failures == count && early.isEmpty)
            wishes.tryAgain(wish)
            let again = due(&wishes)
            #expect(again == [wish])
        }
        let isMissing = wishes.givenUp(wish)
        wishes.tryAgain(wish)
        let late = due(&wishes)
        #expect(isMissing && late.isEmpty, "it is left alone")
        _ = wishes.roomChanged([])
        let failures = wishes.failed(wish)
        #expect(failures == nil)
        _ = wishes.roomChanged([peer(face)])
        let anew = due(&wishes)
        #expect(anew == [wish], "it is named anew")
    }

    @Test func aSmallPictureStaysWhereTheLargeOneIsNotToBeHad() throws {
        var wishes = wishes()
        _ = wishes.roomChanged([peer(logo)])
        _ = fetch(&wishes)
        _ = wishes.layoutChanged(Layout(backgroundImage: logo))
        let waiting = due(&wishes)
        let large = try #require(waiting.first)
        let isMissing = wishes.givenUp(large)
        #expect(!isMissing)
    }
}
