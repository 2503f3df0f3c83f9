import Catalogue
import Foundation
import HundredMSTerms
import Logging
import MediaKernel
import Rooms
import Testing
import Workbench

@testable import Service

/// Room events are reported in order, and once, no matter how the server dies.
@Suite(.timeLimit(.minutes(5))) struct SessionRecorderTests {
    private let start = UnixTime(milliseconds: 1_760_000_000_000)

    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func catalogue() throws -> Catalogue {
        try Catalogue(path: "\(scratch.path)/catalogue.sqlite")
    }

    private func recorder(_ catalogue: Catalogue, now: Int64 = 1_760_000_100) -> SessionRecorder {
        SessionRecorder(
            catalogue: catalogue, accountID: "acc",
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            clock: { UnixTime(seconds: now) })
    }

    /// A room with Ann and the recorder, and its notes.
    private func notes(_ facts: (inout Room) throws -> Void) throws -> [SessionNote] {
        var room = Room(id: "demo", name: "demo", policy: .standard, seed: 7)
        for (peer, role) in [("bot", HundredMSTerms.recorderRole), ("a", "host")] {
            try room.joinRequested(
                JoinRequest(
                    peer: PeerID(peer), userID: "u-\(peer)", role: role, name: "Ann",
                    metadata: "{}"), at: .zero)
            try room.joinCompleted(PeerID(peer), wall: start)
        }
        try facts(&room)
        var notes: [SessionNote] = []
        while let effect = room.poll() {
            if case .noted(let note) = effect { notes.append(note) }
        }
        return notes
    }

    /// The number of events that cannot be written is bounded.
    @Test func oneMoreThanMayWaitIsNotTold() async throws {
        let refused = LoggedErrors()
        let recorder = SessionRecorder(
            catalogue: try catalogue(), accountID: nil,
            logger: refused.logger)
        let note = try #require(try notes { _ in }.first)
        func tell() {
            recorder.note(note, in: "demo", name: "Demo", template: "town", at: start)
        }
        // No event is taken.
        for _ in 0..<SessionRecorder.waitingMaximum { tell() }
        #expect(refused.count == 0)
        tell()
        #expect(refused.count == 1)
    }

    /// Nor are bodies of any number of bytes kept for a disk that does not take them.
    @Test func bodiesThatWaitAreLimitedInBytes() async throws {
        let refused = LoggedErrors()
        let catalogue = try catalogue()
        let recorder = SessionRecorder(
            catalogue: catalogue, accountID: nil,
            logger: refused.logger)
        let half = [UInt8](repeating: 32, count: SessionRecorder.waitingBytesMaximum / 2)
        func tell(_ id: String) {
            recorder.tell(
                CatalogueDelivery(
                    id: id, line: "line", room: "demo", kind: "k", body: half, createdAt: start))
        }
        for id in ["a", "b"] { tell(id) }
        #expect(refused.count == 0)
        tell("c")
        #expect(refused.count == 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await recorder.run() }
            try await until { try await catalogue.delivery("b") != nil }
            // What is written makes space, at the latest when the next one is taken.
            try await until {
                tell("d")
                return try await catalogue.delivery("d") != nil
            }
            group.cancelAll()
        }
    }

    /// Runs a recorder until it has reported this many events.
    private func told(
        _ catalogue: Catalogue, _ recorder: SessionRecorder, _ notes: [SessionNote], count: Int
    ) async throws -> [CatalogueDelivery] {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await recorder.run() }
            for (index, note) in notes.enumerated() {
                let time = UnixTime(milliseconds: start.milliseconds + Int64(index) * 10_000)
                recorder.note(note, in: "demo", name: "Demo", template: "town", at: time)
            }
            var deliveries: [CatalogueDelivery] = []
            try await until {
                deliveries = try await catalogue.pendingDeliveries(limit: 100)
                return deliveries.count >= count
            }
            group.cancelAll()
            return deliveries
        }
    }

    /// What 100ms' documents list beside the fields of all these events.
    private static let documented: [String: String] = {
        let peer = "peer_id user_id user_name user_data role joined_at type"
        return [
            "session.open.success": "",
            "session.close.success": "session_duration session_stopped_at",
            "peer.join.success": peer,
            "peer.leave.success": "\(peer) left_at duration reason message",
            "role.change.success": "\(peer) previous_role role_changed_at",
            "room.end.success": "peer_id user_id user_name role lock_room reason source",
        ]
    }()

    private func data(_ delivery: CatalogueDelivery) throws -> [String: Any] {
        let event = try JSONSerialization.jsonObject(with: Data(delivery.body)) as? [String: Any]
        #expect(event?["version"] as? String == "2.0" && event?["account_id"] as? String == "acc")
        #expect(event?["type"] as? String == delivery.kind)
        #expect(event?["id"] as? String == delivery.id)
        let data = try #require(event?["data"] as? [String: Any])
        #expect(data["room_id"] as? String == "demo" && data["room_name"] as? String == "Demo")
        #expect(data["template_id"] as? String == "town")
        #expect(data["session_id"] as? String == delivery.line)
        #expect(data["session_started_at"] as? String == "2025-10-09T08:53:20.000000000Z")
        let fields = try #require(Self.documented[delivery.kind]).split(separator: " ")
        #expect(fields.filter { data[String($0)] == nil } == [], "\(delivery.kind)")
        return data
    }

    @Test func aSessionIsToldInOrderWith100msFields() async throws {
        let catalogue = try catalogue()
        let notes = try notes { room in
            room.left("a")
            room.left("bot")
        }
        let told = try await told(catalogue, recorder(catalogue), notes, count: 4)
        #expect(
            told.map(\.kind) == [
                "session.open.success", "peer.join.success", "peer.leave.success",
                "session.close.success",
            ])
        #expect(Set(told.map(\.line)).count == 1 && Set(told.map(\.id)).count == 4)
        for delivery in told { _ = try data(delivery) }
        let join = try data(told[1])
        #expect(join["peer_id"] as? String == "a" && join["user_id"] as? String == "u-a")
        #expect(join["user_name"] as? String == "Ann" && join["user_data"] as? String == "{}")
        #expect(join["role"] as? String == "host")
        #expect(join["joined_at"] as? String == "2025-10-09T08:53:20.000000000Z")
        #expect(join["type"] as? String == "regular")
        let leave = try data(told[2])
        #expect(leave["reason"] as? String == "client request" && leave["message"] as? String == "")
        #expect(leave["left_at"] as? String == "2025-10-09T08:53:40.000000000Z")
        #expect(leave["duration"] as? Int == 20)
        let close = try data(told[3])
        #expect(close["session_duration"] as? Int == 30)
        #expect(close["session_stopped_at"] as? String == "2025-10-09T08:53:50.000000000Z")
        #expect(try await catalogue.openSessions() == [])
    }

    @Test func rolesThatChangeAndTheEndOfARoomAreToldWith100msFields() async throws {
        let catalogue = try catalogue()
        let notes = try notes { room in
            try room.roleChanged("a", to: "guest", by: "a")
            try room.roleChanged("a", to: "viewer")
            room.ended(by: "a", lock: true, reason: "done")
        }
        let told = try await told(catalogue, recorder(catalogue), notes, count: 7)
        #expect(
            told.map(\.kind) == [
                "session.open.success", "peer.join.success", "role.change.success",
                "role.change.success", "room.end.success", "peer.leave.success",
                "session.close.success",
            ])
        #expect(Set(told.map(\.line)).count == 1 && Set(told.map(\.id)).count == 7)
        for delivery in told { _ = try data(delivery) }
        let change = try data(told[2])
        #expect(change["peer_id"] as? String == "a" && change["user_id"] as? String == "u-a")
        #expect(change["previous_role"] as? String == "host")
        #expect(change["role"] as? String == "guest")
        #expect(change["role_change_requested_by"] as? String == "a")
        #expect(change["role_changed_at"] as? String == "2025-10-09T08:53:40.000000000Z")
        #expect(change["joined_at"] as? String == "2025-10-09T08:53:20.000000000Z")
        let second = try data(told[3])
        #expect(second["previous_role"] as? String == "guest")
        #expect(second["role_change_requested_by"] == nil, "nobody in the room")
        let end = try data(told[4])
        #expect(end["peer_id"] as? String == "a" && end["user_name"] as? String == "Ann")
        #expect(end["user_id"] as? String == "u-a" && end["role"] as? String == "viewer")
        #expect(end["lock_room"] as? Bool == true && end["reason"] as? String == "done")
        #expect(end["source"] as? String == "peer")
    }

    @Test func anEndFromOutsideNamesNobody() async throws {
        let catalogue = try catalogue()
        let notes = try notes { $0.ended(lock: false, reason: "late") }
        let told = try await told(catalogue, recorder(catalogue), notes, count: 5)
        let end = try data(told[2])
        #expect(told[2].kind == "room.end.success" && end["reason"] as? String == "late")
        #expect(end["source"] as? String == "server" && end["peer_id"] as? String == "")
        #expect(end["lock_room"] as? Bool == false)
    }

    @Test func whatAServerLeftBehindIsClosedOnce() async throws {
        let catalogue = try catalogue()
        let notes = try notes { _ in }
        _ = try await told(catalogue, recorder(catalogue), notes, count: 2)
        #expect(try await catalogue.openSessions().count == 1)
        let told = try await told(catalogue, recorder(catalogue), [], count: 4)
        #expect(
            told.map(\.kind).suffix(2) == ["peer.leave.success", "session.close.success"])
        let leave = try data(told[2])
        #expect(leave["reason"] as? String == "server removed peer")
        #expect(leave["duration"] as? Int == 100)
        // Another start finds nothing: the next event belongs to the next session.
        let next = try self.notes { $0.left("a") }
        let events = try await self.told(catalogue, recorder(catalogue), next, count: 4)
        #expect(events.count { $0.kind == "session.close.success" } == 1)
    }
}
