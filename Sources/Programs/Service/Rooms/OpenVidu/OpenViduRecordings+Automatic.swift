import ControlAPI
import HTTPTypes
import Logging
import MediaKernel
import OpenVidu
import Streams

/// Sessions that are always recorded.
extension OpenViduRecordings: RoomWatcher {
    /// Starts the recordings of sessions that are always recorded.
    func seen(_ room: RoomID, _ occupancy: RoomOccupancy) async {
        guard let session = door.change({ $0.session(room) }),
            session.terms.recordingMode == "ALWAYS", session.terms.mediaMode == "ROUTED"
        else {
            return starters.forget(room)
        }
        guard starters.starts(room, on: .publishers(1), occupancy) else { return }
        // The room does not wait for it.
        Task { await startByItself(room, session) }
    }

    private func startByItself(_ room: RoomID, _ session: OpenViduBook.Session) async {
        do throws(APIError) {
            let properties = try OpenViduRecordingProperties(
                OpenViduBody(session.terms.recordings))
            _ = try await start(room, properties, authorities: [])
        } catch {
            guard error.status != .conflict else {
                // It is already running. Unless it is stopped by hand, the next one follows it.
                return starters.postponed(room)
            }
            guard starters.refused(room) else { return }
            logger.warning(
                "a session's recording cannot start by itself",
                metadata: ["room": "\(room)", "reason": "\(error.message)"])
        }
    }

    func recordingChanged(_ recording: LiveStream) async { follow(recording) }
}
