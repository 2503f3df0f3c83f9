import Digests
import MediaKernel
import OpenVidu
import Synchronization

/// Who may join by OpenVidu's own tokens and secret.
final class OpenViduDoor: Sendable {
    /// Nil if there is no REST API, and no token of it.
    private let secret: String?
    private let book = Mutex(OpenViduBook())

    init(secret: String?) { self.secret = secret }

    var hasSecret: Bool { secret != nil }

    /// Compares hashes, so that the time says nothing about the secret.
    func isSecret(_ text: String) -> Bool {
        guard let secret else { return false }
        return Digest.sha256.hash(Array(text.utf8)) == Digest.sha256.hash(Array(secret.utf8))
    }

    /// What happens in a room may be the end of its session.
    func noticed(_ detail: CallDetail) {
        switch detail.event {
        case .sessionCreated:
            change { $0.filled(detail.room) }
        case .sessionDestroyed:
            guard case .integer(let start)? = detail.members["startTime"] else { break }
            change { $0.emptied(detail.room, since: UnixTime(milliseconds: start)) }
        case .participantJoined, .participantLeft, .webrtcConnectionCreated,
            .webrtcConnectionDestroyed, .recordingStatusChanged, .signalSent:
            break
        }
    }

    func change<Result: Sendable, Failure: Error>(
        _ body: (inout OpenViduBook) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let result = book.withLock { book -> Swift.Result<Result, Failure> in
            do throws(Failure) {
                return .success(try body(&book))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
