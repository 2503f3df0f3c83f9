public import MediaKernel

/// OpenVidu's REST API of sessions, connections, streams and signals. `Service` implements it.
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
    /// What is nil stays.
    func changeConnection(
        _ id: String, in room: RoomID, role: String?, isRecorded: Bool?
    ) async throws(APIError) -> JSONValue
    /// - Throws: ``APIError`` with 405 for a stream of a client that cannot be told to end it.
    func unpublish(_ stream: String, in room: RoomID) async throws(APIError)
    /// - Throws: ``APIError`` with 406 if nobody, or no such addressee, is there.
    func signal(_ signal: OpenViduSignal, in room: RoomID) async throws(APIError)
}

/// The properties of a new session that are kept.
public struct OpenViduSessionTerms: Hashable, Sendable {
    public var mediaMode: String?
    public var recordingMode: String?
    public var forcedVideoCodec: String?
    public var allowsTranscoding: Bool?
    /// What its recordings are like unless a request differs.
    public var recordings: OpenViduRecordingProperties
}

/// A signal of an application server.
public struct OpenViduSignal: Hashable, Sendable {
    /// Connections; none for everybody.
    public var targets: [String]
    public var type: String
    public var data: String
}

/// A connection that an application server prepares.
public struct OpenViduConnectionRequest: Hashable, Sendable {
    /// `SUBSCRIBER`, `PUBLISHER` or `MODERATOR`.
    public var role: String
    public var data: String
    public var isRecorded: Bool
    /// An object, or null.
    public var kurentoOptions: JSONValue
    /// Objects.
    public var customIceServers: [JSONValue]
}
