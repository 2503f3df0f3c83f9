import HTTPTypes
import Hummingbird
import HummingbirdCore
import MediaKernel

/// The parameters that the query of a management route may have. Otherwise a misspelt filter would
/// have no effect without notice.
struct QueryFields: Sendable {
    private static let faultsMaximum = 10
    private static let page = ["start", "limit"]
    private static let times = ["after", "before"]
    private static let streams = ["room_id", "session_id", "status"] + page

    /// Those that have an effect.
    let names: [String]
    private let passed: [String]

    /// - Parameters:
    ///   - passed: parameters that 100ms' documents have and the server ignores.
    private init(_ names: [String], passed: [String] = []) {
        self.names = names
        self.passed = passed
    }

    /// By the path of the route. A path that is missing here takes none.
    private static let ofPaths: [String: QueryFields] = [
        "/v2/active-rooms/{room}/peers": .init(["user_id", "role"]),
        "/v2/analytics/events": .init(
            ["room_id", "type", "session_id", "peer_id", "user_id", "beam_id", "error"] + page),
        "/v2/analytics/webhooks": .init(
            ["room_id", "stream_id", "status"] + page,
            passed: ["start_time", "end_time", "event_names", "page"]),
        "/v2/external-streams": .init(streams),
        "/v2/group-calls": .init([
            "room_ids", "types", "state", "created_by", "created_at_from", "created_at_to",
            "participants_from", "participants_to", "limit", "token",
        ]),
        "/v2/group-calls/{room}/recordings": .init(["after", "limit"]),
        "/v2/live-streams": .init(streams),
        "/v2/recording-assets": .init(streams + ["job_id"]),
        "/v2/recording-assets/{asset}/presigned-url": .init(["presign_duration"]),
        "/v2/recordings": .init(streams),
        "/v2/room-codes/room/{room}": .init(["role", "enabled"] + page),
        "/v2/rooms": .init(["name", "enabled", "template_id"] + times + page),
        "/v2/sessions": .init(["room_id", "active"] + times + page),
        "/v2/templates": .init(page),
        "/api/recordings": .init(streams + ["job_id", "search"] + times),
        "/api/recordings/{recording}/link": .init(["seconds"]),
        "/admin/api/log": .init(["after", "level", "text", "stream", "limit"]),
    ]

    static var paths: [String] { ofPaths.keys.sorted() }

    /// Those of a route. Only lists and links have any.
    static func of(_ path: String, _ method: HTTPRequest.Method) -> QueryFields {
        let isRead = method == .get || method == .head
        return isRead ? ofPaths[path] ?? QueryFields([]) : QueryFields([])
    }

    /// The problems with the names in a query.
    func faults(in query: FlatDictionary<Substring, Substring>) -> [String] {
        let known = Set(names + passed)
        let nearest = NearestNames(known.sorted())
        return query.lazy.map { String($0.key) }.filter { !$0.isEmpty && !known.contains($0) }
            .prefix(Self.faultsMaximum).map { UnknownName.words(for: $0, among: nearest) }
    }
}
