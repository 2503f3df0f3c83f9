import Streams

extension LiveStreamAudio {
    static let fields = BodyFields(CodingKeys.self)

    /// - Throws: a 400 that names the exceeded limit.
    func checked() throws(APIError) -> LiveStreamAudio {
        guard let roles else { return self }
        guard roles.count <= Limits.audioRoles,
            roles.allSatisfy({ !$0.isEmpty && $0.utf8.count <= Limits.roleBytes })
        else {
            throw .badRequest(
                "audio is not valid",
                "roles are at most \(Limits.audioRoles) names of 1 to \(Limits.roleBytes) bytes")
        }
        return self
    }
}
