import Codec
import Foundation
import HLS
import MediaKernel
import Stage
import Synchronization
import Testing

@testable import Pipeline

/// The audible peers, judged by the waveform: a hum whose peer's role comes and goes.
@Suite struct SourceTracksTests {
    /// The output, in steps of 10 ms.
    private struct Heard {
        let levels: [Float]
        let worstEdge: Float
    }

    private static func ladder(frameRate: Int) throws -> Ladder {
        try Ladder(
            validating: Ladder.standard.layers.map { layer in
                var layer = layer
                layer.frameRate = frameRate
                return layer
            })
    }

    /// - Parameter act: called before each packet of 20 ms.
    private func heard(
        seconds: Double, roles: Set<String>? = nil, act: (Int, SourceTracks) -> Void
    ) throws -> Heard {
        let configuration = PipelineConfiguration(
            ladder: try Self.ladder(frameRate: 50), outputDirectory: "", title: "",
            playoutDelay: .fixed(.milliseconds(100)), sound: SoundOptions(roles: roles))
        let register = SourceTracks(configuration: configuration) { _ in }
        let clock = SampleClock(origin: .zero, frameRate: 50)
        register.mixed(through: 0, clock)
        register.show([Self.ann(role: "host")])
        register.mediaBegan("voice", .opus)
        var desk: [AudioSource] = []
        var output: [Float] = []
        for (index, packet) in try Voice(seconds: seconds, signal: Voice.hum).packets.enumerated() {
            act(index, register)
            let timestamp = Int64(index * Voice.packetSamples)
            let frame = IncomingFrame(
                data: packet, timestamp: timestamp, isKeyframe: true,
                arrival: clock.instant(ofSample: timestamp))
            _ = register.receive(frame, of: "voice")
            for source in register.takeDeparted() {
                source.isSpeaking = false
                desk.append(source)
            }
            let end = timestamp + Int64(Voice.packetSamples)
            var mixed = [Float](repeating: 0, count: Voice.packetSamples)
            for source in register.sounds + desk {
                guard let block = source.pull(Voice.packetSamples, through: end) else { continue }
                for n in mixed.indices { mixed[n] += block[2 * n] }
            }
            register.mixed(through: end, clock)
            output += mixed
        }
        return Heard(
            levels: Voice.levels(output), worstEdge: Voice.edges(output).max() ?? 0)
    }

    private static func ann(role: String, isMuted: Bool = false) -> SourcePeer {
        SourcePeer(
            id: "ann", name: "Ann", role: role, joinedAt: 1,
            tracks: [SourceTrack(id: "voice", isVideo: false, isMuted: isMuted)])
    }

    private func expectOneSilence(_ heard: Heard) {
        // The hum's own second difference is up to 0.03, and a cut's 0.1 and more.
        #expect(heard.worstEdge <= 0.04, "an edge of \(heard.worstEdge)")
        let levels = heard.levels
        #expect(levels[20..<99].allSatisfy { $0 > 0.1 })
        #expect(levels[101..<209].allSatisfy { $0 < 1e-4 }, "gone within 10 ms")
        // Once wanted again, it comes after its playout delay and the decoder's silence.
        #expect(levels[224..<298].allSatisfy { $0 > 0.1 })
    }

    @Test func rolesThatChangeAreFadedOutAtOnceAndIn() throws {
        let heard = try heard(seconds: 3) { index, register in
            if index == 50 { register.setRoles(["guest"]) }
            if index == 100 { register.setRoles(["guest", "host"]) }
        }
        expectOneSilence(heard)
    }

    @Test func aPeerWhoseRoleChangesIsToo() throws {
        let heard = try heard(seconds: 3, roles: ["host"]) { index, register in
            if index == 50 { register.show([Self.ann(role: "guest")]) }
            if index == 100 { register.show([Self.ann(role: "host")]) }
        }
        expectOneSilence(heard)
    }

    /// Some clients keep sending; viewers must not hear it.
    @Test func whoIsMutedIsHeardOutAndThenSilent() throws {
        let heard = try heard(seconds: 3) { index, register in
            if index == 50 { register.show([Self.ann(role: "host", isMuted: true)]) }
            if index == 100 { register.show([Self.ann(role: "host")]) }
        }
        let levels = heard.levels
        #expect(levels[20..<108].allSatisfy { $0 > 0.1 })
        #expect(levels[112..<200].allSatisfy { $0 < 1e-4 })
        #expect(levels[202..<298].allSatisfy { $0 > 0.1 }, "with what had come before the word")
        #expect(heard.worstEdge <= 0.04, "an edge of \(heard.worstEdge)")
    }

