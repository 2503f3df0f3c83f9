import MediaKernel
import Rooms
import Testing

@Suite struct DeletedMessageTests {
    private let key = "deleted"
    var fixture = RoomFixture()

    init() throws {
        try fixture.join("h", role: "host")
        try fixture.join("a", role: "guest")
        try fixture.join("b", role: "guest")
    }

    mutating func say(by peer: PeerID = "a", to audience: Audience = .everybody) throws -> String {
        let message = try fixture.room.messageSent(
            by: peer, to: audience, type: "chat", body: OpaqueJSON(text: "\"hi\""),
            at: fixture.now, wall: fixture.wall)
        _ = fixture.drain()
        return message.id
    }

    @discardableResult
    mutating func delete(
        _ messages: [String], by peer: PeerID, ifVersion version: Int? = nil
    ) throws -> [RoomEffect] {
        let list = messages.map { "\"\($0)\"" }.joined(separator: ",")
        return try delete(text: "[\(list)]", by: peer, ifVersion: version)
    }

    @discardableResult
    mutating func delete(
        text: String, by peer: PeerID, ifVersion version: Int? = nil
    ) throws -> [RoomEffect] {
        _ = try fixture.room.valueSet(
            key, to: OpaqueJSON(text: text), ifVersion: version, .deletedMessages, by: peer,
            at: fixture.now, wall: fixture.wall)
        return fixture.drain()
    }

    var deleted: String? { fixture.room.store.entry(key)?.data.text }

    @Test mutating func aSenderDeletesItsOwnAndAHostDeletesAll() throws {
        let (first, second, third) = (try say(), try say(by: "b"), try say(by: "h"))
        #expect(try delete([first], by: "a").contains(.messagesDeleted([first])))
        #expect(deleted == "[\"\(first)\"]")
        for message in [second, third] {
            #expect(
                roomError { try delete([message], by: "a") }
                    == .missingPermission(.removeOthers, role: "guest"))
        }
        #expect(deleted == "[\"\(first)\"]")
        try delete([second, third], by: "h")
        #expect(deleted == "[\"\(first)\",\"\(second)\",\"\(third)\"]")
    }

    @Test mutating func aMessageThatIsNotKnownIsDeletedByAHostOnly() throws {
        #expect(
            roomError { try delete(["x"], by: "a") }
                == .missingPermission(.removeOthers, role: "guest"))
        try delete(["x"], by: "h")
        #expect(deleted == "[\"x\"]")
    }

    @Test mutating func whatIsDeletedStaysDeleted() throws {
        let (first, second) = (try say(), try say(by: "b"))
        try delete([first], by: "a")
        // As a client of 100ms sets it that has not heard of the first one.
        let effects = try delete([second, second], by: "b")
        #expect(effects.contains(.messagesDeleted([second])))
        #expect(deleted == "[\"\(first)\",\"\(second)\"]")
        for text in ["[]", "null", "[\"\(first)\"]"] {
            #expect(
                try !delete(text: text, by: "b").contains { effect in
                    if case .messagesDeleted = effect { true } else { false }
                })
        }
        #expect(deleted == "[\"\(first)\",\"\(second)\"]")
        let error = roomError { try delete([second], by: "b", ifVersion: 1) }
        #expect(error == .versionConflict(key: key, version: 5))
    }

    @Test mutating func whoeverTakesAPeersIDDeletesNothingOfIt() throws {
        let message = try say()
        fixture.room.left("a")
        try fixture.join("a", role: "guest", user: "another")
        #expect(
            roomError { try delete([message], by: "a") }
                == .missingPermission(.removeOthers, role: "guest"))
    }

    @Test mutating func listenersAreTold() throws {
        try fixture.room.valuesListened([key], by: "b")
        _ = fixture.drain()
        let message = try say(by: "h")
        let effects = try delete([message], by: "h")
        #expect(effects.told("b").count == 1 && effects.told("a").isEmpty)
    }

    @Test(arguments: ["1", "{}", "[1]", "\"x\"", "[\"\"]", "[\"a b\"]", "[[]]"])
    mutating func whatIsNoListOfIDsIsRefused(text: String) throws {
        let error = roomError { _ = try delete(text: text, by: "h") }
        guard case .invalidField(field: "data", reason: _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(deleted == nil)
    }

    @Test mutating func theListAndTheMemoryAreBounded() throws {
        let ids = (0..<400).map { "\($0)-" + String(repeating: "x", count: 60) }
        for start in stride(from: 0, to: 400, by: 100) {
            fixture.now += .seconds(60)
            try delete(Array(ids[start..<start + 100]), by: "h")
        }
        let text = try #require(deleted)
        #expect(text.utf8.count <= 8192 && text.utf8.count > 8000)
        #expect(text.contains("\"\(ids[399])\"") && !text.contains("\"\(ids[0])\""))
        #expect(
            roomError { try delete(text: String(repeating: " ", count: 8193), by: "h") }
                == .tooLong(field: "data", count: 8193, maximum: 8192))
        // A sender may delete its recent messages.
        let first = try say()
        var last = first
        for _ in 0..<2000 {
            fixture.now += .milliseconds(100)
            last = try say()
        }
        #expect(
            roomError { try delete([first], by: "a") }
                == .missingPermission(.removeOthers, role: "guest"))
        try delete([last], by: "a")
    }

    @Test mutating func aReplyNamesAMessageAndNothingElse() throws {
        let first = try say()
        func reply(_ id: String) throws -> Message {
            try fixture.room.messageSent(
                by: "b", to: .everybody, type: "chat", body: OpaqueJSON(text: "\"yes\""),
                replyTo: id, at: fixture.now, wall: fixture.wall)
        }
        #expect(try reply(first).replyTo == first)
        #expect(
            roomError { _ = try reply("a b") }?.message.hasPrefix("reply_to") == true)
        #expect(
            roomError { _ = try reply(String(repeating: "x", count: 129)) }
                == .tooLong(field: "reply_to", count: 129, maximum: 128))
    }
}
