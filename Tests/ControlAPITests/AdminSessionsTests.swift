import Digests
import MediaKernel
import Testing
import Tokens

@testable import ControlAPI

@Suite struct AdminSessionsTests {
    private let sessions = AdminSessions()
    private let password: PasswordHash

    init() throws { password = try #require(AdminDouble.hash) }

    private func at(_ time: Duration) -> Instant { .zero + time }

    @Test func aSessionInUseLastsUntilItsLifetimeIsOver() throws {
        let id = try #require(sessions.open(with: password, at: .zero))
        let step: Duration = .seconds(29 * 60)
        var time: Duration = step
        while time < AdminSessions.lifetime {
            #expect(sessions.use(id, password, at: at(time)))
            time += step
        }
        #expect(!sessions.use(id, password, at: at(AdminSessions.lifetime)))
        #expect(sessions.count == 0)
    }

    @Test func anIdleOneEndsEarlier() throws {
        let id = try #require(sessions.open(with: password, at: .zero))
        #expect(sessions.use(id, password, at: at(.seconds(1799))))
        #expect(!sessions.use(id, password, at: at(.seconds(1799 + 1800))))
    }

    @Test func idsAreNotGuessed() throws {
        let id = try #require(sessions.open(with: password, at: .zero))
        #expect(!sessions.use(String(id.dropLast()), password, at: .zero))
        #expect(!sessions.use("", password, at: .zero))
        #expect(sessions.open(with: password, at: .zero) != id)
    }

    @Test func theLongestIdleOneMakesRoom() throws {
        let ids = try (0..<AdminSessions.countMaximum).map { second in
            try #require(sessions.open(with: password, at: at(.seconds(second))))
        }
        #expect(sessions.use(ids[0], password, at: at(.seconds(100))))
        let next = try #require(sessions.open(with: password, at: at(.seconds(101))))
        #expect(sessions.count == AdminSessions.countMaximum)
        #expect(!sessions.use(ids[1], password, at: at(.seconds(102))))
        for id in [ids[0], ids[2], next] {
            #expect(sessions.use(id, password, at: at(.seconds(102))))
        }
    }

    @Test func anotherPasswordEndsThem() throws {
        let id = try #require(sessions.open(with: password, at: .zero))
        let cost = try #require(Scrypt(exponent: 4))
        let other = try #require(PasswordHash(password: AdminDouble.word, cost: cost))
        #expect(!sessions.use(id, other, at: .zero))
        // For good: the old one does not open it again.
        #expect(!sessions.use(id, password, at: .zero))
    }

    @Test func aClosedOneIsOver() throws {
        let id = try #require(sessions.open(with: password, at: .zero))
        sessions.close(id)
        #expect(!sessions.use(id, password, at: .zero))
    }
}
