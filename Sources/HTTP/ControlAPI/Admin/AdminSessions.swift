import Digests
import MediaKernel
import Synchronization
import Tokens

/// Who is logged in at the operator's page. An id is 256 random bits; only its hash is kept, so that
/// no look at the memory gives a session away.
final class AdminSessions: Sendable {
    /// A session ends when its page has asked nothing for so long, and after its lifetime in any case.
    static let idleMaximum: Duration = .seconds(30 * 60)
    static let lifetime: Duration = .seconds(12 * 3600)
    /// With one more, the one that has been idle longest ends.
    static let countMaximum = 32

    private struct Session {
        /// With which it was opened: another one ends it.
        let password: PasswordHash
        let opened: Instant
        var used: Instant

        func isOver(at now: Instant) -> Bool {
            now - used >= AdminSessions.idleMaximum || now - opened >= AdminSessions.lifetime
        }
    }

    private let sessions = Mutex<[[UInt8]: Session]>([:])

    var count: Int { sessions.withLock { $0.count } }

    /// - Returns: the id; nil while the process ends.
    func open(with password: PasswordHash, at now: Instant) -> String? {
        guard let bytes = SecretBytes.random(32) else { return nil }
        let id = Base64URL.text(bytes)
        guard let key = Self.key(id) else { return nil }
        sessions.withLock { sessions in
            sessions = sessions.filter {
                !$0.value.isOver(at: now) && $0.value.password == password
            }
            if sessions.count >= Self.countMaximum,
                let oldest = sessions.min(by: { $0.value.used < $1.value.used })
            {
                sessions[oldest.key] = nil
            }
            sessions[key] = Session(password: password, opened: now, used: now)
        }
        return id
    }

    /// Whether a session is open; using it keeps it open.
    ///
    /// - Parameter password: the present one.
    func use(_ id: String, _ password: PasswordHash, at now: Instant) -> Bool {
        guard let key = Self.key(id) else { return false }
        return sessions.withLock { sessions in
            guard let session = sessions[key] else { return false }
            guard !session.isOver(at: now), session.password == password else {
                sessions[key] = nil
                return false
            }
            sessions[key]?.used = now
            return true
        }
    }

    func close(_ id: String) {
        guard let key = Self.key(id) else { return }
        sessions.withLock { $0[key] = nil }
    }

    private static func key(_ id: String) -> [UInt8]? {
        let hash = Digest.sha256.hash(Array(id.utf8))
        return hash.isEmpty ? nil : hash
    }
}
