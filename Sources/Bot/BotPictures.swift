import Clocks
import Codec
import MediaKernel
import Pipeline
import Stage

/// Fetches the images that peers and the layout name, and shows them.
///
/// Each is fetched once while it is named. What cannot be had is tried again a few times, later
/// each time, and then left alone until it is named anew.
actor BotPictures {
    /// Between the attempts.
    static let pauses: [Duration] = [.seconds(5), .seconds(30)]
    /// Addresses waiting to be fetched, with repetitions.
    static let waitingMaximum = 200

    private let hosts: PictureHosts
    private let pipeline: StreamPipeline
    private let warn: @Sendable (String) -> Void
    private var wishes: PictureWishes
    private let queue: AsyncStream<PictureWishes.Wish>
    private let sink: AsyncStream<PictureWishes.Wish>.Continuation

    init(
        hosts: PictureHosts, layout: Layout, pipeline: StreamPipeline,
        warn: @escaping @Sendable (String) -> Void
    ) {
        self.hosts = hosts
        wishes = PictureWishes(hosts: hosts, layout: layout)
        self.pipeline = pipeline
        self.warn = warn
        (queue, sink) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingOldest(Self.waitingMaximum))
    }

    func wanted(by peers: [SourcePeer]) { ask(for: wishes.roomChanged(peers)) }

    func wanted(by layout: Layout) { ask(for: wishes.layoutChanged(layout)) }

    /// Fetches what is named until it is cancelled.
    func run() async {
        ask(for: wishes.changes())
        let fetcher = PictureFetcher(hosts: hosts)
        await withTaskGroup(of: Void.self) { group in
            for await wish in queue {
                group.addTask { await self.fetch(wish, with: fetcher) }
            }
            group.cancelAll()
        }
        await fetcher.close()
    }

    private func ask(for wishes: [PictureWishes.Wish]) {
        for wish in wishes { sink.yield(wish) }
    }

    private func fetch(_ wish: PictureWishes.Wish, with fetcher: PictureFetcher) async {
        for pause in Self.pauses.map(Optional.some) + [nil] {
            guard wishes.isWanted(wish), !Task.isCancelled else { return }
            do throws(PictureFetchError) {
                let picture = try await fetcher.fetch(wish)
                if wishes.isWanted(wish) { pipeline.showPicture(picture, at: wish.address.text) }
                return
            } catch {
                guard !Task.isCancelled else { return }
                warn("picture \(wish.address.text): \(error)")
            }
            if let pause { try? await Task.sleep(for: pause) }
        }
    }
}
