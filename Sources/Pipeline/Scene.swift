import Codec
import Compositor
import HLS
import MediaKernel
import Stage

/// What is to be seen: who is in the room, where each has a place, and the picture of a moment.
/// Owned by the director's thread.
final class Scene {
    /// Images of peers and of the layout that are kept.
    static let picturesMaximum = 100

    /// What a tile showed last, for as long as it fades out.
    private struct Shown {
        var frame: VideoFrame
        var rotation: FrameRotation
    }

    private let title: String
    private let emit: @Sendable (PipelineEvent) -> Void
    private let compositor: Compositor
    private let slates = SlateRenderer()
    private(set) var peers: [SourcePeer] = []
    private var peersByID: [PeerID: SourcePeer] = [:]
    private var layout: Layout
    private var pictures: [String: StillPicture] = [:]
    private var speakers = ActiveSpeaker()
    private var tiles: [Tile] = []
    private var motion: TileMotion?
    private var shown: [Tile.ID: Shown] = [:]
    /// Videos whose latest picture came lying on its side.
    private var sideways: Set<TrackID> = []
    private var layoutChanged = true
    private var reported: (tiles: [PlacedTile], videos: Set<TrackID>)?

    init(
        configuration: PipelineConfiguration, emit: @escaping @Sendable (PipelineEvent) -> Void
    ) throws {
        title = configuration.title
        layout = configuration.layout
        self.emit = emit
        let top = configuration.ladder.layers[0]
        compositor = try Compositor(canvas: Canvas(width: top.width, height: top.height))
    }

    // MARK: What is known

