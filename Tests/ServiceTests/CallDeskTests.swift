import Catalogue
import Foundation
import GroupCalls
import HundredMSTerms
import Logging
import MediaKernel
import RoomHost
import Rooms
import Stage
import Synchronization
import Testing
import Tokens
import Workbench

@testable import ControlAPI
@testable import Service

/// Group calls: what is written down, and who is told of it in which way.
@Suite(.timeLimit(.minutes(5))) struct CallDeskTests {
    private let scratch: Scratch
    private let catalogue: Catalogue
    private let authority: TokenAuthority
    private let rooms = RoomsDouble()
    private let desk: CallDesk

    init() async throws {
        scratch = try Scratch()
        catalogue = try Catalogue(path: "\(scratch.path)/catalogue.sqlite")
        authority = try TokenAuthority(
            accessKey: "key", secret: "a secret of at least thirty-two bytes")
        let time = UnixTime(seconds: 1_760_000_000)
        desk = CallDesk(
            calls: CallCatalogue(catalogue), authority: authority,
            events: CallEvents(accountID: "acc"),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, clock: { time })
        await desk.attach(rooms)
        let call = GroupCall(
            id: "r1", type: .smallRoomForVideo, items: try CustomItems(["topic": "a"]),
            creator: "ann", createdAt: time)
        try await desk.create(call, in: CatalogueRoom(id: "r1", name: "Hall", createdAt: time))
    }

    private let ann = CallCaller(peer: "p-ann", user: "ann", role: "guest")
    private let ben = CallCaller(peer: "p-ben", user: "ben", role: "viewer")

    private func ask(
        _ request: CallRequest, by caller: CallCaller? = nil, in room: RoomID = "r1"
    ) async throws -> CallAnswer { try await desk.carryOut(request, by: caller, in: room) }

    private func refusal(
        _ request: CallRequest, by caller: CallCaller? = nil, in room: RoomID = "r1"
    ) async -> CallError? {
        do throws(CallError) {
            _ = try await desk.carryOut(request, by: caller, in: room)
            return nil
        } catch {
            return error
        }
    }

    private func invitation(_ answer: CallAnswer) throws -> (Invitation, token: String?) {
        guard case .invitation(let invitation, let token) = answer else {
            throw CallError.unavailable("\(answer)")
        }
        return (invitation, token)
    }

    private func invite(
        _ user: String = "ben", by caller: CallCaller? = nil
    ) async throws -> Invitation {
        try invitation(
            try await ask(.invite(CallRequest.Invite(user: user)), by: caller ?? ann)
        ).0
    }

    /// The kinds of the webhook events, and whom they concern.
    private func events() async throws -> [String] {
        let found = try await catalogue.deliveries(DeliveryQuery(limit: 100)).records
        return try found.reversed().map { delivery in
            let json = try JSONDocument.decode(JSONValue.self, from: delivery.body)
            guard case .object(let event) = json, case .object(let data)? = event["data"] else {
                return "?"
            }
            func word(_ name: String) -> String {
                guard case .string(let text)? = data[name] else { return "-" }
                return text
            }
            return "\(delivery.kind) \(word("event")) \(word("user_id"))"
        }
    }

    // MARK: - Custom items

    @Test func aChangeIsWrittenAndThenToldToAll() async throws {
        guard case .items(let change) = try await ask(.setItems(["seat": "3"]), by: ann) else {
            Issue.record("no items")
            return
        }
        #expect(change.keys == ["seat"] && change.by == "ann")
        #expect(try await desk.call("r1").call.items.values == ["topic": "a", "seat": "3"])
        #expect(await rooms.take() == ["room r1: custom_items_updated"])
        _ = try await ask(.removeItems(["topic"]))
        #expect(await rooms.take() == ["room r1: custom_items_deleted"])
        // What changes nothing is told to nobody.
        _ = try await ask(.removeItems(["topic"]))
        #expect(await rooms.take().isEmpty)
        #expect(await refusal(.setItems([:]))?.kind == .invalid)
        #expect(await refusal(.setItems(["a": "b"]), in: "r2") == .unknownCall("r2"))
    }

    @Test func aCallIsSeenWithItsParticipants() async throws {
        await rooms.set(participants: ["r1": 4])
        guard case .call(let call, let participants) = try await ask(.get, by: ann) else {
            Issue.record("no call")
            return
        }
        #expect(call.id == "r1" && participants == 4)
        #expect(try await desk.call("r1").participants == 4)
        var filter = CallFilter()
        filter.participants = OpenRange(from: 4)
        #expect(try await desk.calls(filter, behind: nil, limit: 10).calls.count == 1)
        filter.participants = OpenRange(to: 3)
        #expect(try await desk.calls(filter, behind: nil, limit: 10).calls.isEmpty)
    }

    // MARK: - Deletion

    @Test func anybodyInTheRoomDeletesIt() async throws {
        #expect(try await ask(.delete, by: ben) == .deleted)
        #expect(await rooms.take() == ["close r1 by p-ben: deleted"])
        let call = try await desk.call("r1").call
        #expect(call.state == .deleted && call.end?.by == "ben")
        #expect(try await events() == ["group_call.deleted deleted -"])
        for request in [CallRequest.setItems(["a": "b"]), .removeItems(nil), .delete] {
            #expect(await refusal(request, by: ann) == .deleted("r1"))
        }
        #expect(await refusal(.invite(CallRequest.Invite(user: "cem")), by: ann) == .deleted("r1"))
        #expect(await rooms.take().isEmpty)
        do throws(CallError) {
            _ = try await desk.openCall("r1")
            Issue.record("it is open")
        } catch {
            #expect(error == .deleted("r1"))
        }
    }

    @Test func theDeletionCancelsInvitations() async throws {
        await rooms.set(connected: ["ben"])
        let first = try await invite("ben")
        let second = try await invite("cem")
        _ = await rooms.take()
        _ = try await ask(.delete)
        #expect(
            await Set(rooms.take()) == [
                "close r1 by -: deleted", "user ben: invitation_canceled",
                "user cem: invitation_canceled",
            ])
        #expect(
            try await events() == [
                "group_call.invitation.sent invitation_sent cem", "group_call.deleted deleted -",
                "group_call.invitation.answered invitation_canceled cem",
            ])
        for id in [first.id, second.id] {
            #expect(await refusal(.end(id, .accept)) == .invitationOver(id, .canceled))
        }
    }

    // MARK: - Invitations

    @Test func aConnectedUserIsInvitedByTheProtocol() async throws {
        await rooms.set(connected: ["ben", "ann"])
        let made = try await invite()
        #expect(made.inviter == "ann" && made.role == "guest" && made.call == "r1")
        #expect(await rooms.take() == ["user ben: invitation_sent"])
        let (ended, token) = try invitation(
            try await ask(.end(made.id, .accept), by: ben, in: "r9"))
        #expect(ended.state == .accepted)
        #expect(await rooms.take() == ["user ann: invitation_accepted"])
        #expect(try await events().isEmpty)
        let claims = try await authority.verifyRoomToken(
            try #require(token), at: UnixTime(seconds: 1_760_000_000))
        #expect(claims.room == "r1" && claims.user == "ben" && claims.role == "guest")
    }

    @Test func othersAreInvitedByWebhook() async throws {
        let made = try await invite()
        #expect(await rooms.take().isEmpty)
        let (_, token) = try invitation(try await ask(.end(made.id, .decline)))
        #expect(token == nil)
        #expect(
            try await events() == [
                "group_call.invitation.sent invitation_sent ben",
                "group_call.invitation.answered invitation_declined ann",
            ])
    }

    /// Its last socket has closed since it was looked for.
    @Test func whoHasJustGoneIsToldByWebhook() async throws {
        await rooms.set(connected: ["ben"])
        await rooms.goAway()
        _ = try await invite()
        #expect(try await events() == ["group_call.invitation.sent invitation_sent ben"])
    }

    @Test func aCancelledInvitationLetsNobodyIn() async throws {
        await rooms.set(connected: ["ben"])
        let made = try await invite()
        #expect(await refusal(.end(made.id, .cancel), by: ben) == .notYours(made.id))
        let (_, token) = try invitation(try await ask(.end(made.id, .cancel), by: ann))
        #expect(token == nil)
        #expect(
            await rooms.take() == ["user ben: invitation_sent", "user ben: invitation_canceled"])
        #expect(
            await refusal(.end(made.id, .accept), by: ben) == .invitationOver(made.id, .canceled))
        #expect(await refusal(.end(made.id, .accept)) == .invitationOver(made.id, .canceled))
        #expect(await refusal(.end("none", .accept), by: ben) == .unknownInvitation("none"))
        #expect(await refusal(.end(made.id, .cancel), in: "r2") == .unknownInvitation(made.id))
    }

    @Test func aServerInvitesInAnyRoleOfTheRoom() async throws {
        func request(role: String?) -> CallRequest {
            .invite(CallRequest.Invite(user: "ben", inviter: "ann", role: role))
        }
        for role in [nil, "emperor"] {
            guard case .invalidField("role", _) = await refusal(request(role: role)) else {
                Issue.record("\(role ?? "none")")
                continue
            }
        }
        let (made, _) = try invitation(try await ask(request(role: "host")))
        #expect(made.role == "host" && made.inviter == "ann")
        #expect(try await desk.invitations(into: "r1").map(\.id) == [made.id])
        #expect(await refusal(request(role: "host")) == .alreadyInvited(user: "ben"))
    }

    @Test func ordinaryRoomsHaveNone() async throws {
        #expect(try await desk.openCall("r1")?.type == .smallRoomForVideo)
        #expect(try await desk.openCall("r2") == nil)
        #expect(await refusal(.get, by: ann, in: "r2") == .unknownCall("r2"))
        #expect(
            await refusal(.invite(CallRequest.Invite(user: "ben")), by: ann, in: "r2")
                == .unknownCall("r2"))
    }

    @Test func usersAreWhereTheirClientsAre() {
        var users = UserWhereabouts()
        users.came("ann", to: "r2")
        users.came("ann", to: "r1")
        users.came("ann", to: "r1")
        users.left("ann", from: "r1")
        #expect(users.rooms(of: "ann") == ["r1", "r2"])
        users.left("ann", from: "r1")
        users.left("ann", from: "r1")
        users.left("ann", from: "r2")
        #expect(users.rooms(of: "ann").isEmpty && users.rooms(of: "ben").isEmpty)
    }

    @Test func aCallFitsLimitsAndPolicy() throws {
        func call(_ type: CallType, image: String? = nil) -> GroupCall {
            GroupCall(
                id: "r1", type: type, defaultImage: image, createdAt: UnixTime(seconds: 1))
        }
        let (small, large) = (call(.smallRoomForVideo), call(.largeRoomForAudioOnly))
        var limits = RoomLimits()
        limits.visiblePeers = 50
        #expect(limits.fitted(to: small).visiblePeers == 6)
        #expect(limits.fitted(to: small).absence == .seconds(40))
        #expect(limits.fitted(to: large).visiblePeers == 50)
        #expect(RoomLimits().fitted(to: large).visiblePeers == 100)
        #expect(limits.fitted(to: nil) == limits)
        limits.absence = .seconds(5)
        #expect(limits.fitted(to: small).absence == .seconds(5))

        var policy = RoomPolicy(policy: .standard, streams: StreamSettings())
        policy.streams.pictureHosts = WebHosts(["example.org"]) ?? WebHosts()
        let forSound = policy.fitted(to: large)
        #expect(forSound.policy.isSoundOnly && forSound.streams.automatic.recordsSoundAlone)
        let forVideo = policy.fitted(to: small)
        #expect(!forVideo.policy.isSoundOnly && !forVideo.streams.automatic.recordsSoundAlone)
        #expect(forVideo.streams.layout == policy.streams.layout)
        let image = "https://example.org/p.png"
        let pictured = policy.fitted(to: call(.smallRoomForVideo, image: image))
        #expect(pictured.streams.layout.defaultPicture == image)
        // Bots would not fetch it, and no layout may name it.
        let elsewhere = policy.fitted(
            to: call(.smallRoomForVideo, image: "https://example.com/p.png"))
        #expect(elsewhere.streams.layout.defaultPicture == nil)
        #expect(policy.fitted(to: nil).policy == policy.policy)
    }
}

