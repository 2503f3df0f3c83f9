import Codec
import HLS
import MediaKernel
import Stage
import Synchronization
import Testing

@testable import Pipeline

@Suite struct SceneTests {
    /// The reported events of the picture.
    private final class Told: Sendable {
        struct Placing {
            var tiles: [TrackID?]
            var besides: [PlacedTile]
            var videos: Set<TrackID>
            var sideways: [Bool]
        }

        private let events = Mutex<[Placing]>([])

        func note(_ event: PipelineEvent) {
            guard case .tilesChanged(let tiles, let besides, let videos) = event else { return }
            let placing = Placing(
                tiles: tiles.map(\.track), besides: besides, videos: videos,
                sideways: tiles.map(\.isSideways))
            events.withLock { $0.append(placing) }
        }

        func take() -> [Placing] {
            events.withLock { events in
                defer { events = [] }
                return events
            }
        }
    }

    private let told = Told()

    private func scene(_ layout: Layout) throws -> Scene {
        let layers = [Layer(width: 320, height: 180, videoBitrate: 300_000, audioBitrate: 96_000)]
        let told = told
        return try Scene(
            configuration: PipelineConfiguration(
                ladder: try Ladder(validating: layers), outputDirectory: "", title: "Test",
                layout: layout),
            emit: { told.note($0) })
    }

    private func peer(_ name: String, screen: Bool = false) -> SourcePeer {
        SourcePeer(
            id: PeerID(name), name: name, joinedAt: 1,
            tracks: [
                SourceTrack(
                    id: TrackID("\(name)-camera"), isVideo: true, isMuted: false)
            ]
                + (screen
                    ? [
                        SourceTrack(
                            id: TrackID("\(name)-screen"), isVideo: true, source: .presentation,
                            isMuted: false)
                    ] : []))
    }