    func show(_ next: [SourcePeer]) {
        peers = next
        peersByID = Dictionary(next.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        keepSpeakers()
        for peer in next where peer.hasClosedMicrophone { speakers.muted(peer.id) }
        forgetPictures()
        layoutChanged = true
    }

    /// A track's media began or ended.
    func tracksChanged() { layoutChanged = true }

    func setLayout(_ next: Layout) {
        layout = next
        keepSpeakers()
        forgetPictures()
        layoutChanged = true
    }

    /// Nobody else may take the word: the large tile would be for somebody who has none.
    private func keepSpeakers() {
        speakers.keep(only: Set(peers.filter { layout.shows(role: $0.role) }.map(\.id)))
    }

    func setPicture(_ picture: StillPicture?, at address: String) {
        guard picture == nil || pictures.count < Self.picturesMaximum else { return }
        pictures[address] = picture
    }

    /// - Parameters:
    ///   - level: -dBov, 0 (loudest) to 127 (digital silence).
    ///   - length: for how long it lasts.
    func heard(_ peer: PeerID, level: Int, lasting length: Duration, at now: Instant) {
        guard let known = peersByID[peer], !known.hasClosedMicrophone,
            layout.shows(role: known.role)
        else { return }
        speakers.heard(peer, level: level, lasting: length, at: now)
    }

    private func forgetPictures() {
        let named = Set(peers.compactMap(\.picture) + layout.images)
        pictures = pictures.filter { named.contains($0.key) }
    }

    // MARK: The picture of a moment

    /// - Parameter source: a track's pictures, nil while there are none.
    func picture(
        at tick: Instant, source: (TrackID) -> VideoSource?
    ) throws -> VideoFrame {
        let speaker = speakers.speaker
        speakers.advance(to: tick)
        if layoutChanged || speakers.speaker != speaker { layOut(at: tick) }
        if motion?.isOver(at: tick) == true { motion = nil }
        let moving =
            tiles.isEmpty ? [] : motion?.tiles(at: tick) ?? tiles.map { MovingTile($0) }
        passOverUnseen(moving, at: tick, source)
        guard !tiles.isEmpty else { return try slate() }
        var placed: [PlacedFrame] = []
        placed.reserveCapacity(moving.count)
        let sideways = sideways
        for tile in moving { placed.append(place(tile, at: tick, source)) }
        if self.sideways != sideways { report() }
        return try compositor.compose(tiles: placed, dressing: dressing)
    }

    private func slate() throws -> VideoFrame {
        let canvas = compositor.canvas
        let slate = try slates.slate(width: canvas.width, height: canvas.height, room: title)
        let whole = Rectangle(x: 0, y: 0, width: canvas.width, height: canvas.height)
        return try compositor.compose(
            tiles: [PlacedFrame(rectangle: whole, fit: .crop, frame: slate)], dressing: dressing)
    }

    private var dressing: Dressing {
        let colour = layout.background
        var dressing = Dressing(
            background: Colour(red: colour.red, green: colour.green, blue: colour.blue),
            backgroundPicture: layout.backgroundImage.flatMap { pictures[$0] })
        if let mark = layout.watermark, let picture = pictures[mark.image] {
            dressing.watermark = Dressing.Watermark(
                picture: picture, anchor: mark.anchor, opacity: mark.opacity, width: mark.width)
        }
        return dressing
    }

    private func place(
        _ moving: MovingTile, at tick: Instant, _ source: (TrackID) -> VideoSource?
    ) -> PlacedFrame {
        let tile = moving.tile
        var placed = PlacedFrame(
            rectangle: moving.rectangle, fit: tile.fit, frame: nil,
            cornerRadius: layout.cornerRadius, opacity: moving.opacity)
        placed.settled = tile.rectangle
        switch tile.content {
        case .others(let count):
            placed.standIn = .others(count)
        case .participant(let one):
            let peer = peersByID[one.peer]
            placed.standIn = .peer(
                one.peer, initialsOf: one.name, name: layout.showsNames ? nil : one.name,
                picture: peer?.picture.flatMap { pictures[$0] })
            if layout.showsNames {
                placed.label = TileLabel(
                    name: one.name,
                    isMuted: !one.isScreen && peer?.hasClosedMicrophone == true)
            }
            placed.hasBorder =
                layout.marksSpeaker && !one.isScreen && one.peer == speakers.speaker
                && speakers.isSpeaking(at: tick)
            showVideo(of: one, on: &placed, tile.id, at: tick, source)
        }
        return placed
    }

    /// Of videos that have no place the pictures go by unseen: kept, they would fill their queues
    /// for nobody.
    private func passOverUnseen(
        _ moving: [MovingTile], at tick: Instant, _ source: (TrackID) -> VideoSource?
    ) {
        let seen = Set(moving.compactMap { $0.tile.participant?.track })
        for peer in peers {
            for track in peer.tracks where track.isVideo && !seen.contains(track.id) {
                _ = source(track.id)?.choose(at: tick)
            }
        }
    }

    private func showVideo(
        of one: Participant, on placed: inout PlacedFrame, _ id: Tile.ID, at tick: Instant,
        _ source: (TrackID) -> VideoSource?
    ) {
        guard let track = one.track, let video = source(track) else {
            // Who has just left fades out as it was, and so does a screen that is not shared
            // any more.
            if one.isScreen || peersByID[one.peer] == nil, let last = shown[id] {
                placed.frame = last.frame
                placed.rotation = last.rotation
            }
            return
        }
        switch video.choose(at: tick) {
        case .show(let picture), .hold(let picture):
            placed.frame = picture.frame
            placed.rotation = FrameRotation(rawValue: picture.rotation) ?? .none
            shown[id] = Shown(frame: picture.frame, rotation: placed.rotation)
            if placed.rotation.isSideways { sideways.insert(track) } else { sideways.remove(track) }
        case .placeholder:
            shown[id] = nil
        }
    }

    // MARK: Places

    private func layOut(at tick: Instant) {
        layoutChanged = false
        let next = layout.tiles(
            for: participants, on: compositor.canvas, speaker: speakers.speaker)
        let before = motion?.tiles(at: tick) ?? tiles.map { MovingTile($0) }
        let isSame =
            next.count == tiles.count
            && zip(next, tiles).allSatisfy { $0.id == $1.id && $0.rectangle == $1.rectangle }
        // From and to a slate there is a cut: whoever comes is to be seen at once.
        if !isSame {
            motion =
                next.isEmpty || tiles.isEmpty
                ? nil
                : TileMotion(from: before, to: next, at: tick, lasting: layout.transition)
        } else if let motion {
            self.motion = motion.arriving(at: next)
        }
        tiles = next
        let staying = Set(before.map(\.tile.id) + next.map(\.id))
        shown = shown.filter { staying.contains($0.key) }
        report()
    }

    private func report() {
        let videos = Set(peers.flatMap(\.tracks).filter(\.isVideo).map(\.id))
        sideways.formIntersection(videos)
        let placed = tiles.compactMap { tile in
            tile.participant.map { one in
                PlacedTile(
                    peer: one.peer, track: one.track, name: one.name, rectangle: tile.rectangle,
                    fit: tile.fit, isSideways: one.track.map(sideways.contains) ?? false)
            }
        }
        // What has no place is told too: it need not be sent.
        if let reported, reported == (placed, videos) { return }
        reported = (placed, videos)
        emit(.tilesChanged(placed, among: videos))
    }

    /// Everybody who publishes has a tile, and so has each video that is presented. Who only looks
    /// has none.
    private var participants: [Participant] {
        var list: [Participant] = []
        for peer in peers where !peer.tracks.isEmpty {
            let isPerson = peer.tracks.contains { $0.source != .presentation }
            if isPerson { list.append(participant(peer, showing: peer.camera)) }
            for track in peer.tracks where track.isVideo && track.source == .presentation {
                list.append(participant(peer, showing: track))
            }
        }
        return list
    }

    private func participant(_ peer: SourcePeer, showing track: SourceTrack?) -> Participant {
        Participant(
            peer: peer.id, track: track?.id, name: peer.name, joinedOrder: Int(peer.joinedAt),
            role: peer.role, hasVideo: track.map { !$0.isMuted } ?? false,
            isScreen: track?.source == .presentation)
    }
}

extension SourcePeer {
    /// The video in which it is to be seen itself.
    fileprivate var camera: SourceTrack? {
        let videos = tracks.filter(\.isVideo)
        return videos.first { $0.source == .regular } ?? videos.first { $0.source == .other }
    }

    /// Whether nothing that it says can be heard: all its microphones are muted, or it has none.
    var hasClosedMicrophone: Bool { tracks.allSatisfy { !$0.isVoice || $0.isMuted } }
}
