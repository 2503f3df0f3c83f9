import Clocks
import Codec
import Compositor
import HLS
import MediaKernel
import RecordedStreams
import Recording
import Stage
import Synchronization
import Testing

@testable import Pipeline

/// The director's turns, in simulated time.
@Suite struct DirectorTests {
    /// Keeps its input.
    private final class Layer: VariantWriter {
        let inbox = Mailbox<LayerItem>(maximum: 100_000)
        var epoch: Int64 = 0
        var newestTaken = Int64.max
        var clock: SampleClock?
        let picturesLeftOut = 0

        func variant(_ files: ContainerFiles) -> MasterPlaylist.Variant {
            MasterPlaylist.Variant(uri: "", bandwidth: 1, codecs: "")
        }

        func run() {}

        func takeAll() -> [LayerItem] {
            var items: [LayerItem] = []
            _ = inbox.takeAll(into: &items, until: .zero)
            return items
        }
    }

    private final class Clock {
        var now = Instant.zero + .seconds(100)
        /// The step by which it advances on each read.
        var step = Duration.zero

        /// The seconds by which the wall clock was set.
        var wallStep: Int64 = 0

        func read() -> Instant {
            defer { now += step }
            return now
        }
    }

    private let clock = Clock()
    private let layer = Layer()
    private let told = Told()

    private final class Told: Sendable {
        private let events = Mutex<[PipelineEvent]>([])

        private let epochs = Mutex<[Int64]>([])

        func note(_ event: PipelineEvent) { events.withLock { $0.append(event) } }

        func begin(at epoch: Int64) { epochs.withLock { $0.append(epoch) } }

        /// When the stream began, in nanoseconds of Unix time.
        var beginnings: [Int64] { epochs.withLock { $0 } }

        private func count(_ isCounted: (PipelineEvent) -> Bool) -> Int {
            events.withLock { $0.filter(isCounted).count }
        }
        var videosLeftOut: [Int] {
            events.withLock {
                $0.compactMap { if case .videosLeftOut(let count) = $0 { count } else { nil } }
            }
        }
        /// The tracks in the tiles, at each change.
        var tiles: [[TrackID?]] {
            events.withLock {
                $0.compactMap {
                    if case .tilesChanged(let tiles, _, _) = $0 { tiles.map(\.track) } else { nil }
                }
            }
        }
        var reductions: Int {
            count { if case .reductionChanged = $0 { true } else { false } }
        }
        var secondsLeftOut: [Duration] {
            events.withLock {
                $0.compactMap { if case .leftOut(let time) = $0 { time } else { nil } }
            }
        }
        var wallClockSteps: [Duration] {
            events.withLock {
                $0.compactMap { if case .wallClockStepped(let step) = $0 { step } else { nil } }
            }
        }
        var keyframesAskedFor: Int {
            count { if case .keyframeNeeded = $0 { true } else { false } }
        }
    }

    private func director(
        soundAlone: Bool, layout: Layout = Layout(),
        pauses: RecordingPauses = RecordingPauses(isPaused: false)
    ) throws -> Director {
        let layers = [
            HLS.Layer(width: 320, height: 180, videoBitrate: 300_000, audioBitrate: 96_000)
        ]
        var configuration = PipelineConfiguration(
            ladder: try Ladder(validating: layers), outputDirectory: "", title: "Test",
            layout: layout, playoutDelay: .fixed(.milliseconds(100)))
        configuration.sound.isAlone = soundAlone
        let told = told
        let clock = clock
        return try Director(
            configuration: configuration,
            planner: try SegmentPlanner(frameRate: 30, segmentDuration: .seconds(2)),
            layers: [layer],
            audioOutput: try AudioOutput(
                bitrates: [96_000], firstSample: -Int64(AudioMixer.latency)),
            pauses: pauses, emit: { told.note($0) },
            now: { clock.read() },
            wallClock: {
                UnixTime(nanoseconds: clock.now.nanoseconds + clock.wallStep * 1_000_000_000)
            },
            began: { told.begin(at: $0) })
    }

