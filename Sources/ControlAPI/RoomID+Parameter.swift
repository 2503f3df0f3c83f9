import Hummingbird
import MediaKernel

extension RoomID {
    /// A room's id as a part of a path.
    init(parameter text: String?) throws(APIError) {
        guard let text, Limits.isRoomID(text) else {
            throw .badRequest("room_id is not valid", "1 to 64 of A-Z, a-z, 0-9, - and _")
        }
        self.init(text)
    }
}

extension LiveStreamQuery {
    /// The filters and the page of a list.
    init(_ subject: Subject, _ request: Request) throws(APIError) {
        let parameters = request.uri.queryParameters
        self.init(subject)
        if let room = parameters["room_id"] { self.room = try RoomID(parameter: String(room)) }
        if let session = parameters["session_id"] {
            guard Limits.isIdentifier(session) else { throw .badRequest("session_id is not valid") }
            self.session = SessionID(String(session))
        }
        if let text = parameters["status"] {
            guard let status = LiveStream.Status(rawValue: String(text)) else {
                let known = LiveStream.Status.allCases.map(\.rawValue).joined(separator: ", ")
                throw .badRequest("status is not valid", "one of \(known)")
            }
            self.status = status
        }
        if let start = parameters["start"], !start.isEmpty {
            guard Limits.isIdentifier(start) else { throw .badRequest("start is not valid") }
            self.start = StreamID(String(start))
        }
        if let text = parameters["limit"] {
            guard let limit = Int(text), Self.limits.contains(limit) else {
                throw .badRequest(
                    "limit is not valid",
                    "\(Self.limits.lowerBound) to \(Self.limits.upperBound)")
            }
            self.limit = limit
        }
    }
}
