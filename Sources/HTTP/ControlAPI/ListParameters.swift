import Catalogue
import HLS
import Hummingbird
import HummingbirdCore
import MediaKernel
import Streams

/// The query parameters of all lists: filters, and the page, which is `start` and `limit`.
struct ListParameters {
    private let uri: URI
    private let values: FlatDictionary<Substring, Substring>

    init(_ request: Request) {
        uri = request.uri
        let query = (uri.query ?? "").replacing("+", with: "%20")
        values = URI("/?\(query)").queryParameters
    }

    /// A `+` is a space, as in forms, `URLSearchParams` and most libraries.
    subscript(name: Substring) -> Substring? { values[name] }

    /// All values of a repeated parameter.
    func all(_ name: Substring) -> [String] { values[values: name].map(String.init) }

    /// The id of a room, a session or a stream.
    func identifier(_ name: Substring) throws(APIError) -> String? {
        try text(name, Limits.isIdentifier)
    }

    /// The id of any listed record.
    func recordID(_ name: Substring) throws(APIError) -> String? {
        try text(name, Limits.isRecordID)
    }

    /// The `last` of the previous page; empty for the first page.
    func start() throws(APIError) -> String? {
        self["start"]?.isEmpty == true ? nil : try recordID("start")
    }

    func limit() throws(APIError) -> Int? {
        guard let text = self["limit"] else { return nil }
        let range = PageLimit.range
        guard let limit = Int(text), range.contains(limit) else {
            throw .badRequest("limit is not valid", "\(range.lowerBound) to \(range.upperBound)")
        }
        return limit
    }

    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: Substring
    ) throws(APIError) -> Choice? {
        guard let text = self[name] else { return nil }
        return try .choice(String(text), of: String(name))
    }

    /// A number from 0 on.
    func count(_ name: Substring) throws(APIError) -> Int? {
        guard let text = self[name] else { return nil }
        guard let count = Int(text), count >= 0 else {
            throw .badRequest("\(name) is not valid", "a number from 0 on")
        }
        return count
    }

    func flag(_ name: Substring) throws(APIError) -> Bool? {
        guard let text = self[name] else { return nil }
        switch text {
        case "true": return true
        case "false": return false
        default: throw .badRequest("\(name) is not valid", "true or false")
        }
    }

    /// A point in time, in the format of all answers. A `+` is literal, as in `+02:00`.
    func time(_ name: Substring) throws(APIError) -> UnixTime? {
        guard let text = uri.queryParameters[name] else { return nil }
        guard let nanoseconds = DateText.parsed(text) else {
            throw .badRequest(
                "\(name) is not valid", "a time like 2026-11-21T01:09:07.120Z, of 1970 to 2199")
        }
        return UnixTime(nanoseconds: nanoseconds)
    }

    func text(
        _ name: Substring, _ isValid: (Substring) -> Bool
    ) throws(APIError) -> String? {
        guard let text = self[name] else { return nil }
        guard isValid(text) else { throw .badRequest("\(name) is not valid") }
        return String(text)
    }
}

extension CatalogueQuery where Status: RawRepresentable<String> & CaseIterable {
    /// The filters and the page of a list: `room_id`, `session_id`, `job_id`, `status`, `start`,
    /// `limit`.
    init(_ request: Request) throws(APIError) {
        let parameters = ListParameters(request)
        self.init(
            room: try parameters.identifier("room_id").map { RoomID($0) },
            session: try parameters.identifier("session_id").map { SessionID($0) },
            stream: try parameters.identifier("job_id").map { StreamID($0) },
            status: try parameters.choice("status"), start: try parameters.start())
        limit = try parameters.limit() ?? limit
    }
}

extension LiveStreamQuery {
    /// The filters and the page of a list: `room_id`, `session_id`, `status`, `start`, `limit`.
    init(_ subject: Subject, _ request: Request) throws(APIError) {
        let parameters = ListParameters(request)
        var room: RoomID?
        if let text = parameters["room_id"] { room = try RoomID(parameter: text) }
        self.init(
            subject, room: room,
            session: try parameters.identifier("session_id").map { SessionID($0) },
            status: try parameters.choice("status"),
            start: try parameters.start().map { StreamID($0) })
        limit = try parameters.limit() ?? limit
    }
}

extension RawRepresentable<String> where Self: CaseIterable {
    /// The choice that a caller names in a field.
    ///
    /// - Throws: a 400 that lists all choices.
    static func choice(_ text: String, of field: String) throws(APIError) -> Self {
        guard let choice = Self(rawValue: text) else {
            let known = allCases.map(\.rawValue).joined(separator: ", ")
            throw .badRequest("\(field) is not valid", "one of \(known)")
        }
        return choice
    }
}