/// Notes whom it tells what.
private actor RoomsDouble: CallRooms {
    private var connected: Set<String> = []
    private var isGone = false
    private var occupied: [RoomID: Int] = [:]
    private var told: [String] = []

    func set(connected users: Set<String>) { connected = users }
    func set(participants: [RoomID: Int]) { occupied = participants }
    /// Nobody is reached any more, though still believed to be there.
    func goAway() { isGone = true }

    func take() -> [String] {
        defer { told = [] }
        return told
    }

    private func event(_ notice: Notice) -> String {
        guard case .object(let body) = notice.body, case .string(let event)? = body["event"] else {
            return "?"
        }
        return event
    }

    func participants() -> [RoomID: Int] { occupied }
    func visibleRoles(of room: RoomID) async throws -> [String] { ["host", "guest", "viewer"] }
    func isConnected(_ user: String) -> Bool { connected.contains(user) }
    func tell(_ notice: Notice, in room: RoomID) async {
        told.append("room \(room): \(event(notice))")
    }
    func tell(_ notice: Notice, to user: String) async -> Bool {
        told.append("user \(user): \(event(notice))")
        return connected.contains(user) && !isGone
    }
    func close(_ room: RoomID, by peer: PeerID?, telling notice: Notice) async {
        told.append("close \(room) by \(peer?.rawValue ?? "-"): \(event(notice))")
    }
}
