import Codec
import Compositor
import HLS
import MediaKernel
import Stage

/// The visible scene: the peers in the room, the tiles' places, and the picture of a moment. Owned
/// by the director's thread.
final class Scene {
    /// A tile's last content, kept while the tile fades out.
    private struct Shown {
        var frame: VideoFrame
        var rotation: FrameRotation
    }

    /// The places as last reported.
    private struct Report: Equatable {
        var tiles: [PlacedTile] = []
        var besides: [PlacedTile] = []
        var videos: Set<TrackID> = []
    }

    private let title: String
    private let emit: @Sendable (PipelineEvent) -> Void
    private let compositor: Compositor
    private let slates = SlateRenderer()
    private var roster = Roster()
    private var layout: Layout
    private var images = Gallery()
    private var look: Look
    private var dissolve: Dissolve?
    private var speakers = ActiveSpeaker()
    private var tiles: [Tile] = []
    private var motion: TileMotion?
    private var shown: [Tile.ID: Shown] = [:]
    /// Videos whose latest picture is rotated by 90 or 270 degrees.
    private var sideways: Set<TrackID> = []
    private var layoutChanged = true
    private var lookChanged = true
    /// Whether there has been a first picture.
    private var hasBegun = false
    private var reported = Report()
    /// Of each needed video, in luma samples.
    private var areas: [TrackID: Int] = [:]

    init(
        configuration: PipelineConfiguration, emit: @escaping @Sendable (PipelineEvent) -> Void
    ) throws {
        title = configuration.title
        layout = configuration.layout
        look = Look(configuration.layout)
        self.emit = emit
        let top = configuration.ladder.layers[0]
        compositor = try Compositor(canvas: Canvas(width: top.width, height: top.height))
        forgetImages()
    }

    // MARK: Input

    func show(_ next: [SourcePeer]) {
        roster.show(next)
        keepSpeakers()
        for peer in next where peer.hasClosedMicrophone { speakers.muted(peer.id) }
        forgetImages()
        layoutChanged = true
    }

    /// A track's media began or ended.
    func tracksChanged() { layoutChanged = true }

    func setLayout(_ next: Layout) {
        images.expect(Set(next.images).subtracting(layout.images))
        layout = next
        keepSpeakers()
        forgetImages()
        layoutChanged = true
        lookChanged = true
    }

    /// Only peers of shown roles may become the speaker: the large tile must not go to a peer
    /// without one.
    private func keepSpeakers() {
        speakers.keep(only: Set(roster.peers.filter { layout.shows(role: $0.role) }.map(\.id)))
    }

    func setPicture(_ picture: StillPicture?, at address: String) {
        images.set(picture, at: address)
        lookChanged = true
    }

    /// - Parameters:
    ///   - level: -dBov, 0 (loudest) to 127 (digital silence).
    ///   - length: how long it lasts.
    func heard(_ peer: PeerID, level: Int, lasting length: Duration, at now: Instant) {
        guard let known = roster[peer], !known.hasClosedMicrophone,
            layout.shows(role: known.role)
        else { return }
        speakers.heard(peer, level: level, lasting: length, at: now)
    }

    private func forgetImages() {
        images.keep(only: Set(roster.peers.compactMap(\.picture) + layout.images))
    }

    // MARK: Questions

    /// Whether the video is to be seen: it has a tile, is fading out of one, or is awaited.
    func shows(_ video: TrackID) -> Bool { areas[video] != nil }

    /// Whether the video is certainly not seen. False for a video that is not laid out yet.
    func hides(_ video: TrackID) -> Bool { areas[video] == nil && reported.videos.contains(video) }

    /// How much viewers would miss a video: not at all if it is not visible, more the larger it is,
    /// and most for a screen or the speaker.
    func importance(of video: TrackID) -> Int {
        guard let area = areas[video] else { return 0 }
        let one = tiles.lazy.compactMap(\.participant).first { $0.track == video }
        let isSpeakers = one.map { $0.peer == speakers.speaker } ?? false
        guard isSpeakers || roster.presents(video) else { return area }
        return area + compositor.canvas.width * compositor.canvas.height
    }

