public import MediaKernel

/// OpenVidu's REST API of recordings. `Service` implements it.
///
/// All errors are those of the API; its routes render them as OpenVidu does.
public protocol OpenViduRecordingControl: Sendable {
    /// Answers when the recording goes on.
    ///
    /// - Parameters:
    ///   - body: OpenVidu's fields; the session's defaults complete it.
    ///   - caller: how the caller names this server.
    /// - Throws: ``APIError`` with 404 for an unknown session, 406 for one without participants, 409
    ///   for one that is recorded, 422 for what no recording can be like.
    func startRecording(
        of room: RoomID, _ body: OpenViduBody, for caller: OpenViduCallerView
    ) async throws(APIError) -> JSONValue
    /// - Throws: ``APIError`` with 404 for one that does not go on, 406 for one that begins.
    func stopRecording(
        _ id: String, for caller: OpenViduCallerView
    ) async throws(APIError) -> JSONValue
    func recordings(for caller: OpenViduCallerView) async throws(APIError) -> [JSONValue]
    func recording(
        _ id: String, for caller: OpenViduCallerView
    ) async throws(APIError) -> JSONValue
    /// - Throws: ``APIError`` with 409 for one that is not ready.
    func deleteRecording(_ id: String) async throws(APIError)
    /// The file of a recording by its name there; nil if there is none.
    func recordingFile(
        _ name: String, of id: String
    ) async throws(APIError) -> RecordingFile?
    /// Whether anybody may download files.
    var opensFiles: Bool { get }
    /// What the server says of its configuration.
    func configuration(for caller: OpenViduCallerView) -> JSONValue
}

/// How a caller names this server.
public struct OpenViduCallerView: Hashable, Sendable {
    /// The base of addresses, such as `https://live.example.org`.
    public var base: String
    /// `host[:port]` by which a page's address means this server.
    public var authorities: Set<String>
}
