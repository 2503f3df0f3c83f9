import GRDB
import GroupCalls
import MediaKernel
import Testing

@testable import Catalogue

@Suite struct CallCatalogueTests {
    private let now = UnixTime(seconds: 1_770_000_000)
    private let place: Place

    init() throws { place = try Place() }

    private func open() throws -> CallCatalogue { CallCatalogue(try place.open()) }

    private func call(
        _ index: Int, type: CallType = .smallRoomForVideo, creator: String = "ann"
    ) throws -> GroupCall {
        GroupCall(
            id: RoomID("r\(index)"), type: type, items: try CustomItems(["n": "\(index)"]),
            creator: creator, createdAt: now + .seconds(index))
    }

    @discardableResult
    private func create(_ call: GroupCall, in calls: CallCatalogue) async throws -> GroupCall {
        let room = CatalogueRoom(id: call.id, name: "name-\(call.id)", createdAt: call.createdAt)
        #expect(try await calls.create(call, in: room) == nil)
        return call
    }

    private func delete(
        _ room: RoomID, in calls: CallCatalogue
    ) async throws -> Result<(call: GroupCall, canceled: [Invitation]), CallError> {
        try await calls.delete(room, by: "ben", at: now + .seconds(9)) { _ in nil }
    }

    @Test func aCallIsThereAfterOpeningAnew() async throws {
        let made = try await create(try call(1), in: try open())
        let again = try open()
        #expect(try await again.call("r1") == made)
        #expect(try await again.catalogue.room("r1")?.name == "name-r1")
        #expect(try await again.call("r2") == nil)
        let other = CatalogueRoom(id: "r2", name: "NAME-r1", createdAt: now)
        #expect(try await again.create(try call(2), in: other) == "r1")
        #expect(try await again.catalogue.room("r2") == nil)
    }

