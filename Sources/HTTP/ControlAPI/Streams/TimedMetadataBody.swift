public import Streams

extension TimedMetadataRequest {
    /// - Parameter place: a prefix for the names of fields in errors.
    public init(
        checking payload: String, seconds: Int, in place: String = ""
    ) throws(APIError) {
        guard (1...Limits.timedMetadataCharacters).contains(payload.unicodeScalars.count) else {
            throw Self.refusal(
                "\(place)payload must have 1 to \(Limits.timedMetadataCharacters) characters")
        }
        guard (1...Limits.timedMetadataSeconds).contains(seconds) else {
            throw Self.refusal(
                "\(place)duration must be from 1 to \(Limits.timedMetadataSeconds) seconds")
        }
        self.init(payload: payload, seconds: seconds)
    }

    static func refusal(_ reason: String) -> APIError {
        .badRequest("timed metadata is not valid", reason)
    }
}

/// The body of `timed-metadata`; both fields are required.
struct TimedMetadataBody: RequestBody {
    static let fields = BodyFields(CodingKeys.self)

    var payload: String
    var duration: Int

    enum CodingKeys: String, CodingKey, CaseIterable { case payload, duration }

    func checked() throws(APIError) -> TimedMetadataRequest {
        try TimedMetadataRequest(checking: payload, seconds: duration)
    }
}
