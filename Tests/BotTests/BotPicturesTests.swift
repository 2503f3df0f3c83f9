import Codec
import MediaKernel
import Pipeline
import Stage
import Synchronization
import Testing

@testable import Bot

@Suite(.timeLimit(.minutes(5))) struct BotPicturesTests {
    private enum Event: Hashable, Sendable {
        case warned
        case shown(String)
        case gone(String)
    }

    /// Answers at once and counts requests.
    private final class Host: Sendable {
        private struct State {
            var asked: [String] = []
            var underWay = 0
            var mostUnderWay = 0
        }

        private let failures: [String: [PictureFetchError]]
        private let state = Mutex(State())

        /// - Parameter failures: the outcomes of an address' first attempts.
        init(failures: [String: [PictureFetchError]] = [:]) { self.failures = failures }

        /// In the order of the requests.
        var asked: [String] { state.withLock { $0.asked } }
        var mostUnderWay: Int { state.withLock { $0.mostUnderWay } }

        func fetch(_ wish: PictureRequests.Wish) async throws(PictureFetchError) -> StillPicture {
            let text = wish.address.text
            let attempt = state.withLock { state in
                state.asked.append(text)
                state.underWay += 1
                state.mostUnderWay = max(state.mostUnderWay, state.underWay)
                return state.asked.count { $0 == text }
            }
            for _ in 0..<10 { await Task.yield() }
            state.withLock { $0.underWay -= 1 }
            let failures = failures[text] ?? []
            if attempt <= failures.count { throw failures[attempt - 1] }
            return StillPicture(width: 1, height: 1, pixels: [0, 0, 0, 255])
        }
    }

    private static func address(_ number: Int) -> String { "https://example.org/\(number).png" }

    private static func peers(_ numbers: Range<Int>) -> [SourcePeer] {
        numbers.map { number in
            SourcePeer(
                id: PeerID("\(number)"), name: "", picture: address(number),
                joinedAt: Int64(number),
                tracks: [SourceTrack(id: "voice", isVideo: false, isMuted: false)])
        }
    }

    private static func tiles(_ numbers: Range<Int>) -> [PlacedTile] {
        numbers.map { number in
            PlacedTile(
                peer: PeerID("\(number)"), track: nil, name: "",
                rectangle: Rectangle(x: 0, y: 0, width: 100, height: 100), fit: .crop)
        }
    }

    /// Runs the fetcher against a host. No attempt waits for long.
    private func withPictures(
        from host: Host,
        _ body: (BotPictures, inout AsyncStream<Event>.Iterator) async throws -> Void
    ) async throws {
        let (events, sink) = AsyncStream.makeStream(of: Event.self)
        let pictures = BotPictures(
            hosts: try #require(WebHosts(["example.org"])), layout: Layout(),
            pauses: [.zero, .zero],
            show: { picture, address in
                sink.yield(picture == nil ? .gone(address) : .shown(address))
            }, warn: { _ in sink.yield(.warned) })
        let running = Task {
            await pictures.run { wish throws(PictureFetchError) in try await host.fetch(wish) }
        }
        var iterator = events.makeAsyncIterator()
        try await body(pictures, &iterator)
        running.cancel()
        await running.value
    }

    private func next(_ count: Int, of events: inout AsyncStream<Event>.Iterator) async -> [Event] {
        var found: [Event] = []
        while found.count < count, let event = await events.next() { found.append(event) }
        return found
    }

    @Test(arguments: [
        PictureFetchError.status(404), .tooLarge(maximum: 1), .notAPicture(.outOfMemory),
        .redirect("elsewhere"), .tooManyRedirects,
    ])
    func whatWillNotChangeIsAskedForOnce(error: PictureFetchError) async throws {
        let host = Host(failures: [Self.address(0): [error]])
        try await withPictures(from: host) { pictures, events in
            await pictures.wanted(by: Self.peers(0..<1))
            let first = await next(2, of: &events)
            #expect(first == [.warned, .gone(Self.address(0))])
            await pictures.wanted(by: Self.peers(0..<2))
            let second = await next(1, of: &events)
            #expect(second == [.shown(Self.address(1))])
            #expect(host.asked == [Self.address(0), Self.address(1)])
        }
    }

    @Test func whatMayPassIsAskedForAgain() async throws {
        let host = Host(failures: [Self.address(0): [.connection("lost"), .status(503)]])
        try await withPictures(from: host) { pictures, events in
            await pictures.wanted(by: Self.peers(0..<1))
            let found = await next(3, of: &events)
            #expect(found == [.warned, .warned, .shown(Self.address(0))])
            #expect(host.asked.count == 3)
        }
    }

    @Test func butNotForEver() async throws {
        let host = Host(
            failures: [Self.address(0): [.status(500), .status(429), .status(502), .status(500)]])
        try await withPictures(from: host) { pictures, events in
            await pictures.wanted(by: Self.peers(0..<1))
            let found = await next(4, of: &events)
            #expect(found == [.warned, .warned, .warned, .gone(Self.address(0))])
            #expect(host.asked.count == 3)
        }
    }

    @Test(
        arguments: [
            (429, true), (500, true), (503, true), (599, true), (302, false), (400, false),
            (403, false), (404, false), (410, false), (600, false),
        ] as [(UInt, Bool)])
    func someAnswersMayPass(code: UInt, mayPass: Bool) {
        #expect(PictureFetchError.status(code).mayPass == mayPass)
    }

    @Test func fewAreFetchedAtATime() async throws {
        let host = Host()
        try await withPictures(from: host) { pictures, events in
            await pictures.wanted(by: Self.peers(0..<30))
            let found = await next(30, of: &events)
            #expect(Set(found) == Set((0..<30).map { Event.shown(Self.address($0)) }))
            #expect(host.mostUnderWay <= BotPictures.fetchesMaximum)
        }
    }

    @Test func whoComesOnStageIsShownAndOthersMakeRoom() async throws {
        let host = Host()
        try await withPictures(from: host) { pictures, events in
            await pictures.wanted(by: Self.peers(0..<60))
            let most = PictureRequests.addressesMaximum
            let first = await next(most, of: &events)
            #expect(Set(first) == Set((0..<most).map { Event.shown(Self.address($0)) }))
            await pictures.wanted(by: Self.tiles(51..<60))
            let second = await next(18, of: &events)
            #expect(Set(second.prefix(9)) == Set((41..<50).map { Event.gone(Self.address($0)) }))
            #expect(Set(second.suffix(9)) == Set((51..<60).map { Event.shown(Self.address($0)) }))
        }
    }
}