    @Test func whoComesMutedIsNotHeard() throws {
        let heard = try heard(seconds: 1) { index, register in
            if index == 0 { register.show([Self.ann(role: "host", isMuted: true)]) }
        }
        #expect(heard.levels.allSatisfy { $0 < 1e-4 })
    }

    /// While people read a page, it sends no pictures.
    @Test func aPresentationIsHeldWhileAnythingComesOfItsOwner() throws {
        let register = SourceTracks(
            configuration: PipelineConfiguration(ladder: .standard, outputDirectory: "", title: "")
        ) { _ in }
        var ann = Self.ann(role: "host")
        ann.tracks.append(
            SourceTrack(id: "screen", isVideo: true, source: .presentation, isMuted: false))
        register.show([ann])
        register.mediaBegan("screen", .vp8)
        register.mediaBegan("voice", .opus)
        func at(_ seconds: Int) -> Instant { .zero + .seconds(seconds) }
        let frame = IncomingFrame(
            data: try VideoSourceTests.keyframe(.vp8, width: 64, height: 36), timestamp: 0,
            isKeyframe: true, arrival: at(0))
        _ = register.receive(frame, of: "screen")
        let screen = try #require(register.video("screen"))
        _ = screen.choose(at: at(1))
        #expect(screen.hasPicture(at: at(16)) && !screen.hasPicture(at: at(17)))
        let packet = try #require(try Voice(seconds: 1, signal: Voice.hum).packets.first)
        _ = register.receive(
            IncomingFrame(data: packet, timestamp: 0, isKeyframe: true, arrival: at(60)),
            of: "voice")
        #expect(screen.hasPicture(at: at(75)) && !screen.hasPicture(at: at(76)))
        register.senderReport(
            "screen", rtpTimestamp: 0, ntp: NTPTime(unixNanoseconds: 5), at: at(3600))
        #expect(screen.hasPicture(at: at(3615)) && !screen.hasPicture(at: at(3616)))
        register.passOver(frame, of: "screen")
        #expect(!screen.hasPicture(at: at(3615)), "that is not what she shows")
    }

    @Test func everybodyIsHeardWhereNoRolesAreNamed() throws {
        let heard = try heard(seconds: 2, roles: []) { index, register in
            if index == 50 { register.setRoles(nil) }
        }
        #expect(heard.levels[..<100].allSatisfy { $0 == 0 })
        #expect(heard.levels[124..<198].allSatisfy { $0 > 0.1 })
        #expect(heard.worstEdge <= 0.04, "an edge of \(heard.worstEdge)")
    }

    @Test func whoLeavesIsHeardOut() throws {
        let heard = try heard(seconds: 2) { index, register in
            if index == 50 { register.show([]) }
        }
        #expect(heard.levels[20..<108].allSatisfy { $0 > 0.1 })
        #expect(heard.levels[112...].allSatisfy { $0 < 1e-4 })
        #expect(heard.worstEdge <= 0.04, "an edge of \(heard.worstEdge)")
    }

    @Test func theSoundOfWhatIsShownOrPlayedIsNotItsOwnersVoice() throws {
        for source: TrackSource in [.regular, .presentation, .other] {
            let register = SourceTracks(
                configuration: PipelineConfiguration(
                    ladder: .standard, outputDirectory: "", title: "")
            ) { _ in }
            var ann = Self.ann(role: "host")
            ann.tracks = [
                SourceTrack(id: "voice", isVideo: false, source: source, isMuted: false)
            ]
            register.show([ann])
            register.mediaBegan("voice", .opus)
            let packet = try #require(try Voice(seconds: 1, signal: Voice.hum).packets.first)
            let frame = IncomingFrame(
                data: packet, timestamp: 0, isKeyframe: true, audioLevel: 20, arrival: .zero)
            let heard = register.receive(frame, of: "voice")
            #expect(heard?.level == (source == .regular ? 20 : nil))
            #expect(register.sounds.count == 1)
        }
    }

