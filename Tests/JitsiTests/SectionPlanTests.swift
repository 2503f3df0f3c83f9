import ICE
import MediaKernel
import PeerConnection
import RTP
import SDP
import SecureTransport
import Testing
import XML
import XMPP

@testable import Jitsi

/// The offer that is made of a session, taken by a real connection.
@Suite struct SectionPlanTests {
    private let now = Instant.zero + .seconds(1)

    private func plan(hasData: Bool = true) throws -> SectionPlan {
        try SectionPlan(JingleMessage(Offers.initiate(hasData: hasData)).contents)
    }

    private func source(
        _ owner: String, _ kind: Character, _ ssrc: UInt32, _ repair: UInt32? = nil
    ) -> ConferenceSource {
        ConferenceSource(
            name: SourceName(owner: owner, isVideo: kind == "v", number: 0), ssrc: ssrc,
            repairSSRC: repair)
    }

    private func connection() throws -> PeerConnection {
        PeerConnection(
            configuration: PeerConnection.Configuration(
                identity: try DTLSIdentity.generate(), mode: .full(controlling: false),
                localCandidates: [.host(TransportAddress(ipv4: 192, 0, 2, 1, port: 5000))],
                canonicalName: "c", dataChannel: nil, seed: 1), at: now)
    }

    private func tracks(_ connection: PeerConnection) -> [String: [UInt32?]] {
        Dictionary(
            uniqueKeysWithValues: connection.incomingTracks.filter(\.isSending).map {
                ($0.trackID, [$0.ssrc?.rawValue, $0.rtxSSRC?.rawValue])
            })
    }

