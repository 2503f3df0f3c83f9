import MediaKernel

/// Decides what a `meeting_url` names. For now only the pages of our own rooms can be streamed,
/// and they mean the default view; a headless browser for foreign pages does not exist here.
enum MeetingURL {
    enum Judgement: Hashable {
        case defaultView
        case refused(String)
    }

    /// - Parameter authorities: `host[:port]` under which this server's pages are known.
    static func judge(_ text: String, room: RoomID, authorities: Set<String>) -> Judgement {
        guard text.utf8.count <= Limits.meetingURLBytes else {
            return .refused("meeting_url is longer than \(Limits.meetingURLBytes) bytes")
        }
        guard let rest = droppingScheme(text) else {
            return .refused("meeting_url is not an http or https URL")
        }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        let authority = rest[..<end].lowercased()
        let path = rest[end...].prefix { $0 != "?" && $0 != "#" }
        guard authorities.contains(where: { $0.lowercased() == authority }) else {
            return .refused(
                "meeting_url must name a page of this server, e.g. /rooms/\(room); "
                    + "other pages cannot be streamed")
        }
        let parts = path.split(separator: "/")
        guard parts.count == 2, parts[0] == "rooms", Limits.isRoomID(parts[1]) else {
            return .refused("meeting_url must be the room's page, /rooms/\(room)")
        }
        guard parts[1] == room.rawValue else {
            return .refused("meeting_url names room \(parts[1]), but the stream is of \(room)")
        }
        return .defaultView
    }

    private static func droppingScheme(_ text: String) -> Substring? {
        for scheme in ["https://", "http://"] where text.lowercased().hasPrefix(scheme) {
            return text.dropFirst(scheme.count)
        }
        return nil
    }
}
