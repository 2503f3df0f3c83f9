import Digests
import HTTPTypes
import Logging
import MediaKernel
import Synchronization
import Tokens

@testable import ControlAPI

/// An operator's server with a password.
final class AdminDouble: AdminControl {
    static let word = "correct horse battery"
    /// Made once: it is cheap, but not free.
    static let hash = Scrypt(exponent: 4).flatMap { PasswordHash(password: word, cost: $0) }

    struct State {
        var password: AdminPassword = AdminDouble.hash.map { .set($0) } ?? .notSet
        var streams: [WatchedStream] = []
        var uploads: WatchedUploads?
        var machine = MachineFigures(
            startedAt: TestWorld.now, cores: 4, busyCores: 1, memory: 8_000_000_000,
            memoryFree: 6_000_000_000,
            disks: [.init(name: "output", free: 10, total: 20)])
    }

    let state = Mutex(State())
    let log = LogRing()
    let settings = SettingsShown(data: [
        SettingInForce(
            name: "http.port", value: "8080", origin: "/etc/roomcast.json:3",
            afterRestart: .init(value: "80", origin: nil)),
        SettingInForce(name: "auth.secret", value: nil, origin: "ROOMCAST_AUTH_SECRET"),
    ])

    func password() async -> AdminPassword { state.withLock { $0.password } }
    func streams() async -> [WatchedStream] { state.withLock { $0.streams } }
    func uploads() async throws -> WatchedUploads? { state.withLock { $0.uploads } }
    func machine() async -> MachineFigures { state.withLock { $0.machine } }
}

extension HTTPFields {
    /// As the page's own scripts ask.
    static let adminPage: HTTPFields = [
        .init("X-Roomcast-Admin")!: "1", .origin: "http://127.0.0.1:0",
        .init("Sec-Fetch-Site")!: "same-origin", .contentType: "application/json",
    ]
}