    // MARK: The picture of a moment

    /// - Parameter source: a track's pictures, nil while there are none.
    func picture(
        at tick: Instant, source: (TrackID) -> VideoSource?
    ) throws -> VideoFrame {
        let speaker = speakers.speaker
        speakers.advance(to: tick)
        if speakers.speaker != speaker { layoutChanged = true }
        arrange(at: tick, source: source)
        hasBegun = true
        endMotion(at: tick)
        let composition = try compose(at: tick, source)
        if dissolve?.isOver(at: tick) == true { dissolve = nil }
        return try dissolve?.frame(over: composition, at: tick, by: compositor) ?? composition
    }

    /// Lays out the tiles after a change, before the first picture too: videos without a tile need
    /// not be sent.
    func arrange(at tick: Instant, source: (TrackID) -> VideoSource?) {
        let isDissolved = changeLook(at: tick)
        if roster.lookForPictures({ source($0)?.hasPicture(at: tick) ?? false }) {
            layoutChanged = true
        }
        if layoutChanged { layOut(at: tick, isDissolved: isDissolved) }
    }

    private func compose(
        at tick: Instant, _ source: (TrackID) -> VideoSource?
    ) throws -> VideoFrame {
        let moving =
            tiles.isEmpty ? [] : motion?.tiles(at: tick) ?? tiles.map { MovingTile($0) }
        passOverUnseen(moving, at: tick, source)
        guard !tiles.isEmpty else { return try slate() }
        var placed: [PlacedFrame] = []
        placed.reserveCapacity(moving.count)
        let sideways = sideways
        for tile in moving { placed.append(place(tile, at: tick, source)) }
        if self.sideways != sideways { report() }
        return try compositor.compose(tiles: placed, dressing: look.dressing)
    }

    private func slate() throws -> VideoFrame {
        let canvas = compositor.canvas
        let slate = try slates.slate(width: canvas.width, height: canvas.height, room: title)
        return try compositor.compose(
            tiles: [PlacedFrame(rectangle: canvas.bounds, fit: .crop, frame: slate)],
            dressing: look.dressing)
    }

