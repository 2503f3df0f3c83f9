import Catalogue
import HTTPTypes
import MediaKernel
import Streams

/// Refusals that more than one place, or a test, must tell from others.
extension APIError {
    /// - Parameter faults: each unknown parameter, with the nearest known one.
    static func malformedQuery(_ faults: [String]) -> APIError {
        APIError(.badRequest, "malformed query", details: faults)
    }

    /// An upload is none of the kinds of files that can be shown.
    static func noPicture() -> APIError {
        APIError(
            .unsupportedMediaType, "the file is no picture",
            details: ["PNG, JPEG, WebP and GIF can be shown"],
            headers: [.accept: "image/png, image/jpeg, image/webp, image/gif"])
    }

    static func tooManyRoomCodes() -> APIError {
        .conflict(
            "too many room codes",
            "at most \(RoomCode.perRoomMaximum) of a room may be enabled; disable some first")
    }

    static func roomCodeDisabled() -> APIError { .forbidden("room code is disabled") }

    /// The policy has no role of the room code's name any more.
    static func roleGone(_ role: String) -> APIError {
        .forbidden("role does not exist", "role '\(role)'")
    }

    /// - Parameter id: nil if it cannot be one.
    static func unknownRecording(_ id: String? = nil) -> APIError {
        APIError(.notFound, "recording not found", details: id.map { ["recording \($0)"] } ?? [])
    }

    /// What belongs to a live stream is stopped with it.
    static func recordingOfStream(_ id: StreamID) -> APIError {
        .conflict(
            "recording ends with its live stream", "stop or pause it at /v2/live-streams/\(id)")
    }

    /// The first request with an `Idempotency-Key` is still being answered.
    static func keyIsAnswered() -> APIError {
        var error = conflict(
            "a request with this Idempotency-Key is being answered", "try again in a moment")
        error.headers[.retryAfter] = "1"
        return error
    }

    /// An `Idempotency-Key` comes again with another body.
    static func keyIsSpent() -> APIError {
        APIError(
            .unprocessableContent, "Idempotency-Key was used for another request",
            details: ["that request had another body; a new request needs a new key"])
    }
}
