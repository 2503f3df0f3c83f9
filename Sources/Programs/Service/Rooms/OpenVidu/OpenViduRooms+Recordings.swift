import ControlAPI
import MediaKernel
import OpenVidu
import Streams

/// OpenVidu's REST API of recordings.
extension OpenViduRooms: OpenViduRecordingControl {
    func startRecording(
        of room: RoomID, _ body: OpenViduBody, for caller: OpenViduCallerView
    ) async throws(APIError) -> JSONValue {
        let session = try known(room)
        guard session.terms.mediaMode == "ROUTED" else {
            throw .conflict("the session is not routed")
        }
        let standard = try OpenViduRecordingProperties(OpenViduBody(session.terms.recordings))
        let properties = try OpenViduRecordingProperties(body, completedBy: standard)
        let stream = try await recordings.start(
            room, properties, authorities: caller.authorities)
        guard stream.status != .failed else {
            throw .unavailable(
                "Error starting recording: \(stream.end?.description ?? "it failed")")
        }
        return OpenViduRecordingBody(stream, []).json(base: caller.base)
    }

    func stopRecording(
        _ id: String, for caller: OpenViduCallerView
    ) async throws(APIError) -> JSONValue {
        let stream = try await recordings.stop(id)
        // What is asked next shall not find the session recorded.
        await directory.told(stream.room)
        return OpenViduRecordingBody(stream, []).json(base: caller.base)
    }

    func recordings(for caller: OpenViduCallerView) async throws(APIError) -> [JSONValue] {
        try await recordings.all().map { OpenViduRecordingBody($0, $1).json(base: caller.base) }
    }

    func recording(
        _ id: String, for caller: OpenViduCallerView
    ) async throws(APIError) -> JSONValue {
        let (stream, assets) = try await recordings.recording(id)
        return OpenViduRecordingBody(stream, assets).json(base: caller.base)
    }

    func deleteRecording(_ id: String) async throws(APIError) {
        try await recordings.delete(id)
    }

    func recordingFile(
        _ name: String, of id: String
    ) async throws(APIError) -> RecordingFile? {
        let (stream, assets) = try await recordings.recording(id)
        guard let file = OpenViduRecordingBody.file(of: stream, assets) else { return nil }
        let body = OpenViduRecordingBody(stream, assets)
        if name == body.fileName { return RecordingFile(file) }
        return name == body.thumbnailName ? RecordingFile(firstPictureOf: file) : nil
    }

    var opensFiles: Bool { settings.opensRecordings }

    func configuration(for caller: OpenViduCallerView) -> JSONValue {
        OpenViduConfiguration(settings).json(base: caller.base)
    }
}
