import Foundation
import HLS
import HOCON
import ICE
import MediaKernel
import RTP
import Recording
import SDP
import XML
import XMPP

/// A parser of untrusted bytes. libFuzzer ends the process if one traps, is slow or grows.
enum FuzzTarget: String {
    case rtp, rtcp, depacketizers, stun, candidate, sdp, playlist, json, hocon, xml, xmpp, jitsi,
        bridge, openvidu
    case segment, fragment
    case segmentRecord = "segment-record"

    func take(_ bytes: [UInt8]) throws {
        switch self {
        case .rtp: try parseRTP(bytes)
        case .rtcp:
            let packets = try RTCPPacket.parseCompound(bytes)
            _ = try RTCPPacket.parseCompound(RTCPPacket.serialize(packets))
        case .depacketizers: try assemble(bytes)
        case .stun: _ = try STUNMessage(parsing: bytes)
        case .candidate: _ = try ICECandidate(parsing: text(bytes))
        case .sdp: try parseSDP(text(bytes))
        case .playlist: try parsePlaylist(bytes)
        case .json:
            _ = try JSONDocument.decode(JSONValue.self, from: bytes)
            _ = try JSONEncoder().encode(JSONDocument.decode(OpaqueJSON.self, from: bytes))
        case .hocon:
            _ = try HOCONDocument(text(bytes), source: "", environment: ["HOME": "/root"]) {
                $0.name == "a" ? HOCONText("b = ${c}, d += 1", source: "a") : nil
            }
        case .xml: try parseXML(bytes)
        case .xmpp: serve(bytes)
        case .jitsi: try join(bytes)
        case .bridge: try hear(bytes)
        case .openvidu: talk(bytes)
        case .segment:
            let clock = SegmentClock(frameRate: 30, origin: 90_000, firstFrame: 60)
            _ = try SegmentSamples(parsing: bytes, clock: clock)
        case .fragment:
            let clock = SegmentClock(frameRate: 30, origin: 90_000, firstFrame: 60)
            _ = try SegmentSamples(
                fragments: bytes, clock: clock, parameterSets: nil,
                format: SoundFormat(sampleRate: 48_000, channels: 2))
        case .segmentRecord: _ = SegmentRecord(line: text(bytes))
        }
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private func parseRTP(_ bytes: [UInt8]) throws {
        let packet = try RTPPacket(parsing: bytes)
        _ = try RTPPacket(parsing: packet.serialized())
        for codec in MediaCodec.allCases where codec != .opus {
            var receiver = VideoReceiver(codec: codec)
            receiver.handle(packet, at: .zero)
            while receiver.poll() != nil {}
        }
    }

    /// The bytes are payloads, each preceded by its length in two bytes.
    private func assemble(_ bytes: [UInt8]) throws {
        var payloads: [ArraySlice<UInt8>] = []
        var rest = bytes.dropFirst()
        while rest.count > 2, payloads.count < 64 {
            let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
            let payload = rest.dropFirst(2).prefix(max(1, length))
            payloads.append(payload)
            rest = rest.dropFirst(2 + payload.count)
        }
        guard !payloads.isEmpty, let first = bytes.first else { return }
        let codecs = MediaCodec.allCases
        var depacketizer = codecs[Int(first) % codecs.count].makeDepacketizer()
        _ = depacketizer.beginsFrame(payloads[0])
        _ = try depacketizer.assemble(payloads)
    }

    private func parseSDP(_ text: String) throws {
        let description = try SessionDescription.parse(text)
        let rendered = description.rendered()
        let again = try SessionDescription.parse(rendered).rendered()
        precondition(again == rendered, "what is rendered reads as something else")
    }

    private func parsePlaylist(_ bytes: [UInt8]) throws {
        _ = PlaylistOutline(bytes)
        _ = try? MasterPlaylist(parsing: text(bytes))
        _ = try MediaPlaylist(parsing: text(bytes))
    }

    private func parseXML(_ bytes: [UInt8]) throws {
        let whole = events(of: [bytes[...]])
        precondition(whole == events(of: bytes.indices.map { bytes[$0...$0] }), "cut differently")
        for case .stanza(let element) in whole {
            // What is written may be longer than what may be read.
            guard let again = try? XMLStreamReader.element(element.xml()) else { continue }
            precondition(again == element, "what is written reads as something else")
        }
    }

    /// Until the first error.
    private func events(of pieces: [ArraySlice<UInt8>]) -> [XMLStreamReader.Event] {
        var reader = XMLStreamReader()
        var events: [XMLStreamReader.Event] = []
        for piece in pieces {
            reader.append(piece)
            do { while let event = try reader.event() { events.append(event) } } catch { break }
        }
        return events
    }

    /// The bytes are a server's, cut at each zero; where TLS begins, it succeeds.
    private func serve(_ bytes: [UInt8]) {
        var settings = ClientSettings(
            domain: "d", credentials: .account(user: "u", password: "p"),
            capabilities: Capabilities(
                node: "n", identity: .init(category: "client", type: "bot", name: "N"),
                features: []))
        settings.answered = ["urn:ours"]
        var session = ClientSession(settings)
        var now = Instant.zero
        for connection in bytes.split(separator: 0xFF) {
            session.connecting(at: now)
            session.connected(
                by: .tcp, isLocal: true, isEncrypted: false, nonce: "nonce", at: now)
            for piece in connection.split(separator: 0) {
                now += .milliseconds(500)
                session.received(piece, at: now)
                var isSecuring = false
                while let order = session.poll() {
                    if order == .startTLS { isSecuring = true }
                    guard case .event(.online) = order, let room = JID("r@m") else { continue }
                    try? session.enter(room, nick: "n", at: now)
                }
                if isSecuring { session.secured(at: now) }
                session.handleTimeout(at: now)
            }
            session.disconnected(.lost("cut"))
            while session.poll() != nil {}
        }
    }
}
