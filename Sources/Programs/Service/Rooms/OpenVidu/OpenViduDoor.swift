import Digests
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