    /// It is mixed a frame at a time.
    @Test(arguments: [5, 50]) func soundIsThereAFrameBeforeItIsDue(frameRate: Int) throws {
        let register = SourceTracks(
            configuration: PipelineConfiguration(
                ladder: try Self.ladder(frameRate: frameRate), outputDirectory: "", title: "",
                playoutDelay: PlayoutDelayRange(minimum: .zero, initial: .zero))
        ) { _ in }
        register.mixed(through: 0, SampleClock(origin: .zero, frameRate: frameRate))
        register.show([Self.ann(role: "host")])
        register.mediaBegan("voice", .opus)
        for (index, packet) in try Voice(seconds: 1, signal: Voice.hum).packets.enumerated() {
            let frame = IncomingFrame(
                data: packet, timestamp: Int64(index * Voice.packetSamples), isKeyframe: true,
                arrival: .zero + .milliseconds(20 * index))
            _ = register.receive(frame, of: "voice")
        }
        #expect(
            register.longestDelay == SourceTracks.decodingReserve + .seconds(1) / frameRate)
    }

    /// Its first pictures had no destination.
    @Test(arguments: [true, false])
    func aVideoThatBeganBeforeItWasToldOfIsAskedForAKeyFrame(isToldFirst: Bool) {
        let asked = Mutex<[TrackID]>([])
        let register = SourceTracks(
            configuration: PipelineConfiguration(ladder: .standard, outputDirectory: "", title: "")
        ) { event in
            if case .keyframeNeeded(let track) = event { asked.withLock { $0.append(track) } }
        }
        var ann = Self.ann(role: "host")
        ann.tracks.append(SourceTrack(id: "camera", isVideo: true, isMuted: false))
        if isToldFirst { register.show([ann]) }
        register.mediaBegan("camera", .vp8)
        register.mediaBegan("voice", .opus)
        for _ in 0..<2 { register.show([ann]) }
        #expect(asked.withLock { $0 } == (isToldFirst ? [] : ["camera"]))
    }

    /// Some clients send black pictures of a camera that is off.
    @Test(arguments: [true, false])
    func aCameraThatIsOffFromTheBeginningShowsNothing(isToldFirst: Bool) throws {
        let register = SourceTracks(
            configuration: PipelineConfiguration(ladder: .standard, outputDirectory: "", title: "")
        ) { _ in }
        var ann = Self.ann(role: "host")
        ann.tracks = [SourceTrack(id: "camera", isVideo: true, isMuted: true)]
        if isToldFirst { register.show([ann]) }
        register.mediaBegan("camera", .vp8)
        if !isToldFirst { register.show([ann]) }
        let frame = IncomingFrame(
            data: try VideoSourceTests.keyframe(.vp8, width: 64, height: 36), timestamp: 0,
            isKeyframe: true, arrival: .zero)
        _ = register.receive(frame, of: "camera")
        let video = try #require(register.video("camera"))
        guard case .placeholder = video.choose(at: .zero + .seconds(1)) else {
            Issue.record("the black picture is shown")
            return
        }
        // Once turned on, it is shown.
        ann.tracks[0].isMuted = false
        register.show([ann])
        _ = register.receive(frame, of: "camera")
        guard case .show = video.choose(at: .zero + .seconds(2)) else {
            Issue.record("nothing is shown")
            return
        }
    }

    /// The room reports a track's end first, or its media ends first.
    @Test(arguments: [true, false])
    func tracksThatHaveEndedTakeNoPlaceFromOthers(isToldFirst: Bool) throws {
        func ann(_ track: TrackID) -> SourcePeer {
            var ann = Self.ann(role: "host")
            ann.tracks = [SourceTrack(id: track, isVideo: false, isMuted: false)]
            return ann
        }
        let heard = try heard(seconds: 1) { index, register in
            guard index == 0 else { return }
            register.mediaEnded("voice")
            for number in 0..<2 * SourceClock.tracksMaximum {
                let share = TrackID("share \(number)")
                register.show([ann(share)])
                register.mediaBegan(share, .opus)
                if isToldFirst {
                    register.show([ann("nothing")])
                    register.mediaEnded(share)
                } else {
                    register.mediaEnded(share)
                    register.show([ann("nothing")])
                }
            }
            register.show([ann("voice")])
            register.mediaBegan("voice", .opus)
        }
        #expect(heard.levels.suffix(50).allSatisfy { $0 > 0.01 })
    }
}
