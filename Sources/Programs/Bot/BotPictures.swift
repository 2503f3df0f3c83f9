import Clocks
import Codec
import MediaKernel
import Pipeline
import Stage

/// Fetches the images that peers and the layout name, and shows them.
///
/// Each is fetched once while it is wanted (`PictureWishes`). Where a host cannot be reached or has
/// a trouble of its own, it is asked again a few times, later each time. What cannot be had is left
/// alone until it is named anew.
actor BotPictures {
    typealias Fetch =
        @Sendable (PictureWishes.Wish) async throws(PictureFetchError) -> StillPicture

    /// Between the attempts.
    static let pauses: [Duration] = [.seconds(5), .seconds(30)]
    /// Images that are fetched at a time: each takes some MiB until it is decoded.
    static let fetchesMaximum = 4

    private let hosts: WebHosts
    private let pauses: [Duration]
    private let show: @Sendable (StillPicture?, String) -> Void
    private let warn: @Sendable (String) -> Void
    private var wishes: PictureWishes
    private var underWay = 0
    /// There may be something to fetch.
    private let news: AsyncStream<Void>
    private let sink: AsyncStream<Void>.Continuation

    init(
        hosts: WebHosts, layout: Layout, pipeline: StreamPipeline,
        warn: @escaping @Sendable (String) -> Void
    ) {
        self.init(
            hosts: hosts, layout: layout, show: { pipeline.showPicture($0, at: $1) }, warn: warn)
    }

    /// - Parameter show: gets an address' image, nil when there is none any more or will be none.
    init(
        hosts: WebHosts, layout: Layout, pauses: [Duration] = BotPictures.pauses,
        show: @escaping @Sendable (StillPicture?, String) -> Void,
        warn: @escaping @Sendable (String) -> Void
    ) {
        self.hosts = hosts
        self.pauses = pauses
        self.show = show
        self.warn = warn
        wishes = PictureWishes(hosts: hosts, layout: layout)
        (news, sink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func wanted(by peers: [SourcePeer]) { changed(dropping: wishes.roomChanged(peers)) }

    /// - Parameter tiles: of who is seen, or is to be soon.
    func wanted(by tiles: [PlacedTile]) { changed(dropping: wishes.tilesChanged(tiles)) }

    func wanted(by layout: Layout) { changed(dropping: wishes.layoutChanged(layout)) }

    private func changed(dropping addresses: [String]) {
        for address in addresses { show(nil, address) }
        sink.yield()
    }

    /// Fetches what is wanted until it is cancelled.
    func run() async {
        let fetcher = PictureFetcher(hosts: hosts)
        await run { wish throws(PictureFetchError) in try await fetcher.fetch(wish) }
        await fetcher.close()
    }

    func run(_ fetch: @escaping Fetch) async {
        sink.yield()
        await withDiscardingTaskGroup { group in
            for await _ in news {
                for wish in due() { group.addTask { await self.attempt(wish, fetch) } }
            }
            group.cancelAll()
        }
    }

    private func due() -> [PictureWishes.Wish] {
        var due: [PictureWishes.Wish] = []
        while underWay < Self.fetchesMaximum, let wish = wishes.next() {
            underWay += 1
            due.append(wish)
        }
        return due
    }

    private func attempt(_ wish: PictureWishes.Wish, _ fetch: Fetch) async {
        let result: Result<StillPicture, PictureFetchError>
        do throws(PictureFetchError) {
            result = .success(try await fetch(wish))
        } catch {
            result = .failure(error)
        }
        underWay -= 1
        sink.yield()
        guard !Task.isCancelled else { return }
        switch result {
        case .success(let picture):
            if wishes.fetched(wish) { show(picture, wish.address.text) }
        case .failure(let error):
            guard let pause = pause(after: error, of: wish) else { return }
            // Others may be fetched meanwhile.
            try? await Task.sleep(for: pause)
            wishes.tryAgain(wish)
            sink.yield()
        }
    }

    /// Until the next attempt; nil when there is to be none.
    private func pause(after error: PictureFetchError, of wish: PictureWishes.Wish) -> Duration? {
        guard let failures = wishes.failed(wish) else { return nil }
        warn("picture \(wish.address.text): \(error)")
        if error.mayPass, failures <= pauses.count { return pauses[failures - 1] }
        if wishes.givenUp(wish) { show(nil, wish.address.text) }
        return nil
    }
}

extension PictureFetchError {
    /// Whether another attempt may fare better. The same file will not be a picture then, and what
    /// is not there will hardly be.
    var mayPass: Bool {
        switch self {
        case .connection: true
        case .status(let code): code == 429 || (500...599).contains(code)
        case .tooManyRedirects, .redirect, .tooLarge, .notAPicture: false
        }
    }
}
