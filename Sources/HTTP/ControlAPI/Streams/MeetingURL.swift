import MediaKernel
import Streams

/// Checks a `meeting_url`. It names a source, a page of this server's own rooms, which means the
/// default view, or another page, which a browser shows.
enum MeetingURL {
    enum Judgement: Hashable {
        case defaultView
        case source
        case page
        case refused(String)
    }

    /// - Parameter authorities: `host[:port]` of this server's pages.
    static func judge(_ text: String, room: RoomID, authorities: Set<String>) -> Judgement {
        guard text.utf8.count <= Limits.meetingURLBytes else {
            return .refused("meeting_url is longer than \(Limits.meetingURLBytes) bytes")
        }
        if WHEPSource.isMeant(by: text) {
            return WHEPSource(meetingURL: text) == nil
                ? .refused(
                    "a source is like whep:https://example.org/live/1 "
                        + "or whep:https://token@example.org/live/1") : .source
        }
        if OpenViduSource.isMeant(by: text) {
            guard !OpenViduSource.namesSecret(text) else {
                return .refused(
                    "a session's URL has no user, secret or token: they are in openvidu.servers")
            }
            return OpenViduSource(meetingURL: text) == nil
                ? .refused(
                    "a session is like openvidu:wss://example.org/openvidu?sessionId=ses_1")
                : .source
        }
        if JitsiSource.isMeant(by: text) {
            return JitsiSource(meetingURL: text) == nil
                ? .refused(
                    "a conference is like jitsi:https://meet.example.org/Room, without a user, a "
                        + "query and a fragment") : .source
        }
        guard let url = HTTPURL(text) else {
            return .refused("meeting_url is not an http or https URL")
        }
        let authority = url.authority.lowercased()
        guard authorities.contains(where: { $0.lowercased() == authority }) else {
            return WebAddress(text) == nil
                ? .refused(
                    "a page's URL has a host name or an IPv4 address, no user, and only ASCII "
                        + "characters") : .page
        }
        let parts = url.path.split(separator: "/")
        guard parts.count == 2, parts[0] == "rooms", RoomID.isValid(parts[1]) else {
            return .refused("meeting_url must be the room's page, /rooms/\(room)")
        }
        guard parts[1] == room.rawValue else {
            return .refused("meeting_url names room \(parts[1]), but the stream is of \(room)")
        }
        return isView(url) ? .page : .defaultView
    }

    /// Whether the room's page is to be shown by a browser, without its controls.
    private static func isView(_ url: HTTPURL) -> Bool {
        let query = url.target.prefix { $0 != "#" }.drop { $0 != "?" }.dropFirst()
        return query.split(separator: "&").contains { $0.hasPrefix("view=") && $0.count > 5 }
    }
}
