import MediaKernel
import Testing

@testable import OpenVidu

/// Sessions and tokens of application servers.
@Suite(.timeLimit(.minutes(5))) struct BookTests {
    private static let now = UnixTime(milliseconds: 1_720_000_000_000)

    @Test func tokenAdmitsOnce() throws {
        var book = OpenViduBook()
        let session = try book.open("demo", .init(), at: Self.now)
        #expect(session.isCustom && session.room == "demo")
        let grant = try book.grant(
            in: "demo", .publisher, ConnectionTerms(), origin: "wss://host:443", at: Self.now)
        #expect(grant.address == "wss://host:443?sessionId=demo&token=\(grant.token)")
        #expect(grant.token.hasPrefix("tok_") && grant.token.count == 20)
        #expect(grant.connectionID.hasPrefix("con_") && grant.connectionID.count == 14)
        let unknown = book.take("tok_X", at: Self.now)
        let taken = book.take(grant.token, at: Self.now)
        #expect(unknown == nil && taken == grant)
        let again = book.take(grant.token, at: Self.now)
        #expect(again == nil && book.session("demo")?.grants.isEmpty == true)
    }

    @Test func aGrantIsChangedUntilItIsUsed() throws {
        var book = OpenViduBook()
        _ = try book.open("demo", .init(), at: Self.now)
        let grant = try book.grant(
            in: "demo", .publisher, ConnectionTerms(), origin: "", at: Self.now)
        let changed = book.change(
            connection: grant.connectionID, in: "demo", role: .moderator, isRecorded: nil)
        #expect(changed?.role == .moderator && changed?.terms.isRecorded == true)
        _ = book.change(
            connection: grant.connectionID, in: "demo", role: nil, isRecorded: false)
        let taken = book.take(grant.token, at: Self.now)
        #expect(taken?.role == .moderator && taken?.terms.isRecorded == false)
        let late = book.change(
            connection: grant.connectionID, in: "demo", role: .subscriber, isRecorded: nil)
        #expect(late == nil)
    }

    @Test func tokenOfARefusedClientAdmitsLater() throws {
        var book = OpenViduBook()
        _ = try book.open("demo", .init(), at: Self.now)
        let grant = try book.grant(
            in: "demo", .publisher, ConnectionTerms(), origin: "", at: Self.now)
        _ = book.take(grant.token, at: Self.now)
        book.giveBack(grant)
        book.giveBack(grant)
        #expect(book.session("demo")?.grants == [grant])
        let taken = book.take(grant.token, at: Self.now)
        #expect(taken == grant)
        // Not in a session that was closed meanwhile.
        book.close("demo")
        book.giveBack(grant)
        let late = book.take(grant.token, at: Self.now)
        #expect(late == nil && book.session("demo") == nil)
        // Nor in another one of that name.
        _ = try book.open("demo", .init(), at: Self.now)
        book.giveBack(grant)
        let later = book.take(grant.token, at: Self.now)
        #expect(later == nil && book.session("demo")?.grants == [])
    }

    @Test func whatIsGivenBackCountsToo() throws {
        var book = OpenViduBook()
        _ = try book.open("demo", .init(), at: Self.now)
        func grant() throws -> OpenViduBook.Grant {
            try book.grant(in: "demo", .publisher, ConnectionTerms(), origin: "", at: Self.now)
        }
        let first = try grant()
        _ = book.take(first.token, at: Self.now)
        for _ in 0..<OpenViduBook.grantsPerSession { _ = try grant() }
        book.giveBack(first)
        let taken = book.take(first.token, at: Self.now)
        #expect(taken == nil)
    }

    @Test func sessionsExistOnce() throws {
        var book = OpenViduBook()
        _ = try book.open("demo", .init(), at: Self.now)
        #expect(throws: OpenViduBook.Refusal.exists) {
            try book.open("demo", .init(), at: Self.now)
        }
        #expect(throws: OpenViduBook.Refusal.unknownSession) {
            try book.grant(in: "x", .publisher, ConnectionTerms(), origin: "", at: Self.now)
        }
        let made = try book.open(nil, .init(), at: Self.now)
        #expect(made.room.rawValue.hasPrefix("ses_") && !made.isCustom)
        #expect(book.all.count == 2)
    }

    @Test func revokedAndClosedTokensAreVoid() throws {
        var book = OpenViduBook()
        _ = try book.open("demo", .init(), at: Self.now)
        func grant() throws -> OpenViduBook.Grant {
            try book.grant(in: "demo", .publisher, ConnectionTerms(), origin: "", at: Self.now)
        }
        let (first, second) = (try grant(), try grant())
        let isRevoked = book.revoke(connection: first.connectionID, in: "demo")
        let revoked = book.take(first.token, at: Self.now)
        #expect(isRevoked && revoked == nil && book.session("demo")?.grants == [second])
        let isClosed = book.close("demo")
        let closed = book.take(second.token, at: Self.now)
        #expect(isClosed && closed == nil)
        let isClosedAgain = book.close("demo")
        #expect(!isClosedAgain)
    }

    @Test func unusedSessionsAreForgotten() throws {
        var book = OpenViduBook()
        _ = try book.open("old", .init(), at: Self.now)
        _ = try book.open("kept", .init(), at: Self.now)
        let later = Self.now + OpenViduBook.unusedKept
        book.occupied("kept", at: later)
        _ = try book.open("new", .init(), at: later)
        #expect(book.all.map(\.room) == ["kept", "new"])
    }

    @Test func aSessionIsClosedWithItsLastParticipant() throws {
        var book = OpenViduBook()
        func open(at now: UnixTime = Self.now) throws -> (used: String, unused: String) {
            _ = try book.open("demo", .init(), at: now)
            let tokens = try (0..<2).map { _ in
                try book.grant(
                    in: "demo", .publisher, ConnectionTerms(), origin: "", at: now
                ).token
            }
            return (tokens[0], tokens[1])
        }
        func enter(_ token: String) throws {
            let taken = book.take(token, at: Self.now)
            let grant = try #require(taken)
            book.filled("demo")
            book.arrived(grant)
        }
        var tokens = try open()
        try enter(tokens.used)
        book.emptied("demo", since: Self.now)
        let late = book.take(tokens.unused, at: Self.now)
        #expect(book.session("demo") == nil && late == nil)

        // Not while somebody is on the way.
        tokens = try open()
        try enter(tokens.used)
        let takenGrant = book.take(tokens.unused, at: Self.now)
        let grant = try #require(takenGrant)
        book.emptied("demo", since: Self.now)
        #expect(book.session("demo") != nil)
        book.filled("demo")
        book.arrived(grant)
        #expect(book.session("demo") != nil)
        book.emptied("demo", since: Self.now)
        #expect(book.session("demo") == nil)
        // Who is refused on the way does not keep it.
        tokens = try open()
        let takenRefused = book.take(tokens.used, at: Self.now)
        let refused = try #require(takenRefused)
        book.emptied("demo", since: Self.now)
        #expect(book.session("demo") != nil)
        book.giveBack(refused)
        #expect(book.session("demo") == nil)

        // The end of an earlier session of that name may be told late.
        _ = try open(at: Self.now + .seconds(1))
        book.emptied("demo", since: Self.now)
        #expect(book.session("demo") != nil)
    }

    @Test func aSessionStaysWhileItsRecordingRunsOut() throws {
        var book = OpenViduBook()
        _ = try book.open("demo", .init(), at: Self.now)
        book.filled("demo")
        book.recorded("demo", true)
        book.emptied("demo", since: Self.now)
        #expect(book.session("demo") != nil)
        // Somebody comes back before that.
        book.filled("demo")
        book.recorded("demo", false)
        #expect(book.session("demo") != nil)
        book.recorded("demo", true)
        book.emptied("demo", since: Self.now)
        book.recorded("demo", false)
        #expect(book.session("demo") == nil)
        book.recorded("other", false)
        book.emptied("other", since: Self.now)
        #expect(book.all.isEmpty)
    }
}