    /// - Returns: whether the present picture dissolves into the next.
    private func changeLook(at tick: Instant) -> Bool {
        guard lookChanged else { return false }
        lookChanged = false
        if layout.transition == .zero { dissolve = nil }
        let next = look.following(layout, images)
        guard next != look else { return false }
        look = next
        guard layout.transition > .zero, let latest = dissolve?.latest ?? compositor.latestFrame
        else { return false }
        dissolve = Dissolve(from: latest, at: tick, lasting: layout.transition)
        return true
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
            let peer = roster[one.peer]
            placed.standIn = .peer(
                one.peer, initialsOf: one.name, name: layout.showsNames ? nil : one.name,
                picture: peer?.picture.flatMap { images[$0] }
                    ?? layout.defaultPicture.flatMap { images[$0] })
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

    /// Consumes the pictures of videos without a tile: otherwise they would fill their queues
    /// unused.
    private func passOverUnseen(
        _ moving: [MovingTile], at tick: Instant, _ source: (TrackID) -> VideoSource?
    ) {
        let seen = Set(moving.compactMap { $0.tile.participant?.track })
        for peer in roster.peers {
            for track in peer.tracks where track.isVideo && !seen.contains(track.id) {
                guard let video = source(track.id) else { continue }
                _ = video.choose(at: tick)
                if hides(track.id) { video.goUnseen() }
            }
        }
    }

    private func showVideo(
        of one: Participant, on placed: inout PlacedFrame, _ id: Tile.ID, at tick: Instant,
        _ source: (TrackID) -> VideoSource?
    ) {
        guard let track = one.track, let video = source(track) else {
            if one.isScreen || roster[one.peer] == nil { showLast(on: &placed, id) }
            return
        }
        switch video.choose(at: tick) {
        case .show(let picture), .hold(let picture):
            placed.frame = picture.frame
            placed.rotation = FrameRotation(rawValue: picture.rotation) ?? .none
            shown[id] = Shown(frame: picture.frame, rotation: placed.rotation)
            if placed.rotation.isSideways { sideways.insert(track) } else { sideways.remove(track) }
        case .placeholder where one.isScreen:
            showLast(on: &placed, id)
        case .placeholder:
            shown[id] = nil
        }
    }

    /// A peer that has just left fades out as it was last seen, and so does a screen that has lost
    /// its picture.
    private func showLast(on placed: inout PlacedFrame, _ id: Tile.ID) {
        guard let last = shown[id] else { return }
        placed.frame = last.frame
        placed.rotation = last.rotation
    }

    // MARK: Places

    private func layOut(at tick: Instant, isDissolved: Bool) {
        layoutChanged = false
        let next = layout.tiles(
            for: roster.participants, on: compositor.canvas, speaker: speakers.speaker)
        let isSame =
            next.count == tiles.count
            && zip(next, tiles).allSatisfy { $0.id == $1.id && $0.rectangle == $1.rectangle }
        if isSame {
            motion = motion?.arriving(at: next)
        } else {
            // Cuts from and to a slate: the first participants are to be seen at once. A dissolve
            // is a transition itself.
            let isCut =
                next.isEmpty || tiles.isEmpty || isDissolved || !hasBegun
                || layout.transition == .zero
            let before = motion?.tiles(at: tick) ?? tiles.map { MovingTile($0) }
            motion =
                isCut
                ? nil : TileMotion(from: before, to: next, at: tick, lasting: layout.transition)
        }
        tiles = next
        forgetShown()
        report()
    }

    private func endMotion(at tick: Instant) {
        guard motion?.isOver(at: tick) == true else { return }
        motion = nil
        forgetShown()
        report()
    }

    private func forgetShown() {
        let staying = Set(tiles.map(\.id) + (motion?.leavers.map(\.id) ?? []))
        shown = shown.filter { staying.contains($0.key) }
    }

    private func report() {
        let videos = roster.videos
        sideways.formIntersection(videos)
        let next = Report(
            tiles: tiles.compactMap { placedTile($0) },
            besides: ((motion?.leavers ?? []) + awaitedTiles).compactMap { placedTile($0) },
            videos: videos)
        // Videos without a tile are reported too: they need not be sent.
        guard next != reported else { return }
        reported = next
        areas = [:]
        for tile in next.tiles + next.besides {
            guard let track = tile.track else { continue }
            let area = tile.rectangle.width * tile.rectangle.height
            areas[track] = max(area, areas[track] ?? 0)
        }
        emit(.tilesChanged(next.tiles, besides: next.besides, among: videos))
    }

    private func placedTile(_ tile: Tile) -> PlacedTile? {
        tile.participant.map { one in
            PlacedTile(
                peer: one.peer, track: one.track, name: one.name, rectangle: tile.rectangle,
                fit: tile.fit, isSideways: one.track.map(sideways.contains) ?? false)
        }
    }

    /// The places that presentations without a picture would have, each as if it were the next to
    /// have one. Their videos must be sent for that, in the matching resolution.
    private var awaitedTiles: [Tile] {
        let participants = roster.participants
        return roster.awaited.flatMap { one in
            layout.tiles(
                for: participants + [one], on: compositor.canvas, speaker: speakers.speaker
            )
            .filter { $0.participant == one }
        }
    }
}

extension SourcePeer {
    /// Whether the peer cannot be heard: all its microphones are muted, or it has none.
    var hasClosedMicrophone: Bool { tracks.allSatisfy { !$0.isVoice || $0.isMuted } }
}
