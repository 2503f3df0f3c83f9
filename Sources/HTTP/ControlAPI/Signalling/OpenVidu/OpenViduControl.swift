public import MediaKernel

/// OpenVidu's REST API of sessions and connections. `Service` implements it.
///
/// All errors are those of the API; its route renders them as OpenVidu does.
public protocol OpenViduControl: Sendable {
    /// - Parameter customID: nil to make an id.
    /// - Throws: ``APIError`` with 409 if there is such a session.
    func openSession(
        _ customID: RoomID?, _ terms: OpenViduSessionTerms
    ) async throws(APIError) -> JSONValue
    func sessions() async -> [JSONValue]
    /// - Throws: ``APIError`` with 404 for an unknown session, as all of these.
    func session(_ room: RoomID) async throws(APIError) -> JSONValue
    func closeSession(_ room: RoomID) async throws(APIError)
    /// - Parameter origin: of the addresses that are tokens, such as `wss://host:443`.
    func openConnection(
        in room: RoomID, _ request: OpenViduConnectionRequest, origin: String
    ) async throws(APIError) -> JSONValue
    func connections(in room: RoomID) async throws(APIError) -> [JSONValue]
    func connection(_ id: String, in room: RoomID) async throws(APIError) -> JSONValue
    func closeConnection(_ id: String, in room: RoomID) async throws(APIError)
}

/// The properties of a new session that are kept.
public struct OpenViduSessionTerms: Hashable, Sendable {
    public var mediaMode: String?
    public var recordingMode: String?
    public var forcedVideoCodec: String?
    public var allowsTranscoding: Bool?
}

/// A connection that an application server prepares.
public struct OpenViduConnectionRequest: Hashable, Sendable {
    /// `SUBSCRIBER`, `PUBLISHER` or `MODERATOR`.
    public var role: String
    public var data: String
    public var isRecorded: Bool
}
