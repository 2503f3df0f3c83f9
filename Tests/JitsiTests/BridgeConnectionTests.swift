import DataChannel
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

/// A bridge, which is a connection of ours with all media in two contents, and a recorder: what is
/// said in Jingle connects them.
@Suite struct BridgeConnectionTests {
    private final class End {
        let core: PeerConnection
        let address: TransportAddress
        var state = PeerConnectionState.new
        var media: [IncomingPacket] = []
        var channels: [String] = []
        var texts: [String] = []

        init(_ number: UInt8, channel: ChannelFormat, at now: Instant) throws {
            address = TransportAddress(ipv4: 192, 0, 2, number, port: 10_000)
            core = PeerConnection(
                configuration: PeerConnection.Configuration(
                    identity: try DTLSIdentity.generate(), mode: .full(controlling: true),
                    localCandidates: [.host(address)], canonicalName: "\(number)",
                    dataChannel: channel, seed: UInt64(number)), at: now)
        }

        func drain(to other: End, at now: Instant) {
            while let output = core.poll() {
                switch output {
                case .transmit(let bytes, _): other.core.handle(bytes, from: address, at: now)
                case .stateChanged(let state): self.state = state
                case .media(let packet): media.append(packet)
                case .channelOpened(_, let label, let name): channels.append("\(label) \(name)")
                case .channelMessage(_, .text(let text)): texts.append(text)
                default: break
                }
            }
        }
    }

    private func track(_ kind: MediaSection.Kind) -> OutgoingTrack {
        OutgoingTrack(
            streamID: "s", trackID: kind.name, kind: kind,
            codecs: [
                kind == .video
                    ? CodecDescription(payloadType: 0, name: "VP8", clockRate: 90_000)
                    : CodecDescription(
                        payloadType: 0, name: "opus", clockRate: 48_000, channels: 2)
            ], headerExtensions: [], isRepaired: kind == .video)
    }

    /// The bridge's own offer, as jicofo would write it.
    private func session(_ offer: SessionDescription) throws -> [JingleContent] {
        var transport = JingleTransport(of: offer)
        transport.setup = .actpass
        transport.sctpPort = 5000
        return try [MediaSection.Kind.audio, .video, .application].map { kind in
            let codecs = offer.media.first { $0.kind == kind }?.rtp.codecs ?? []
            return try JingleContent(
                XMLElement(
                    "content", JitsiNamespaces.jingle,
                    ["name": kind == .application ? "data" : kind.name],
                    [
                        XMLElement(
                            "description", JitsiNamespaces.rtp, ["media": kind.name],
                            codecs.map(\.jingle)), transport.element,
                    ]))
        }
    }

    private func source(_ name: String, of section: MediaSection) throws -> ConferenceSource {
        ConferenceSource(
            name: try #require(SourceName(name, owner: "ann")), ssrc: section.rtp.sources[0].ssrc,
            repairSSRC: section.rtp.sourceGroups.first?.ssrcs[1])
    }

    /// Our session-accept, as an answer to the bridge's own offer.
    private func answer(
        _ accept: XMLElement, to offer: SessionDescription
    ) throws -> SessionDescription {
        let element = try #require(accept.child("content", JitsiNamespaces.jingle))
        let transport = try #require(try JingleContent(element).transport)
        var answer = SessionDescription()
        for section in offer.media {
            var ours = MediaSection(
                kind: section.kind, mid: section.mid, direction: section.direction.reversed)
            ours.rtp.codecs = section.rtp.codecs
            ours.ice.usernameFragment = transport.usernameFragment
            ours.ice.password = transport.password
            ours.ice.candidates = transport.candidates.map { $0.rendered() }
            ours.dtls.fingerprints = transport.fingerprints
            ours.dtls.setup = transport.setup
            if section.kind == .application { ours.sctp = section.sctp }
            answer.media.append(ours)
        }
        answer.bundledMIDs = offer.bundledMIDs
        return answer
    }

    @Test func jingleConnectsThem() async throws {
        var now = Instant.zero + .seconds(1)
        let channel = ChannelFormat(label: BridgeChannel.label, protocol: BridgeChannel.protocol)
        let bridge = try End(1, channel: ChannelFormat(label: "other"), at: now)
        let recorder = try End(2, channel: channel, at: now)
        let video = try bridge.core.add(track(.video))
        let audio = try bridge.core.add(track(.audio))
        let offer = try bridge.core.createOffer(at: now)
        var plan = try SectionPlan(session(offer))
        let sources = [
            try source("ann-v0", of: #require(offer.section(mid: video))),
            try source("ann-a0", of: #require(offer.section(mid: audio))),
        ]
        let described = try recorder.core.answer(plan.offer(sources), at: now)
        let reply = JingleReply(
            session: "s", initiator: nil, responder: try #require(JID("r@muc/me")))
        let accept = reply.accept(plan.described, by: described, Defaults.roomcast)
        try bridge.core.accept(answer: answer(accept, to: offer), at: now)

        // DTLS repeats what is lost by the machine's clock, so all go by that.
        let (start, begun) = (now, ContinuousClock.now)
        func pass(until isReached: () -> Bool) async throws {
            while !isReached(), now - start < .seconds(30) {
                now = start + (ContinuousClock.now - begun)
                DataChannelTransport.tick(at: now)
                for (end, other) in [(bridge, recorder), (recorder, bridge)] {
                    end.core.handleTimeout(at: now)
                    end.core.settleChannels(at: now)
                    end.drain(to: other, at: now)
                }
                try await Task.sleep(for: .milliseconds(1))
            }
            #expect(isReached())
        }
        // Both believe that they control: one of them gives way.
        try await pass { bridge.state == .connected && recorder.state == .connected }
        let opened = "\(BridgeChannel.label) \(BridgeChannel.protocol)"
        try await pass { recorder.channels.contains(opened) && bridge.channels.contains(opened) }
        recorder.core.send(BridgeRequest.hello.text, on: BridgeChannel.label, at: now)
        try await pass { bridge.texts == [BridgeRequest.hello.text] }

        for (mid, count) in [(video, 3), (audio, 2)] {
            for number in 0..<count {
                bridge.core.send(
                    RTPPacket(
                        payloadType: PayloadType(0),
                        sequenceNumber: SequenceNumber(extended: Int64(number)),
                        timestamp: 0, ssrc: SSRC(0), payload: [1, 2, 3]), mid: mid, at: now)
            }
        }
        try await pass { recorder.media.count == 5 }
        let tracks = Dictionary(
            uniqueKeysWithValues: recorder.core.incomingTracks.map { ($0.mid, $0.trackID) })
        let names = recorder.media.map { tracks[$0.mid] }
        #expect(names.count { $0 == "ann-v0" } == 3 && names.count { $0 == "ann-a0" } == 2)
    }
}