    @Test func itemsChangeInOneTransaction() async throws {
        let calls = try open()
        try await create(try call(1), in: calls)
        // Whoever comes at the same time, no change is lost.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 1...19 {
                group.addTask {
                    _ = try await calls.change("r1") { call throws(CallError) in
                        try call.setItems(["k\(index)": "v"], by: nil)
                    }.get()
                }
            }
            try await group.waitForAll()
        }
        let items = try #require(try await open().call("r1")).items
        #expect(items.values.count == 20 && items.version == 20)
        let refused = try await calls.change("r1") { call throws(CallError) in
            try call.setItems(["one": "more"], by: nil)
        }
        #expect(throws: CallError.tooManyItems(maximum: 20)) { try refused.get() }
        #expect(try await calls.call("r1")?.items == items)
        let unknown = try await calls.change("r9") { call throws(CallError) in
            try call.removeItems(nil, by: nil)
        }
        #expect(throws: CallError.unknownCall("r9")) { try unknown.get() }
    }

    @Test func aDeletedCallStaysSo() async throws {
        let calls = try open()
        try await create(try call(1), in: calls)
        #expect(try await delete("r1", in: calls).get().call.end?.by == "ben")
        #expect(try await open().call("r1")?.state == .deleted)
        let again = try await delete("r1", in: calls)
        #expect(throws: CallError.deleted("r1")) { try again.get() }
        let unknown = try await delete("r7", in: calls)
        #expect(throws: CallError.unknownCall("r7")) { try unknown.get() }
    }

    // MARK: - Lists

    private func ids(
        _ calls: CallCatalogue, occupied: [RoomID: Int] = [:],
        _ change: (inout CallFilter) -> Void = { _ in }
    ) async throws -> [String] {
        var filter = CallFilter()
        change(&filter)
        return try await calls.calls(filter, occupied: occupied, behind: nil, limit: 100)
            .calls.map(\.id.rawValue)
    }

    @Test func everyFilterWorksAloneAndWithOthers() async throws {
        let calls = try open()
        for index in 1...4 {
            try await create(
                try call(
                    index,
                    type: index.isMultiple(of: 2) ? .largeRoomForAudioOnly : .smallRoomForVideo,
                    creator: ["ann", "ben", "cem, dan", ""][index - 1]), in: calls)
        }
        _ = try await delete("r3", in: calls).get()
        let now = now
        #expect(try await ids(calls) == ["r4", "r3", "r2", "r1"])
        #expect(try await ids(calls) { $0.ids = ["r1", "r4", "none"] } == ["r4", "r1"])
        #expect(try await ids(calls) { $0.types = [.smallRoomForVideo] } == ["r3", "r1"])
        #expect(try await ids(calls) { $0.types = Set(CallType.allCases) }.count == 4)
        #expect(try await ids(calls) { $0.creators = ["ben", "cem, dan"] } == ["r3", "r2"])
        #expect(try await ids(calls) { $0.state = .open } == ["r4", "r2", "r1"])
        #expect(try await ids(calls) { $0.state = .deleted } == ["r3"])
        #expect(
            try await ids(calls) { $0.createdAt = OpenRange(from: now + .seconds(3)) }
                == ["r4", "r3"])
        #expect(try await ids(calls) { $0.createdAt = OpenRange(to: now + .seconds(1)) } == ["r1"])
        #expect(
            try await ids(calls) {
                $0.createdAt = OpenRange(from: now + .seconds(2), to: now + .seconds(3))
                $0.state = .open
            } == ["r2"])
        let occupied: [RoomID: Int] = ["r1": 2, "r2": 5, "elsewhere": 5]
        #expect(
            try await ids(calls, occupied: occupied) { $0.participants.from = 1 } == ["r2", "r1"])
        #expect(
            try await ids(calls, occupied: occupied) { $0.participants.to = 2 }
                == ["r4", "r3", "r1"])
        #expect(
            try await ids(calls, occupied: occupied) {
                $0.participants = OpenRange(from: 3, to: 4)
            }.isEmpty)
        #expect(
            try await ids(calls, occupied: occupied) { $0.participants.to = 0 } == ["r4", "r3"])
    }

    @Test func pagesFollowOneAnotherWhateverHappensMeanwhile() async throws {
        let calls = try open()
        for index in 1...25 { try await create(try call(index), in: calls) }
        // Several calls of one moment have an order too.
        try await create(
            GroupCall(id: "r25b", type: .smallRoomForVideo, createdAt: now + .seconds(25)),
            in: calls)
        var found: [String] = []
        var place: CallPlace?
        var pages = 0
        repeat {
            let (page, next) = try await calls.calls(
                CallFilter(), occupied: [:], behind: place, limit: 10)
            found += page.map(\.id.rawValue)
            place = next
            pages += 1
            // New calls come before the first one, and others are deleted.
            try await create(try call(100 + pages), in: calls)
            _ = try await delete(RoomID("r\(pages)"), in: calls).get()
        } while place != nil && pages < 10
        #expect(found == ["r25b"] + (1...25).reversed().map { "r\($0)" })
        #expect(pages == 3)
    }

    @Test func aPageReadsAnIndex() async throws {
        let calls = try open()
        try await create(try call(1), in: calls)
        var filters = Array(repeating: CallFilter(), count: 5)
        filters[1].state = .open
        filters[2].creators = ["ann"]
        filters[3].ids = ["r1", "r2"]
        filters[4].participants = OpenRange(to: 3)
        let place = CallPlace(createdAt: now, id: "r9")
        for filter in filters {
            let (sql, arguments) = CallStatement(
                filter, occupied: ["r1": 5], behind: place, limit: 11
            ).parts
            let plan = try await calls.catalogue.read { database in
                try Row.fetchAll(
                    database, sql: "EXPLAIN QUERY PLAN \(sql)", arguments: arguments
                ).map { $0["detail"] as String }
            }
            #expect(plan.contains { $0.hasPrefix("SEARCH groupCall USING INDEX") }, "\(plan)")
        }
    }

    // MARK: - Files

    @Test func filesKeepTheirNumbers() async throws {
        let calls = try open()
        func file(_ index: Int, _ kind: CatalogueAsset.Kind, _ room: RoomID = "r1")
            -> CatalogueAsset
        {
            CatalogueAsset(
                id: "a\(index)", stream: "s", room: room, session: nil, kind: kind,
                status: index == 1 ? .expired : .completed, path: "p/\(index).mp4", byteCount: 1,
                duration: nil, createdAt: now + .seconds(100 - index), expiresAt: nil, size: nil,
                layer: nil, layerCount: nil)
        }
        try await calls.catalogue.save(
            (1...12).map { file($0, .roomComposite) }
                + [file(20, .chat), file(21, .roomComposite, "r2")])
        let (first, isFirstLast) = try await calls.files(of: "r1", after: 0, limit: 10)
        #expect(first.map(\.number) == Array(1...10) && !isFirstLast)
        // In the order of creation, which is not that of saving.
        #expect(first.first?.asset.id == "a12" && first.last?.asset.id == "a3")
        let (rest, isLast) = try await calls.files(of: "r1", after: 10, limit: 10)
        #expect(rest.map(\.number) == [11, 12] && isLast)
        #expect(rest.map(\.asset.id) == ["a2", "a1"])
        #expect(try await calls.files(of: "r3", after: 0, limit: 10).files.isEmpty)
    }

    // MARK: - Invitations

    private func invitation(
        _ id: InvitationID, to user: String = "ben", into room: RoomID = "r1", seconds: Int = 60,
        at time: UnixTime? = nil
    ) throws -> Invitation {
        try Invitation(
            id: id, call: room, inviter: "ann", invitee: user, role: "guest", seconds: seconds,
            at: time ?? now)
    }

    private func event(_ id: String) -> CatalogueDelivery {
        CatalogueDelivery(id: id, line: "r1", room: "r1", kind: "k", body: [1], createdAt: now)
    }

    @Test func anInvitationEndsOnceWithItsEvent() async throws {
        let calls = try open()
        try await create(try call(1), in: calls)
        let made = try invitation("i1")
        #expect(try await calls.invite(made, telling: event("sent")) == nil)
        #expect(try await open().invitation("i1") == made)
        #expect(try await calls.catalogue.delivery("sent") != nil)
        let ended = try await calls.end("i1", by: .accept, of: "ben", at: now) { _ in
            event("accepted")
        }.get()
        #expect(ended.state == .accepted)
        #expect(try await open().invitation("i1") == ended)
        #expect(try await calls.catalogue.delivery("accepted") != nil)
        let again = try await calls.end("i1", by: .cancel, of: "ann", at: now) { _ in event("no") }
        #expect(throws: CallError.invitationOver("i1", .accepted)) { try again.get() }
        #expect(try await calls.catalogue.delivery("no") == nil)
        for (id, room) in [("i2", nil), ("i1", "r2")] as [(InvitationID, RoomID?)] {
            let unknown = try await calls.end(id, into: room, by: .cancel, of: nil, at: now) { _ in
                nil
            }
            #expect(throws: CallError.unknownInvitation(id)) { try unknown.get() }
        }
    }

    @Test func aUserHasOnePendingInvitationIntoACall() async throws {
        let calls = try open()
        try await create(try call(1), in: calls)
        try await create(try call(2), in: calls)
        #expect(try await calls.invite(try invitation("i1", seconds: 5), telling: nil) == nil)
        #expect(
            try await calls.invite(try invitation("i2"), telling: event("no"))
                == .alreadyInvited(user: "ben"))
        #expect(try await calls.catalogue.delivery("no") == nil)
        #expect(try await calls.invite(try invitation("i3", into: "r2"), telling: nil) == nil)
        let later = now + .seconds(5)
        #expect(try await calls.invite(try invitation("i4", at: later), telling: nil) == nil)
        #expect(try await calls.invitations(of: "r1").map(\.id) == ["i4", "i1"])
    }

    @Test func nobodyIsInvitedIntoADeletedCallOrNone() async throws {
        let calls = try open()
        try await create(try call(1), in: calls)
        _ = try await delete("r1", in: calls).get()
        #expect(try await calls.invite(try invitation("i1"), telling: nil) == .deleted("r1"))
        #expect(
            try await calls.invite(try invitation("i1", into: "r2"), telling: nil)
                == .unknownCall("r2"))
    }

    @Test func theEndOfACallCancelsItsInvitations() async throws {
        let calls = try open()
        try await create(try call(1), in: calls)
        for (id, user) in [("i1", "ben"), ("i2", "cem"), ("i3", "dan")] as [(InvitationID, String)]
        {
            #expect(
                try await calls.invite(
                    try invitation(id, to: user, seconds: id == "i3" ? 5 : 60), telling: nil) == nil
            )
        }
        _ = try await calls.end("i1", by: .decline, of: "ben", at: now) { _ in nil }.get()
        #expect(try await delete("r1", in: calls).get().canceled.map(\.id) == ["i2"])
        #expect(try await calls.invitation("i2")?.state == .canceled)
        let late = try await calls.end("i2", by: .accept, of: "cem", at: now) { _ in nil }
        #expect(throws: CallError.invitationOver("i2", .canceled)) { try late.get() }
    }

    @Test func invitationsAreBoundedAndForgotten() async throws {
        let calls = try open()
        try await create(try call(1), in: calls)
        for index in 1...100 {
            let made = try invitation(InvitationID("i\(index)"), to: "u\(index)")
            #expect(try await calls.invite(made, telling: nil) == nil)
        }
        #expect(
            try await calls.invite(try invitation("more"), telling: nil)
                == .tooManyInvitations(maximum: 100))
        let day = now + .seconds(86_400 + 61)
        #expect(try await calls.invite(try invitation("next", at: day), telling: nil) == nil)
        #expect(try await calls.invitations(of: "r1").map(\.id) == ["next"])
    }
}
