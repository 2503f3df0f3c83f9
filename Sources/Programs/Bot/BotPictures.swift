import Clocks
import Codec
import MediaKernel
import Pipeline
import Stage

/// Fetches the images that peers and the layout name, and shows them.
///
/// Each is fetched once while it is wanted (`PictureRequests`). If a host cannot be reached or has an
/// error of its own, the request is repeated a few times with growing pauses. After that, the image
/// is not requested until its address is named again.
actor BotPictures {
    typealias Fetch =
        @Sendable (PictureRequests.Wish) async throws(PictureFetchError) -> StillPicture

    /// The pauses between attempts.
    static let pauses: [Duration] = [.seconds(5), .seconds(30)]
    /// Images fetched at a time: each takes some MiB until it is decoded.
    static let fetchesMaximum = 4

    private let hosts: WebHosts
    private let picturesDirectory: String?
    private let pauses: [Duration]
    private let show: @Sendable (StillPicture?, String) -> Void
    private let warn: @Sendable (String) -> Void
    private var wishes: PictureRequests
    private var underWay = 0
    /// Yields when there may be something to fetch.
    private let news: AsyncStream<Void>
    private let sink: AsyncStream<Void>.Continuation

    /// - Parameter picturesDirectory: that of the uploaded pictures; nil for none.
    init(
        hosts: WebHosts, picturesDirectory: String?, layout: Layout, pipeline: StreamPipeline,
        warn: @escaping @Sendable (String) -> Void
    ) {
        self.init(
            hosts: hosts, picturesDirectory: picturesDirectory, layout: layout,
            show: { pipeline.showPicture($0, at: $1) }, warn: warn)
    }

    /// - Parameter show: receives an address' image, or nil if there is none any more or will be
    ///   none.
    init(
        hosts: WebHosts, picturesDirectory: String? = nil, layout: Layout,
        pauses: [Duration] = BotPictures.pauses,
        show: @escaping @Sendable (StillPicture?, String) -> Void,
        warn: @escaping @Sendable (String) -> Void
    ) {
        self.hosts = hosts
        self.picturesDirectory = picturesDirectory
        self.pauses = pauses
        self.show = show
        self.warn = warn
        wishes = PictureRequests(hosts: hosts, layout: layout)
        (news, sink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func wanted(by peers: [SourcePeer]) { changed(dropping: wishes.roomChanged(peers)) }

    /// - Parameter tiles: the tiles of peers that are shown, or will be soon.
    func wanted(by tiles: [PlacedTile]) { changed(dropping: wishes.tilesChanged(tiles)) }

    func wanted(by layout: Layout) { changed(dropping: wishes.layoutChanged(layout)) }

    private func changed(dropping addresses: [String]) {
        for address in addresses { show(nil, address) }
        sink.yield()
    }

    /// Fetches the wanted images until cancelled.
    func run() async {
        let fetcher = PictureFetcher(hosts: hosts, picturesDirectory: picturesDirectory)
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

    private func due() -> [PictureRequests.Wish] {
        var due: [PictureRequests.Wish] = []
        while underWay < Self.fetchesMaximum, let wish = wishes.next() {
            underWay += 1
            due.append(wish)
        }
        return due
    }

    private func attempt(_ wish: PictureRequests.Wish, _ fetch: Fetch) async {
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
            // Meanwhile other images may be fetched.
            try? await Task.sleep(for: pause)
            wishes.tryAgain(wish)
            sink.yield()
        }
    }

    /// The pause before the next attempt; nil if there is none.
    private func pause(after error: PictureFetchError, of wish: PictureRequests.Wish) -> Duration? {
        guard let failures = wishes.failed(wish) else { return nil }
        warn("picture \(wish.address.text): \(error)")
        if error.mayPass, failures <= pauses.count { return pauses[failures - 1] }
        if wishes.givenUp(wish) { show(nil, wish.address.text) }
        return nil
    }
}

extension PictureFetchError {
    /// Whether another attempt may succeed. An invalid picture will stay invalid, and a missing one
    /// will hardly appear.
    var mayPass: Bool {
        switch self {
        case .connection: true
        case .status(let code): code == 429 || (500...599).contains(code)
        case .tooManyRedirects, .redirect, .tooLarge, .notAPicture, .notKept: false
        }
    }
}
