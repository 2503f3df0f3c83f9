import MediaKernel
import Signing
import Stage
import Streams
import WebPage

/// The results of start requests under these settings.
extension StreamSettings {
    /// A stream that was started this long ago shows in the average of idle cores: its bot takes a
    /// second or two to begin, and the average covers five.
    static let cpuSettling: Duration = .seconds(8)

    /// The present capacity for streams.
    func capacity(
        _ book: StreamBook, _ kernel: KernelWatch, at now: Instant
    ) -> StreamCapacity {
        var capacity = StreamCapacity(
            onAir: book.occupied(), streamsMaximum: limits.streams,
            variantsPerRoomMaximum: limits.variantsPerRoom)
        if customView.isEnabled {
            capacity.pages = StreamCapacity.Pages(
                onAir: book.pagesOnAir, maximum: customView.maximum,
                memoryAvailable: AvailableMemory.bytes, hasBrowser: BrowserProgram.path != nil)
        }
        if limits.idleCoresMinimum > 0, let idle = kernel.idleCores {
            capacity.cores = StreamCapacity.Cores(
                idle: idle, perStream: limits.idleCoresMinimum,
                unseen: book.occupied(since: now - Self.cpuSettling))
        }
        return capacity
    }

    /// - Parameters:
    ///   - request: with the recordings already completed by the destination.
    ///   - running: the room's streams of the same kind.
    func admission(
        of request: LiveStreamRequest, in room: RoomID, beside running: [StreamAdmission.Running],
        scene: StreamScene, capacity: StreamCapacity
    ) throws(LiveStreamError) -> StreamAdmission {
        let destinations = destinations(of: request.kind)
        let layout: Layout
        do throws(LayoutError) {
            layout = try self.layout(for: request)
        } catch {
            throw .invalidLayout(error.description)
        }
        var scene = scene
        scene.hasDestinations = !destinations.isEmpty
        return try StreamAdmission(
            of: request, in: room, destination: destinations.named(request.destination),
            running: running, scene: scene, capacity: capacity
        ) { (variant) throws(LiveStreamError) in
            guard destinations.knows(request.destination) else {
                throw .unknownDestination(request.destination)
            }
            return try plan(of: variant, for: request, layout: layout)
        }
    }

    /// - Parameter key: signs URLs.
    func playback(
        of id: StreamID, in room: RoomID, for request: LiveStreamRequest, key: SigningKey,
        at time: UnixTime
    ) throws(LiveStreamError) -> LiveStream.Playback {
        guard request.kind == .stream else { return LiveStream.Playback() }
        let lifetime =
            destinations(of: request.kind).signedPlayback(for: request.destination)
            ?? playback.signedLifetime
        let link = try lifetime.map { (lifetime) throws(LiveStreamError) in
            try Self.signedLink(to: id, until: time + lifetime, key)
        }
        return LiveStream.Playback(
            url: playback.url(of: id, in: room, link: link), isSigned: link != nil)
    }

    /// The signed replacement of the stream's id in its URL, valid until a time.
    private static func signedLink(
        to id: StreamID, until expiry: UnixTime, _ key: SigningKey
    ) throws(LiveStreamError) -> String {
        guard let link = AssetLink(asset: id.rawValue, expiry: expiry) else {
            throw .storage("no address can be signed that holds until \(expiry)")
        }
        return link.signed(with: key)
    }
}
