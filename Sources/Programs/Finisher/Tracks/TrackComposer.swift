import Catalogue
import Codec
import Recording

/// Makes the files of several tracks that an order wants: a movie for each peer, and the mix.
///
/// A file that cannot be made costs only itself, unless the disk is at fault.
struct TrackComposer {
    let streamID: String
    let order: TrackOrder
    let directory: String
    let place: RecordingPlace
    /// Seconds since 1970.
    let createdAt: Int64
    let progress: () -> Void
    /// - Parameters:
    ///   - 0: the file's name.
    ///   - 1: the reason.
    let leftOut: (String, String) -> Void

    /// - Throws: `.file`, `.archive`.
    func make(_ parts: [RecordedPart]) throws(RecordingError) -> [TrackIndex.Composition] {
        var made: [TrackIndex.Composition] = []
        if order.perPeer == true {
            for group in Self.groups(of: parts) {
                if let movie = try movie(of: group, number: made.count) { made.append(movie) }
            }
        }
        if let mix = order.mix, let file = try self.mix(of: parts, mix) { made.append(file) }
        return made
    }

    /// The parts of one peer that belong together.
    struct Group {
        var key: String
        var parts: [RecordedPart]
    }

    /// Camera and microphone of a peer are one group, and so are its screen and the screen's sound.
    /// Any other track is by itself.
    static func groups(of parts: [RecordedPart]) -> [Group] {
        var groups: [Group] = []
        for part in parts {
            let track = part.track
            let source =
                ["regular", "screen"].contains(track.source)
                ? track.source : "\(track.source)/\(track.id)"
            let key = "\(track.peer)/\(source)"
            if let known = groups.firstIndex(where: { $0.key == key }) {
                groups[known].parts.append(part)
            } else {
                groups.append(Group(key: key, parts: [part]))
            }
        }
        return groups
    }

    private func movie(
        of group: Group, number: Int
    ) throws(RecordingError) -> TrackIndex.Composition? {
        let pictures = group.parts.filter { $0.format.codec.isVideo }
        let sounds = group.parts.filter { !$0.format.codec.isVideo }
        let name = place.peerMovieName(number: number, isSoundAlone: pictures.isEmpty)
        return try tolerantly(name) {
            let result = try PeerMovie(pictures: pictures, sounds: sounds, createdAt: createdAt)
                .write(
                    to: RecordingAssets.Place(directory: directory, name: name),
                    progress: progress)
            var made = TrackIndex.Composition(
                .stream, name: name, assetID: "\(streamID)-peer-\(number)", start: result.start,
                duration: result.duration, size: result.size)
            let track = group.parts[0].track
            made.peer = TrackIndex.Peer(track)
            made.source = track.source
            (made.width, made.height, made.isCopied) = (
                result.width, result.height, result.isCopied
            )
            made.video = pictures.isEmpty ? nil : "h264"
            made.audio = sounds.isEmpty ? nil : "aac"
            return made
        }
    }

    private func mix(
        of parts: [RecordedPart], _ order: MixOrder
    ) throws(RecordingError) -> TrackIndex.Composition? {
        let sounds = parts.filter { !$0.format.codec.isVideo }
        guard !sounds.isEmpty else { return nil }
        let name = place.mixName(order.format)
        return try tolerantly(name) {
            let result = try RoomMix(sounds: sounds, order: order).write(
                to: RecordingAssets.Place(directory: directory, name: name), progress: progress)
            var made = TrackIndex.Composition(
                .mix, name: name, assetID: "\(streamID)-mix", start: 0, duration: result.duration,
                size: result.size)
            made.audio = order.format == .flac ? "flac" : "pcm"
            (made.sampleRate, made.channels) = (order.sampleRate, result.channels)
            made.left = result.left
            return made
        }
    }

    private func tolerantly(
        _ name: String, _ body: () throws -> TrackIndex.Composition
    ) throws(RecordingError) -> TrackIndex.Composition? {
        do {
            return try body()
        } catch let error as RecordingError {
            throw error
        } catch {
            leftOut(name, "\(error)")
            return nil
        }
    }
}
