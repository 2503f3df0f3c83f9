import SDP
import XML
import XMPP

@testable import Jitsi

extension FuzzTarget {
    /// A stanza of a Jitsi conference, of any kind.
    func join(_ bytes: [UInt8]) throws {
        let stanza = try XMLStreamReader.element(String(decoding: bytes, as: UTF8.self))
        if let presence = RoomPresence(stanza) {
            _ = (Member(presence, stanza).isEncrypted, FocusPresence(stanza))
        }
        _ = JID("r@m").flatMap { RoomText(stanza, of: $0)?.message }
        _ = JID("r@m").flatMap { RoomInvitation(stanza, to: $0) }
        _ = RoomInvitation.lobby(stanza)
        _ = try? ConferenceAnswer(stanza)
        _ = try? RecordingOrder(stanza)
        _ = try? ModerationOrder(stanza)
        // What a member of a room of ours sends.
        _ = (try? JingleRequest(stanza, from: "a"))?.sources.flatMap(\.ssrcs)
        let message = try JingleMessage(stanza)
        var book = SourceBook()
        _ = book.add(message.sources)
        var plan = try SectionPlan(message.contents)
        let sections = plan.offer(book.sources).media.count
        precondition(sections <= SDPLimits.sectionsMaximum, "too many sections")
        for transport in message.contents.compactMap(\.transport) { _ = plan.take(transport) }
        _ = try plan.moved(to: message.contents)
        book.remove(message.sources)
        precondition(plan.offer(book.sources).media.count == sections, "sections vanish")
    }

    /// A message of a bridge, or for one, or a list of sources.
    func hear(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        var listing = SourceListing()
        try? listing.read(json: text)
        _ = listing.resolved()
        _ = try? ConferenceAnswer(json: text)
        _ = try? ConferenceOrder(json: text)
        if case .constraints(let wishes)? = try? EndpointMessage(text) {
            let camera = SourceName(owner: "a", isVideo: true, number: 0)
            _ = wishes.layers(of: [ConferenceSource(name: camera, ssrc: 1)], speakers: ["a"])
        }
        _ = try BridgeMessage(text)
    }
}
