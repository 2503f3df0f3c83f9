import Hummingbird
import MediaKernel
import Streams

/// The recording of a room without its stream, for the built-in pages, `/api/rooms/<id>/recording`: peers
/// whose role may record begin and end it by their room's protocol, and pause it here.
struct RoomRecordingAPI: Sendable {
    let control: any LiveStreamControl
    let peers: RoomPeerGuard

    func add(to router: Router<some RequestContext>) {
        for (action, isPaused) in [("pause", true), ("resume", false)] {
            router.post("/api/rooms/:room/recording/\(action)") { request, context in
                try await setPaused(
                    request, room: context.parameters.get("room"), isPaused: isPaused)
            }
        }
    }

    private struct Body: Encodable {
        var isPaused: Bool

        enum CodingKeys: String, CodingKey { case isPaused = "recording_paused" }
    }

    private func setPaused(
        _ request: Request, room: String?, isPaused: Bool
    ) async throws -> Response {
        let room = try RoomID(parameter: room)
        try await peers.checkMayRecord(request, in: room)
        try await NoBody.check(request)
        guard let recording = try await control.current(room: room, kind: .recording),
            recording.status.isOnAir
        else { throw APIError.notFound("the room is not being recorded", "room \(room)") }
        let changed = try await control.setRecording(stream: recording.id, isPaused: isPaused)
        return JSON.response(Body(isPaused: changed.recordingPause == .paused))
    }
}