    @Test func everyFrameThatWasDueIsMadeAtOnce() throws {
        let director = try director(soundAlone: true)
        let start = clock.now
        #expect(try !director.turn([.peers([]), .start], takenAt: start))
        #expect(director.framesComposed == 1)
        clock.now = start + .seconds(5)
        #expect(try !director.turn([], takenAt: start + .seconds(1)))
        // Frames that are due since then wait for later input.
        #expect(director.framesComposed == 31)
        #expect(try !director.turn([.finish], takenAt: start + .seconds(2)))
        #expect(director.framesComposed == 61)
        #expect(try director.turn([], takenAt: start + .seconds(10)))
        #expect(director.framesComposed == 154)
        guard case .finish(end: 154) = layer.takeAll().last else {
            Issue.record("the layers do not know where the stream ends")
            return
        }
    }

    @Test func aThreadThatStoodStillForLongLosesNoSound() throws {
        let director = try director(soundAlone: true)
        let start = clock.now
        _ = try director.turn(
            [.peers([ClipPlayer.ann]), .mediaBegan(ClipPlayer.voice, .opus), .start],
            takenAt: start)
        let seconds = 8
        let packets = try Voice(seconds: Double(seconds), signal: Voice.hum).packets
        let batch = packets.enumerated().map { index, packet in
            Director.Command.frame(
                IncomingFrame(
                    data: packet, timestamp: Int64(index * Voice.packetSamples), isKeyframe: true,
                    arrival: start + .milliseconds(20 * index)), ClipPlayer.voice)
        }
        clock.now = start + .seconds(seconds)
        _ = try director.turn(batch, takenAt: clock.now)
        _ = try director.turn([.finish], takenAt: clock.now)
        #expect(try director.turn([], takenAt: clock.now + .seconds(3)))

        let parameters = try #require(
            try AudioOutput(bitrates: [96_000], firstSample: 0).parameters(ofLayer: 0))
        let muxer = try TransportStreamMuxer(video: nil, audio: parameters)
        for case .sound(let packets) in layer.takeAll() {
            for packet in packets { try muxer.write(audio: packet) }
        }
        let heard = try MediaProbe.decode(try muxer.finish().bytes).samples(ofChannel: 0)
        let levels = Voice.levels(heard)
        let silent = levels[30..<(seconds * 100 - 20)].filter { $0 < 0.05 }.count
        #expect(silent == 0, "\(silent) stretches of 10 ms")
    }

    /// A thread whose CPU only suffices for its sound never catches up on its own.
    @Test func aThreadThatStaysBehindGoesOnFromNow() throws {
        let director = try director(soundAlone: true)
        let start = clock.now
        _ = try director.turn([.peers([]), .start], takenAt: start)
        // Five seconds behind, and still so a second later.
        clock.now = start + .seconds(6)
        _ = try director.turn([], takenAt: start + .seconds(1))
        clock.now = start + .milliseconds(7100)
        _ = try director.turn([], takenAt: start + .milliseconds(2100))
        let items = layer.takeAll()
        let gaps = items.compactMap { item -> (Int64, Int64)? in
            if case .gap(let end, let next) = item { (end, next) } else { nil }
        }
        // The segment that should be on air at 7.1 s begins at 6 s.
        #expect(gaps.count == 1 && gaps.first?.0 == 31 && gaps.first?.1 == 180)
        #expect(told.secondsLeftOut.count == 1)
        _ = try director.turn([], takenAt: clock.now)
        #expect(director.framesComposed == 31 + 7100 * 30 / 1000 - 180 + 1)
        // Earlier output of the encoder is not on air.
        var times: [Double] = []
        for case .sound(let packets) in layer.takeAll() {
            times += packets.map { $0.pts.seconds }
        }
        #expect((times.first ?? 0) > 5.9)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func whoStopsWhileItIsBehindEndsWithWhatThereIs() throws {
        let director = try director(soundAlone: true)
        let start = clock.now
        _ = try director.turn([.peers([]), .start], takenAt: start)
        clock.now = start + .seconds(6)
        _ = try director.turn([.finish], takenAt: start + .seconds(1))
        clock.now = start + .seconds(8)
        #expect(try director.turn([], takenAt: start + .seconds(2)))
        guard case .finish(end: 31) = layer.takeAll().last else {
            Issue.record("the layers do not know where the stream ends")
            return
        }
    }

    /// A frame of the camera that sends 60 per second; the first is sent when the stream begins.
    private func frame(
        _ index: Int, since start: Instant, isKeyframe: Bool = false, _ data: [UInt8]
    ) -> Director.Command {
        .frame(
            IncomingFrame(
                data: data, timestamp: Int64(index * 1500), isKeyframe: isKeyframe,
                arrival: start + .milliseconds(index * 100 / 6)), ClipPlayer.camera)
    }

    /// Decoding one second of input took almost two seconds, and composing it as long.
    private func overloadedDirector(_ keyframe: [UInt8]) throws -> Director {
        let director = try director(soundAlone: false)
        let start = clock.now
        _ = try director.turn(
            [
                .peers([ClipPlayer.ann]), .mediaBegan(ClipPlayer.camera, .vp8),
                frame(0, since: start, isKeyframe: true, keyframe), .start,
            ], takenAt: start)
        clock.now = start + .seconds(1)
        clock.step = .milliseconds(30)
        _ = try director.turn(
            (1...60).map { frame($0, since: start, keyframe) }, takenAt: start + .seconds(1))
        clock.step = .zero
        return director
    }

    @Test func videoThatTakesTooLongIsLeftOutUntilAKeyFrame() throws {
        let keyframe = try VideoSourceTests.keyframe(.vp8, width: 64, height: 36)
        let start = clock.now
        let director = try overloadedDirector(keyframe)
        #expect(director.framesComposed == 31)
        #expect(told.videosLeftOut == [1] && told.keyframesAskedFor == 0)
        let end = clock.now
        func turn(_ command: Director.Command, after milliseconds: Int) throws {
            clock.now = end + .milliseconds(milliseconds)
            _ = try director.turn([command], takenAt: clock.now)
        }
        try turn(frame(61, since: start, keyframe), after: 900)
        #expect(told.videosLeftOut == [1] && told.keyframesAskedFor == 0)
        // There was no overload for a second.
        try turn(frame(62, since: start, keyframe), after: 1100)
        #expect(told.videosLeftOut == [1] && told.keyframesAskedFor == 1)
        try turn(frame(63, since: start, isKeyframe: true, keyframe), after: 1300)
        #expect(told.videosLeftOut == [1, 0] && told.keyframesAskedFor == 1)
        // It is decoded again: invalid data is noticed.
        try turn(frame(64, since: start, [0xf1, 0xff, 0xff, 0, 0]), after: 1400)
        #expect(told.keyframesAskedFor == 2)
    }

    @Test func aCameraThatIsSwitchedOffIsNotMissed() throws {
        let director = try overloadedDirector(
            try VideoSourceTests.keyframe(.vp8, width: 64, height: 36))
        #expect(told.videosLeftOut == [1])
        var ann = ClipPlayer.ann
        for index in ann.tracks.indices { ann.tracks[index].isMuted = true }
        _ = try director.turn([.peers([ann])], takenAt: clock.now)
        #expect(told.videosLeftOut == [1, 0])
    }

    @Test func whatHasNoPlaceIsNeitherWaitedForNorDecoded() throws {
        let director = try director(soundAlone: false, layout: Layout(tilesMaximum: 2))
        let start = clock.now
        let keyframe = try VideoSourceTests.keyframe(.vp8, width: 64, height: 36)
        func frame(
            _ track: TrackID, isKeyframe: Bool = false, _ data: [UInt8]
        ) -> Director.Command {
            .frame(
                IncomingFrame(data: data, timestamp: 0, isKeyframe: isKeyframe, arrival: start),
                track)
        }
        let people = ["ann", "ben", "cleo"].map { name in
            SourcePeer(
                id: PeerID(name), name: name, joinedAt: 1,
                tracks: [SourceTrack(id: TrackID(name), isVideo: true, isMuted: false)])
        }
        _ = try director.turn([.peers(people)], takenAt: start)
        #expect(told.tiles == [["ann"]])
        let beginnings = people.map { Director.Command.mediaBegan($0.tracks[0].id, .vp8) }
        _ = try director.turn(beginnings + [.start], takenAt: start)
        #expect(director.framesComposed == 0)
        // Invalid data would be noticed if it were decoded.
        _ = try director.turn(
            [frame("cleo", [0xf1, 0xff, 0xff, 0, 0]), frame("ann", isKeyframe: true, keyframe)],
            takenAt: start)
        #expect(director.framesComposed == 1 && told.keyframesAskedFor == 0)
        clock.now = start + .seconds(1)
        _ = try director.turn([.layout(Layout())], takenAt: clock.now)
        #expect(told.tiles == [["ann"], ["ann", "ben", "cleo"]])
        _ = try director.turn([frame("cleo", keyframe)], takenAt: clock.now)
        #expect(told.keyframesAskedFor == 1)
        _ = try director.turn(
            [frame("cleo", isKeyframe: true, keyframe), frame("cleo", keyframe)],
            takenAt: clock.now)
        #expect(told.keyframesAskedFor == 1)
    }

    /// The last frames of a batch are hardly late.
    @Test func aThreadThatIsBehindAgainAndAgainMakesFewerPictures() throws {
        let director = try director(soundAlone: false)
        let start = clock.now
        _ = try director.turn([.peers([]), .start], takenAt: start)
        for index in 1...3 {
            clock.now = start + .milliseconds(600 * index)
            _ = try director.turn([], takenAt: clock.now)
        }
        #expect(told.reductions == 1)
    }

    /// Its pictures wait in vain: there is no lack of CPU.
    @Test func aLayerThatHasFailedIsNoBacklog() throws {
        let director = try director(soundAlone: false)
        let start = clock.now
        _ = try director.turn([.peers([]), .start], takenAt: start)
        layer.newestTaken = 0
        layer.inbox.close()
        for frame in 1...150 {
            clock.now = start + .seconds(frame) / 30
            _ = try director.turn([], takenAt: clock.now)
        }
        #expect(told.reductions == 0)
        #expect(director.framesDroppedInAll > 100)
    }

    @Test func aWallClockThatIsSetIsToldOfOnce() throws {
        let director = try director(soundAlone: true)
        let start = clock.now
        _ = try director.turn([.peers([]), .start], takenAt: start)
        for seconds in 1...20 {
            if seconds == 7 { clock.wallStep = -90 }
            clock.now = start + .seconds(seconds)
            _ = try director.turn([], takenAt: clock.now)
        }
        #expect(told.wallClockSteps == [.seconds(-90)])
    }

    /// They were captured one playout delay before they are shown.
    @Test func aStreamHasTheDateOfWhatItShows() throws {
        let director = try director(soundAlone: true)
        let wall = clock.now.nanoseconds
        _ = try director.turn([.peers([]), .start], takenAt: clock.now)
        #expect(told.beginnings == [wall - 100_000_000])
    }

    @Test(arguments: [false, true]) func onlyACameraThatIsOnIsWaitedFor(isMuted: Bool) throws {
        let director = try director(soundAlone: false)
        let start = clock.now
        var ann = ClipPlayer.ann
        for index in ann.tracks.indices { ann.tracks[index].isMuted = isMuted }
        _ = try director.turn([.peers([ann]), .start], takenAt: start)
        #expect(director.framesComposed == (isMuted ? 1 : 0))
        clock.now = start + Director.warmUpMaximum
        _ = try director.turn([], takenAt: start)
        #expect(told.beginnings.count == 1)
    }

    /// Except the first one of a segment, where all layers are cut.
    @Test func picturesThatAreTooLateAreLeftOut() throws {
        let director = try director(soundAlone: false)
        func pictures() -> [Int64] {
            layer.takeAll().compactMap { item in
                if case .picture(_, let index) = item { index } else { nil }
            }
        }
        let start = clock.now
        _ = try director.turn([.peers([]), .start], takenAt: start)
        clock.now = start + .milliseconds(700)
        _ = try director.turn([], takenAt: clock.now)
        #expect(pictures() == [0] + Array(7...21))
        #expect(director.framesDroppedInAll == 6)
        clock.now = start + .milliseconds(2600)
        _ = try director.turn([], takenAt: clock.now)
        #expect(pictures().first == 60)
    }

    /// On average it is shown when it is due: half of the pictures a little early, half a little
    /// late.
    @Test func aPictureIsShownInTheFrameWhoseMiddleItIsDueBefore() throws {
        let director = try director(soundAlone: false)
        let start = clock.now
        func frame(_ milliseconds: Int, _ colour: Colour) throws -> Director.Command {
            .frame(
                IncomingFrame(
                    data: try VideoSourceTests.keyframe(.vp8, width: 64, height: 36, colour),
                    timestamp: Int64(milliseconds * 90), isKeyframe: true,
                    arrival: start + .milliseconds(milliseconds)), ClipPlayer.camera)
        }
        _ = try director.turn(
            [
                .peers([ClipPlayer.ann]), .mediaBegan(ClipPlayer.camera, .vp8),
                try frame(0, .white), .start,
            ], takenAt: start)
        // Due 100 ms later, 10 ms after the beginning of frame 9.
        clock.now = start + .milliseconds(400)
        _ = try director.turn([try frame(210, .black)], takenAt: clock.now)
        var isBright: [Int64: Bool] = [:]
        for case .picture(let picture, let index) in layer.takeAll() {
            isBright[index] = picture.withPlanes { $0.y[160, 90] > 128 }
        }
        #expect(isBright[8] == true && isBright[9] == false)
    }

    /// Pictures and sound were captured one playout delay before.
    @Test func nothingThatWasCapturedInAPauseIsRecorded() throws {
        let pauses = RecordingPauses(isPaused: false)
        let director = try director(soundAlone: true, pauses: pauses)
        let start = clock.now
        _ = try director.turn([.peers([]), .start], takenAt: start)
        clock.now = start + .seconds(1)
        _ = try director.turn([.recordingPaused(true)], takenAt: clock.now)
        #expect(!pauses.touch(0..<1) && pauses.touch(1..<2) && pauses.touch(500..<600))
        clock.now = start + .seconds(2)
        _ = try director.turn([.recordingPaused(false)], takenAt: clock.now)
        // 2.1 s is in frame 63.
        #expect(!pauses.touch(0..<1) && pauses.touch(0..<2))
        #expect(pauses.touch(63..<64) && !pauses.touch(64..<600))
    }

    /// Some players do not accept a segment of one or two pictures.
    @Test func theLastSegmentHasTenFramesAtLeast() throws {
        let director = try director(soundAlone: true)
        let start = clock.now
        _ = try director.turn([.peers([]), .start], takenAt: start)
        clock.now = start + .milliseconds(1900)
        // Words spoken then are heard in frame 60, the second segment's first.
        _ = try director.turn([.finish], takenAt: clock.now)
        #expect(try director.turn([], takenAt: start + .seconds(10)))
        #expect(director.framesComposed == 70)
    }

    @Test func picturesNeverFillThePlaceOfSound() {
        let inbox = Mailbox<Director.Command>(maximum: Director.inboxMaximum)
        let frame = IncomingFrame(data: [], timestamp: 0, isKeyframe: false, arrival: .zero)
        var pictures = 0
        while inbox.offer(frame, of: "camera", isVideo: true) { pictures += 1 }
        var sounds = 0
        while inbox.offer(frame, of: "voice", isVideo: false) { sounds += 1 }
        #expect(pictures == 3072 && sounds == 1024)
    }

    @Test func whenTheThreadHasEndedNobodyWaitsForIt() throws {
        let director = try director(soundAlone: true)
        _ = try director.turn([.peers([]), .start], takenAt: clock.now)
        director.inbox.put(.finish)
        clock.step = .seconds(1)
        try director.run()
        #expect(!director.inbox.offer(.start))
    }
}
