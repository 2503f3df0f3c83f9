import Clocks
import Hummingbird
import Logging
import MediaKernel
import NIOPosix
import Synchronization
import Tokens

/// The login of the operator's page.
final class AdminDoor: Sendable {
    /// Wrong passwords of one address: in the long run per second, and in a burst.
    static let guessesPerSecond = 1
    static let guessesBurst = 10
    /// Passwords that are checked at a time: each takes a core and 32 MiB for a tenth of a second.
    static let checksMaximum = 2

    private let control: any AdminControl
    private let origin: SameOrigin
    private let sessions = AdminSessions()
    private let gate: GuessGate
    private let checks = Mutex(0)
    private let clock: @Sendable () -> Instant

    init(
        control: any AdminControl, endpoints: Endpoints,
        clock: @escaping @Sendable () -> Instant = { MonotonicClock.now }
    ) {
        self.control = control
        origin = SameOrigin(endpoints: endpoints)
        gate = GuessGate(rate: Self.guessesPerSecond, burst: Self.guessesBurst, clock: clock)
        self.clock = clock
    }

    enum State: String, Encodable {
        case open
        case closed
        /// Nobody can log in.
        case withoutPassword = "without_password"
        case unusablePassword = "unusable_password"
    }

    /// - Throws: a 403 for a request that the page has not made.
    func checkOrigin(_ request: Request) throws(APIError) { try origin.check(request) }

    func state(for request: Request) async throws(APIError) -> State {
        try origin.check(request)
        switch await control.password() {
        case .notSet: return .withoutPassword
        case .unusable: return .unusablePassword
        case .set(let password): return isOpen(to: request, password) ? .open : .closed
        }
    }

    /// Admits requests of a page that is logged in, and no others.
    func check(_ request: Request) async throws(APIError) {
        try origin.check(request)
        guard case .set(let password) = await control.password(), isOpen(to: request, password)
        else { throw APIError(.unauthorized, "log in first") }
    }

    private func isOpen(to request: Request, _ password: PasswordHash) -> Bool {
        AdminCookie.id(in: request.headers).map { sessions.use($0, password, at: clock()) }
            ?? false
    }

    /// - Returns: the cookie of a new session.
    /// - Throws: a 401 for a wrong password, a 403 without one, a 429 after too many wrong ones.
    func enter(
        _ text: String, _ request: Request, from caller: GuessGate.Caller, logger: Logger
    ) async throws(APIError) -> String {
        guard case .set(let password) = await control.password() else {
            throw .forbidden("no password is set", "make one with: roomcast admin-password")
        }
        guard gate.isOpen(to: caller) else {
            throw .tooManyRequests("too many wrong passwords from your address; wait a minute")
        }
        guard try await isRight(text, password) else {
            gate.failed(caller)
            logger.warning("wrong password at /admin")
            throw APIError(.unauthorized, "this is not the password")
        }
        guard let id = sessions.open(with: password, at: clock()) else { throw .internal() }
        logger.notice("the operator has logged in at /admin")
        return AdminCookie.set(id, isSecure: origin.isSecure(request))
    }

    /// - Returns: the cookie that removes the session's.
    func leave(_ request: Request) throws(APIError) -> String {
        try origin.check(request)
        if let id = AdminCookie.id(in: request.headers) { sessions.close(id) }
        return AdminCookie.removed(isSecure: origin.isSecure(request))
    }

    /// On a thread of its own: the hash is slow on purpose.
    private func isRight(
        _ text: String, _ password: PasswordHash
    ) async throws(APIError) -> Bool {
        let mayCheck = checks.withLock { count in
            guard count < Self.checksMaximum else { return false }
            count += 1
            return true
        }
        guard mayCheck else { throw .tooManyRequests("others are logging in; try again") }
        defer { checks.withLock { $0 -= 1 } }
        do {
            return try await NIOThreadPool.singleton.runIfActive { password.isOf(text) }
        } catch {
            throw .internal()
        }
    }
}
