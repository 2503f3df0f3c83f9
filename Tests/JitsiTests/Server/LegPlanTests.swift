import ICE
import MediaKernel
import PeerConnection
import RTP
import SDP
import Testing
import XML

@testable import Jitsi

/// Sessions as descriptions, with a real connection as the room's end.
@Suite struct LegPlanTests {
    private static let features = ClientFeatures(hasAudio: true, hasVideo: true, hasChannel: true)

    private static let camera = SentSource(
        name: SourceName(owner: "ann", isVideo: true, number: 0), isScreen: false,
        layers: [
            .init(ssrc: 11, repairSSRC: 12), .init(ssrc: 21, repairSSRC: 22),
            .init(ssrc: 31, repairSSRC: 32),
        ])
    private static let voice = SentSource(
        name: SourceName(owner: "ann", isVideo: false, number: 0), isScreen: false,
        layers: [.init(ssrc: 41, repairSSRC: nil)])
    private static let screen = SentSource(
        name: SourceName(owner: "ann", isVideo: true, number: 1), isScreen: true,
        layers: [.init(ssrc: 51, repairSSRC: 52)])

    /// A session that the member has accepted.
    private func accepted(
        _ features: ClientFeatures = features, preferring codecs: [String] = []
    ) throws -> (plan: LegPlan, core: PeerConnection, answer: SessionDescription) {
        let (core, offer) = try NotedMedia.connection(LegPlan.sections)
        var plan = LegPlan(offer)
        let order = JingleOrder(session: "s", initiator: "focus@d", isJSON: true)
        let initiate = order.initiate(plan.contents(for: features), bridgeSession: "b")
        let request = try JingleRequest(FocusWorld.acceptance(of: initiate), from: "ann")
        let answer = try plan.accept(request.contents, preferring: codecs)
        try core.accept(answer: answer, at: .zero)
        return (plan, core, answer)
    }

    @Test func theMemberIsOfferedOneTransportAndWhatItCanDo() throws {
        let (_, offer) = try NotedMedia.connection(LegPlan.sections)
        let contents = LegPlan(offer).contents(for: Self.features)
        #expect(contents.map { $0["name"] } == ["audio", "video", "data"])
        let read = try contents.map { content throws(JitsiFault) in try JingleContent(content) }
        #expect(read.map(\.kind) == [.audio, .video, .application])
        #expect(read.allSatisfy { $0.transport?.isComplete == true })
        #expect(read[0].transport?.candidates.count == 1)
        #expect(read[2].transport?.sctpPort == 5000)
        let codecs = read.map { Set($0.description?.codecs.map { $0.name } ?? []) }
        #expect(codecs == [["opus"], ["VP8", "H264", "rtx"], []])
        #expect(
            !read[1].description!.headerExtensions.contains { $0.uri.hasSuffix("sdes:mid") })
        let sound = LegPlan(offer).contents(
            for: ClientFeatures(hasAudio: true, hasVideo: false, hasChannel: false))
        #expect(sound.map { $0["name"] } == ["audio"])
    }

    @Test func itsAcceptanceAnswersEverySection() throws {
        let (_, core, answer) = try accepted()
        #expect(answer.media.count == LegPlan.sections.count)
        #expect(core.freeSections(for: .audio).count == LegPlan.receivedMaximum)
        #expect(core.freeSections(for: .video).count == LegPlan.receivedMaximum)
    }

    @Test func aMemberWithoutVideoGetsNone() throws {
        let (_, core, answer) = try accepted(
            ClientFeatures(hasAudio: true, hasVideo: false, hasChannel: false))
        #expect(answer.media.filter(\.isRejected).count == LegPlan.receivedMaximum + 1)
        #expect(core.freeSections(for: .video).isEmpty)
        #expect(core.freeSections(for: .audio).count == LegPlan.receivedMaximum)
    }

    @Test func itsSourcesAreTracksWithTheirLayers() throws {
        var (plan, core, _) = try accepted()
        _ = try core.answer(plan.offer([Self.camera, Self.voice]), at: .zero)
        let tracks = core.incomingTracks.filter(\.isSending)
        #expect(tracks.map(\.trackID) == ["ann-v0", "ann-a0"])
        #expect(tracks.map(\.codec.name) == ["VP8", "opus"])
        #expect(tracks[0].encodings.map(\.ssrc?.rawValue) == [11, 21, 31])
        #expect(tracks[0].encodings.map(\.rtxSSRC?.rawValue) == [12, 22, 32])
        #expect(tracks[1].ssrc?.rawValue == 41)
        // What it is sent is not touched by that.
        #expect(core.freeSections(for: .video).count == LegPlan.receivedMaximum)
    }

    @Test func aLaterSourceTakesThePlaceOfOneThatIsGone() throws {
        var (plan, core, _) = try accepted()
        _ = try core.answer(plan.offer([Self.camera, Self.voice]), at: .zero)
        let count = plan.offer([Self.voice]).media.count
        _ = try core.answer(plan.offer([Self.voice]), at: .zero)
        #expect(core.incomingTracks.filter(\.isSending).map(\.trackID) == ["ann-a0"])
        let offer = plan.offer([Self.voice, Self.screen])
        #expect(offer.media.count == count)
        _ = try core.answer(offer, at: .zero)
        #expect(
            Set(core.incomingTracks.filter(\.isSending).map(\.trackID)) == ["ann-a0", "ann-v1"])
        #expect(Set(offer.media.compactMap(\.mid)).count == offer.media.count)
    }

    @Test func theFavouriteCodecIsWhatItsVideosAreAnnouncedIn() throws {
        var (plan, core, _) = try accepted(preferring: ["av1", "h264", "vp8"])
        _ = try core.answer(plan.offer([Self.camera]), at: .zero)
        #expect(core.incomingTracks.filter(\.isSending).map(\.codec.name) == ["H264"])
        #expect(core.incomingTracks.first { $0.isSending }?.rtxPayloadType != nil)
    }

    @Test func anAcceptanceWithoutATransportOrContentIsRefused() throws {
        let (_, offer) = try NotedMedia.connection(LegPlan.sections)
        var plan = LegPlan(offer)
        #expect(throws: JitsiFault.missing("transport of the member")) {
            try plan.accept([], preferring: [])
        }
        #expect(!plan.isAccepted)
    }
}