    @Test func eachSourceHasASection() throws {
        var plan = try plan()
        let peer = try connection()
        let offer = plan.offer([source("a", "v", 11, 12), source("a", "a", 13)])
        let answer = try peer.answer(offer, at: now)
        #expect(answer.media.map(\.mid) == ["audio", "video", "data", "s1", "s2"])
        #expect(answer.media.map(\.isRejected) == [false, false, false, false, false])
        #expect(
            answer.media.map(\.direction) == [
                .inactive, .inactive, .sendReceive, .receiveOnly, .receiveOnly,
            ])
        #expect(answer.media[0].dtls.setup == .active)
        #expect(tracks(peer) == ["a-v0": [11, 12], "a-a0": [13, nil]])
        #expect(peer.incomingTracks.map(\.streamID).contains("a"))
    }

    @Test func sectionsKeepTheirPlaces() throws {
        var plan = try plan()
        let peer = try connection()
        let first = [source("a", "v", 11, 12), source("a", "a", 13), source("b", "v", 21)]
        _ = try peer.answer(plan.offer(first), at: now)
        // Ann's camera goes, Cem's comes, with a microphone.
        let second = [
            source("a", "a", 13), source("b", "v", 21), source("c", "v", 31, 32),
            source("c", "a", 33),
        ]
        let offer = plan.offer(second)
        #expect(offer.media.map(\.mid) == ["audio", "video", "data", "s4", "s2", "s3", "s5"])
        _ = try peer.answer(offer, at: now)
        #expect(
            tracks(peer) == [
                "a-a0": [13, nil], "b-v0": [21, nil], "c-v0": [31, 32], "c-a0": [33, nil],
            ])
        // All go.
        let empty = plan.offer([])
        #expect(empty.media.count == 7 && empty.bundledMIDs == ["audio", "video", "data"])
        _ = try peer.answer(empty, at: now)
        #expect(tracks(peer).isEmpty)
        // A camera gets another stream and keeps its section.
        _ = try peer.answer(plan.offer([source("a", "v", 11)]), at: now)
        let mid = peer.incomingTracks.first { $0.isSending }?.mid
        _ = try peer.answer(plan.offer([source("a", "v", 41, 42)]), at: now)
        #expect(tracks(peer) == ["a-v0": [41, 42]])
        #expect(peer.incomingTracks.first { $0.isSending }?.mid == mid)
    }

    @Test func anEmptyConferenceHasItsTransport() throws {
        var plan = try plan(hasData: false)
        #expect(!plan.hasChannel && plan.sockets.count == 1)
        let peer = try connection()
        let offer = plan.offer([])
        #expect(offer.media[0].ice.candidates.count == 2 && offer.media[1].ice.candidates.isEmpty)
        let answer = try peer.answer(offer, at: now)
        #expect(answer.media.map(\.mid) == ["audio", "video"])
        #expect(tracks(peer).isEmpty)
    }

    @Test func thereAreAsManySourcesAsSections() throws {
        var plan = try plan()
        let sources = (0..<500).map { source("e\($0)", "v", UInt32($0 + 1)) }
        let offer = plan.offer(sources)
        #expect(offer.media.count == PeerConnection.sectionsMaximum)
        let peer = try connection()
        _ = try peer.answer(offer, at: now)
        #expect(tracks(peer).count == plan.capacity)
        // The last come first: those in front of them keep theirs, and the others make room.
        _ = try peer.answer(plan.offer(sources.reversed()), at: now)
        #expect(tracks(peer)["e499-v0"] == [500, nil] && tracks(peer)["e0-v0"] == nil)
        #expect(tracks(peer).count == plan.capacity)
    }

    @Test func theAnswerBecomesOneToTheFocus() throws {
        let message = try JingleMessage(Offers.initiate())
        var plan = try SectionPlan(message.contents)
        let peer = try connection()
        let answer = try peer.answer(plan.offer([source("a", "v", 11, 12)]), at: now)
        let reply = JingleReply(
            session: "s1", initiator: message.initiator,
            responder: try #require(JID("r@muc.example/1a2b3c4d")))
        let accept = reply.accept(plan.described, by: answer, Defaults.roomcast)
        #expect(accept["action"] == "session-accept" && accept["sid"] == "s1")
        #expect(accept["responder"] == "r@muc.example/1a2b3c4d")
        let contents = try accept.children(
            "content", JitsiNamespaces.jingle, maximum: 8
        ).map { element throws(JitsiFault) in (element, try JingleContent(element)) }
        #expect(contents.map { $0.1.name } == ["audio", "video", "data"])
        #expect(contents.map { $0.0["senders"] } == ["initiator", "initiator", "both"])
        // Telephone events are none of ours; all video codecs are.
        #expect(contents[0].1.description?.codecs.map(\.payloadType) == [111])
        #expect(contents[1].1.description?.codecs.map(\.payloadType) == [100, 96, 41, 42])
        #expect(contents[1].1.description?.headerExtensions.map(\.id) == [5])
        for (_, content) in contents {
            let transport = try #require(content.transport)
            #expect(transport.usernameFragment == answer.media[0].ice.usernameFragment)
            #expect(transport.setup == .active && transport.isComplete)
            #expect(transport.candidates.map(\.address.port) == [5000])
        }
        #expect(contents.map { $0.1.transport?.sctpPort } == [nil, nil, 5000])
        #expect(accept.child("group", JitsiNamespaces.grouping)?.elements.count == 3)
    }

    @Test func withoutAUsableTransportThereIsNoPlan() throws {
        for change in [("ufrag='bridge'", ""), ("pwd='password-of-the-bridge'", "")] {
            let text = Offers.contents().replacing(change.0, with: change.1)
            let message = try JingleMessage(Offers.jingle("session-initiate", text))
            #expect(throws: JitsiFault.missing("transport of the bridge")) {
                try SectionPlan(message.contents)
            }
        }
        #expect {
            try SectionPlan([])
        } throws: { error in
            if case JitsiFault.missing = error { true } else { false }
        }
        let data = try JingleMessage(
            Offers.jingle(
                "session-initiate", "<content name='data'>\(Offers.transport())</content>"))
        #expect(throws: JitsiFault.missing("content with media")) {
            try SectionPlan(data.contents)
        }
        let twice = try JingleMessage(
            Offers.jingle("session-initiate", Offers.contents() + Offers.contents()))
        #expect(throws: JitsiFault.malformed("names of contents")) {
            try SectionPlan(twice.contents)
        }
    }
}
