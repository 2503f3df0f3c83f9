import MediaKernel
import Streams

/// Checks a `meeting_url`. It names a source, or a page of this server's own rooms, which means the
/// default view; there is no headless browser for other pages.
enum MeetingURL {
    enum Judgement: Hashable {
        case defaultView
        case source
        case refused(String)
    }

    /// - Parameter authorities: `host[:port]` of this server's pages.
    static func judge(_ text: String, room: RoomID, authorities: Set<String>) -> Judgement {
        guard text.utf8.count <= Limits.meetingURLBytes else {
            return .refused("meeting_url is longer than \(Limits.meetingURLBytes) bytes")
        }
        if StreamSource.isMeant(by: text) {
            return StreamSource(meetingURL: text) == nil
                ? .refused(
                    "a source is like whep:https://example.org/live/1 "
                        + "or whep:https://token@example.org/live/1") : .source
        }
        guard let url = HTTPURL(text) else {
            return .refused("meeting_url is not an http or https URL")
        }
        let authority = url.authority.lowercased()
        guard authorities.contains(where: { $0.lowercased() == authority }) else {
            return .refused(
                "meeting_url must name a page of this server, e.g. /rooms/\(room); "
                    + "other pages cannot be streamed")
        }
        let parts = url.path.split(separator: "/")
        guard parts.count == 2, parts[0] == "rooms", RoomID.isValid(parts[1]) else {
            return .refused("meeting_url must be the room's page, /rooms/\(room)")
        }
        guard parts[1] == room.rawValue else {
            return .refused("meeting_url names room \(parts[1]), but the stream is of \(room)")
        }
        return .defaultView
    }
}
