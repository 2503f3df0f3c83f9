import MediaKernel
import Signing
import Stage
import Streams

/// What a start comes to by these settings.
extension StreamSettings {
    /// A stream that was started so long ago shows in the average of what is idle: its bot takes a
    /// second or two to begin, and the average goes back five.
    static let cpuSettling: Duration = .seconds(8)

    /// What there is place for.
    func capacity(
        _ book: StreamBook, _ kernel: KernelWatch, at now: Instant
    ) -> StreamCapacity {
        var capacity = StreamCapacity(
            onAir: book.occupied(), streamsMaximum: streamsMaximum,
            variantsPerRoomMaximum: variantsPerRoomMaximum)
        if idleCoresMinimum > 0, let idle = kernel.idleCores {
            capacity.cores = StreamCapacity.Cores(
                idle: idle, perStream: idleCoresMinimum,
                unseen: book.occupied(since: now - Self.cpuSettling))
        }
        return capacity
    }

    /// - Parameters:
    ///   - request: its recording is the one that is wanted, of whoever said so.
    ///   - running: what it meets in the room.
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

    /// - Parameter key: of signed addresses.
    func playback(
        of id: StreamID, in room: RoomID, for request: LiveStreamRequest, key: SigningKey,
        at time: UnixTime
    ) throws(LiveStreamError) -> LiveStream.Playback {
        guard request.kind == .stream else { return LiveStream.Playback() }
        let lifetime =
            destinations(of: request.kind).signedPlayback(for: request.destination)
            ?? signedPlayback
        let link = try lifetime.map { (lifetime) throws(LiveStreamError) in
            try Self.signedLink(to: id, until: time + lifetime, key)
        }
        return LiveStream.Playback(
            url: playbackURL(of: id, in: room, link: link), isSigned: link != nil)
    }

    /// What stands for a stream in its address, until a time.
    private static func signedLink(
        to id: StreamID, until expiry: UnixTime, _ key: SigningKey
    ) throws(LiveStreamError) -> String {
        guard let link = AssetLink(asset: id.rawValue, expiry: expiry) else {
            throw .storage("no address can be signed that holds until \(expiry)")
        }
        return link.signed(with: key)
    }
}
