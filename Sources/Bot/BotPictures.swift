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
    /// Images at a time. More than a stage has tiles, and a layout two.
    static let addressesMaximum = 50
    /// Between the attempts.
    static let pauses: [Duration] = [.seconds(5), .seconds(30)]
    /// Addresses waiting to be fetched, with repetitions.
    static let waitingMaximum = 200

    private let hosts: PictureHosts
    private let pipeline: StreamPipeline
    private let warn: @Sendable (String) -> Void
    private var ofPeers: Set<String> = []
    private var ofLayout: Set<String> = []
    /// Being fetched, shown or given up.
    private var known: Set<String> = []
    private let queue: AsyncStream<PictureAddress>
    private let sink: AsyncStream<PictureAddress>.Continuation

    init(
        hosts: PictureHosts, layout: Layout, pipeline: StreamPipeline,
        warn: @escaping @Sendable (String) -> Void
    ) {
        self.hosts = hosts
        self.pipeline = pipeline
        self.warn = warn
        (queue, sink) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingOldest(Self.waitingMaximum))
        ofLayout = Set(layout.images)
    }

    /// Of those who publish: nobody else has a tile.
    func wanted(by peers: [SourcePeer]) {
        ofPeers = Set(peers.filter { !$0.tracks.isEmpty }.compactMap(\.picture))
        ask()
    }

    func wanted(by layout: Layout) {
        ofLayout = Set(layout.images)
        ask()
    }

    /// Fetches what is named until it is cancelled.
    func run() async {
        ask()
        let fetcher = PictureFetcher(hosts: hosts)
        await withTaskGroup(of: Void.self) { group in
            for await address in queue {
                group.addTask { await self.fetch(address, with: fetcher) }
            }
            group.cancelAll()
        }
        await fetcher.close()
    }

    private func ask() {
        let wanted = ofLayout.union(ofPeers)
        known.formIntersection(wanted)
        // The layout's first: there are two at most, and everybody sees them.
        for text in ofLayout.sorted() + ofPeers.subtracting(ofLayout).sorted()
        where !known.contains(text) && known.count < Self.addressesMaximum {
            // Participants may name what they like; what is not listed is nobody's business.
            guard let address = hosts.allowed(text) else { continue }
            known.insert(text)
            sink.yield(address)
        }
    }

    private func isWanted(_ address: PictureAddress) -> Bool {
        ofLayout.contains(address.text) || ofPeers.contains(address.text)
    }

    private func fetch(_ address: PictureAddress, with fetcher: PictureFetcher) async {
        for pause in Self.pauses.map(Optional.some) + [nil] {
            guard isWanted(address), !Task.isCancelled else { return }
            do throws(PictureFetchError) {
                let picture = try await fetcher.fetch(address)
                if isWanted(address) { pipeline.showPicture(picture, at: address.text) }
                return
            } catch {
                guard !Task.isCancelled else { return }
                warn("picture \(address.text): \(error)")
            }
            if let pause { try? await Task.sleep(for: pause) }
        }
    }
}