    private func tick(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    /// A presentation: white, and still from a moment on.
    private func presentation(at moment: Instant) throws -> VideoSource {
        let source = try VideoSource(codec: .vp8, isScreen: true)
        let frame = IncomingFrame(
            data: try VideoSourceTests.keyframe(.vp8, width: 320, height: 180), timestamp: 0,
            isKeyframe: true, arrival: moment)
        _ = source.receive(frame) { _ in moment }
        return source
    }

    /// No other video need be sent, decoded or waited for.
    @Test func whoWillBeSeenIsKnownBeforeTheFirstPicture() throws {
        let scene = try scene(Layout(tilesMaximum: 2))
        scene.arrange(at: tick(0)) { _ in nil }
        #expect(told.take().isEmpty)
        scene.show(["ann", "ben", "cleo"].map { peer($0) })
        #expect(!scene.shows("ann-camera") && !scene.hides("cleo-camera"))
        scene.arrange(at: tick(0)) { _ in nil }
        let first = told.take()
        #expect(first.map(\.tiles) == [["ann-camera"]])
        #expect(first.map(\.videos.count) == [3])
        #expect(scene.shows("ann-camera") && scene.hides("cleo-camera"))
        scene.setLayout(Layout(tilesMaximum: 3))
        scene.arrange(at: tick(33)) { _ in nil }
        #expect(told.take().map(\.tiles) == [["ann-camera", "ben-camera", "cleo-camera"]])
        _ = try scene.picture(at: tick(66)) { _ in nil }
        #expect(told.take().isEmpty)
    }

    @Test func aVideoThatGetsNoPlaceIsToldOf() throws {
        let scene = try scene(Layout(tilesMaximum: 2))
        scene.show(["ann", "ben", "cleo"].map { peer($0) })
        _ = try scene.picture(at: tick(0)) { _ in nil }
        let first = told.take()
        #expect(first.map(\.tiles) == [["ann-camera"]])
        #expect(first.map(\.videos.count) == [3])
        // Only the number on the last tile changes.
        scene.show(["ann", "ben", "cleo", "dora"].map { peer($0) })
        _ = try scene.picture(at: tick(33)) { _ in nil }
        let second = told.take()
        #expect(second.map(\.tiles) == [["ann-camera"]])
        #expect(second.map(\.videos.count) == [4])
        scene.tracksChanged()
        _ = try scene.picture(at: tick(66)) { _ in nil }
        #expect(told.take().isEmpty, "nothing has changed")
    }

    /// The requested layer depends on it, and only the picture shows it.
    @Test func aPictureThatComesLyingOnItsSideIsToldOf() throws {
        let scene = try scene(Layout())
        scene.show([peer("ann")])
        let camera = try VideoSource(codec: .vp8, isScreen: false)
        let data = try VideoSourceTests.keyframe(.vp8, width: 64, height: 36)
        var told: [[Bool]] = []
        for (index, rotation) in [0, 0, 90, 270, 180, 180].enumerated() {
            let frame = IncomingFrame(
                data: data, timestamp: Int64(index * 3000), isKeyframe: true, rotation: rotation,
                arrival: tick(33 * index))
            _ = camera.receive(frame) { _ in tick(33 * index) }
            _ = try scene.picture(at: tick(33 * index)) { _ in camera }
            told.append(self.told.take().flatMap(\.sideways))
        }
        #expect(told == [[false], [], [true], [], [false], []])
    }

    /// Whether other peers are shown or none.
    @Test(arguments: [
        Layout(tilesMaximum: 2), Layout(roles: ["nobody"]),
    ])
    func picturesThatNobodySeesAreNotKept(layout: Layout) throws {
        let scene = try scene(layout)
        scene.show(["ann", "ben", "cleo"].map { peer($0) })
        let hidden = try VideoSource(codec: .vp8, isScreen: false)
        let data = try VideoSourceTests.keyframe(.vp8, width: 64, height: 36)
        for index in 0..<20 {
            let frame = IncomingFrame(
                data: data, timestamp: Int64(index * 3000), isKeyframe: true,
                arrival: tick(33 * index))
            _ = hidden.receive(frame) { _ in tick(33 * index) }
            _ = try scene.picture(at: tick(33 * index)) { $0 == "cleo-camera" ? hidden : nil }
        }
        #expect(hidden.hasPicture)
        #expect(hidden.timeline.queuedFrames <= 1)
    }

    /// Regardless of which was published first.
    @Test func aCameraIsNotTakenForWhatItsOwnerShowsOrPlays() throws {
        let scene = try scene(Layout())
        func video(_ id: TrackID, _ source: TrackSource) -> SourceTrack {
            SourceTrack(id: id, isVideo: true, source: source, isMuted: false)
        }
        var ann = peer("ann")
        let sources: [TrackID: VideoSource] = [
            "film": try presentation(at: tick(0)), "board": try presentation(at: tick(0)),
        ]
        let rows: [(tracks: [SourceTrack], shown: [TrackID?])] = [
            ([video("film", .presentation), video("camera", .regular)], ["film", "camera"]),
            ([video("drone", .other), video("camera", .regular)], ["camera"]),
            ([video("drone", .other), video("board", .presentation)], ["board", "drone"]),
            // The latest presentation is large.
            ([video("board", .presentation), video("film", .presentation)], ["film", "board"]),
            (
                [
                    video("board", .presentation),
                    SourceTrack(id: "music", isVideo: false, source: .other, isMuted: false),
                ], ["board", nil]
            ),
            (
                [
                    video("film", .presentation),
                    SourceTrack(id: "sound", isVideo: false, source: .presentation, isMuted: false),
                ], ["film"]
            ),
        ]
        for (number, row) in rows.enumerated() {
            ann.tracks = row.tracks
            scene.show([ann])
            _ = try scene.picture(at: tick(number * 33)) { sources[$0] }
            #expect(told.take().last?.tiles == row.shown, "\(row.tracks.map(\.id))")
        }
    }

    @Test func musicIsNoOpenMicrophone() {
        var ann = peer("ann")
        for source: TrackSource in [.other, .presentation] {
            let sound = SourceTrack(id: "music", isVideo: false, source: source, isMuted: false)
            ann.tracks = [
                sound, SourceTrack(id: "microphone", isVideo: false, isMuted: true),
            ]
            #expect(ann.hasClosedMicrophone)
            ann.tracks[1].isMuted = false
            #expect(!ann.hasClosedMicrophone)
        }
    }

    /// A peer without a tile is heard, but takes the large tile from no other.
    @Test func whoIsNotShownTakesNobodysWord() throws {
        let scene = try scene(Layout(name: .speaker, roles: ["host"]))
        scene.show([voice("ann", "host"), voice("ben", "host"), voice("cleo", "guest")])
        talk("ben", level: 20, in: scene, during: 0..<1000)
        #expect(told.take().last?.tiles == ["ben-camera", "ann-camera"])
        talk("cleo", level: 5, in: scene, during: 1000..<4000)
        #expect(told.take().isEmpty, "ben keeps the word")
    }

    @Test func whoIsHiddenByANewLayoutLosesTheWord() throws {
        let scene = try scene(Layout(name: .speaker))
        scene.show([voice("ann", "host"), voice("ben", "host"), voice("cleo", "guest")])
        talk("cleo", level: 5, in: scene, during: 0..<1000)
        #expect(told.take().last?.tiles.first == "cleo-camera")
        scene.setLayout(Layout(name: .speaker, roles: ["host"]))
        // There is no active speaker now, so becoming one takes no second.
        talk("ben", level: 20, in: scene, during: 1000..<1600)
        #expect(told.take().last?.tiles == ["ben-camera", "ann-camera"])
    }

    /// Its last packets may come after the notification, and some clients keep sending noise.
    @Test func whoIsMutedTakesNobodysWord() throws {
        let scene = try scene(Layout(name: .speaker))
        var cleo = voice("cleo", "host")
        cleo.tracks[1].isMuted = true
        scene.show([voice("ann", "host"), cleo])
        talk("ann", level: 20, in: scene, during: 0..<1000)
        #expect(told.take().last?.tiles.first == "ann-camera")
        talk("cleo", level: 5, in: scene, during: 1000..<4000)
        #expect(told.take().isEmpty, "ann keeps the word")
    }

    private func voice(_ name: String, _ role: String) -> SourcePeer {
        var peer = peer(name)
        peer.role = role
        peer.tracks.append(
            SourceTrack(
                id: TrackID("\(name)-voice"), isVideo: false, isMuted: false))
        return peer
    }

    /// - Parameters:
    ///   - level: in -dBov.
    ///   - time: in milliseconds.
    private func talk(
        _ peer: PeerID, level: Int, in scene: Scene, during time: Range<Int>
    ) {
        for moment in stride(from: time.lowerBound, to: time.upperBound, by: 20) {
            scene.heard(
                peer, level: level, lasting: .milliseconds(20), at: tick(moment))
            #expect(throws: Never.self) { try scene.picture(at: tick(moment)) { _ in nil } }
        }
    }

    /// Its owner stays, and initials of the size of the canvas would be all there is to see.
    @Test(arguments: [true, false])
    func aSharedScreenThatEndsFadesOutAsItWas(mediaEndsFirst: Bool) throws {
        let scene = try scene(Layout(name: .screen))
        scene.show([peer("ann", screen: true)])
        let screen = try presentation(at: tick(0))
        let shared = try scene.picture(at: tick(0)) { $0 == "ann-screen" ? screen : nil }
        let bright = luma(shared)
        #expect(bright > 200)
        if mediaEndsFirst {
            scene.tracksChanged()
            #expect(luma(try scene.picture(at: tick(33)) { _ in nil }) == bright)
        }
        scene.show([peer("ann")])
        let fading = luma(try scene.picture(at: tick(66)) { _ in nil })
        #expect(fading > 150, "the white screen fades: \(fading)")
    }

    /// A white picture in the middle, in place of initials on the peer's colour.
    @Test func whoHasNoPictureHasTheLayouts() throws {
        let image = "https://example.org/p.png"
        func middle(_ layout: Layout, with peer: SourcePeer) throws -> UInt8 {
            let scene = try scene(layout)
            scene.show([peer])
            scene.setPicture(
                StillPicture(
                    width: 2, height: 2, pixels: [UInt8](repeating: 255, count: 16)), at: image)
            return try scene.picture(at: tick(0)) { _ in nil }.withPlanes { frame in
                // Beside the middle, where initials would be.
                frame.y[130, 79]
            }
        }
        var ann = peer("ann")
        #expect(try middle(Layout(defaultPicture: image), with: ann) > 220)
        #expect(try middle(Layout(), with: ann) < 220)
        // Its own one, which has not come, is no reason for initials.
        ann.picture = "https://example.org/ann.png"
        #expect(try middle(Layout(defaultPicture: image), with: ann) > 220)
    }

    /// Initials as large as the canvas are useless.
    @Test func aPresentationHasATileWhileItHasAPicture() throws {
        let scene = try scene(Layout())
        scene.show([peer("ann", screen: true)])
        _ = try scene.picture(at: tick(0)) { _ in nil }
        let awaited = try #require(told.take().last)
        #expect(awaited.tiles == ["ann-camera"])
        #expect(awaited.besides.map(\.track) == ["ann-screen"])
        // In its future size.
        let large = Rectangle(x: 0, y: 0, width: 256, height: 180)
        #expect(awaited.besides.map(\.rectangle) == [large])
        #expect(scene.shows("ann-screen"))
        let screen = try presentation(at: tick(33))
        func picture(_ milliseconds: Int) throws -> VideoFrame {
            try scene.picture(at: tick(milliseconds)) { $0 == "ann-screen" ? screen : nil }
        }
        _ = try picture(33)
        let seen = try #require(told.take().last)
        #expect(seen.tiles == ["ann-screen", "ann-camera"] && seen.besides.isEmpty)
        let shared = luma(try picture(1000))
        screen.setMuted(true)
        let fading = luma(try picture(1033))
        #expect(shared > 200 && fading == shared, "it goes as it was")
        #expect(told.take().last?.tiles == ["ann-camera"])
        _ = try picture(2000)
        let muted = try #require(told.take().last)
        #expect(muted.tiles == ["ann-camera"])
        #expect(muted.besides.map(\.track) == ["ann-screen"], "it may come back")
    }

    /// The latest one may never have a picture.
    @Test func eachPresentationThatIsAwaitedIsAskedFor() throws {
        let scene = try scene(Layout(name: .pip))
        scene.show([peer("ann", screen: true), peer("ben", screen: true)])
        _ = try scene.picture(at: tick(0)) { _ in nil }
        let awaited = try #require(told.take().last)
        #expect(Set(awaited.besides.map(\.track)) == ["ann-screen", "ben-screen"])
    }

    /// Otherwise it would freeze while it moves.
    @Test func whatLeavesIsNeededUntilItIsGone() throws {
        let scene = try scene(Layout(name: .single, focus: .peer("ann")))
        scene.show([peer("ann"), peer("ben")])
        _ = try scene.picture(at: tick(0)) { _ in nil }
        scene.setLayout(Layout(name: .single, focus: .peer("ben")))
        for (milliseconds, besides) in [(33, ["ann-camera"]), (333, [])] as [(Int, [TrackID])] {
            _ = try scene.picture(at: tick(milliseconds)) { _ in nil }
            let placing = try #require(told.take().last)
            #expect(placing.tiles == ["ben-camera"])
            #expect(placing.besides.compactMap(\.track) == besides)
            #expect(scene.hides("ann-camera") == besides.isEmpty)
        }
    }

    @Test func whoSpeaksAndWhatIsLargeWouldBeMissedMost() throws {
        let scene = try scene(Layout(name: .speaker, tilesMaximum: 3))
        scene.show(["ann", "ben", "cleo", "dora"].map { voice($0, "host") })
        talk("ben", level: 20, in: scene, during: 0..<1000)
        let speaker = scene.importance(of: "ben-camera")
        let small = scene.importance(of: "ann-camera")
        #expect(speaker > small && small > 0)
        #expect(scene.importance(of: "dora-camera") == 0)
        scene.setLayout(Layout())
        talk("ben", level: 20, in: scene, during: 1000..<1040)
        #expect(scene.importance(of: "ben-camera") > scene.importance(of: "dora-camera"))
        #expect(scene.importance(of: "dora-camera") == scene.importance(of: "ann-camera"))
    }

    @Test func anotherLookComesGently() throws {
        let white = RGB(red: 255, green: 255, blue: 255)
        let scene = try scene(Layout(margin: 20, background: .stage))
        scene.show([peer("ann")])
        func ground(_ milliseconds: Int) throws -> Int {
            let picture = try scene.picture(at: tick(milliseconds)) { _ in nil }
            return Int(picture.withPlanes { $0.y[4, 4] })
        }
        let before = try ground(0)
        scene.setLayout(Layout(margin: 20, background: white))
        let during = try [33, 183, 300, 333].map { try ground($0) }
        #expect(abs(during[0] - before) <= 1)
        #expect(abs(during[1] - (before + 235) / 2) <= 2)
        #expect(during[2] > during[1] && during[3] == 235)
        // Continues from its current place when it is changed on the way.
        scene.setLayout(Layout(margin: 20, background: .stage))
        _ = try ground(1000)
        let half = try ground(1150)
        scene.setLayout(Layout(margin: 20, background: white))
        let next = try ground(1183)
        #expect(abs(next - half) <= 1)
        scene.setLayout(Layout(margin: 20, background: white, transition: .zero))
        #expect(try ground(1216) == 235, "a cut is one")
    }

    /// In the left half, which a strip of cameras leaves free.
    private func luma(_ picture: VideoFrame) -> UInt8 {
        picture.withPlanes { $0.y[40, 90] }
    }
}
