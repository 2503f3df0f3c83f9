import GroupCalls
import HundredMS
import HundredMSTerms
import MediaKernel
import MediaServer
import RoomHost
import Rooms
import Synchronization
import Testing

/// Group calls on the wire.
@Suite(.timeLimit(.minutes(5))) struct GroupCallTests {
    /// Remembers what it is asked, and answers always the same.
    private final class Calls: GroupCalling {
        struct Asked: Hashable, Sendable {
            var request: CallRequest
            var caller: CallCaller
            var room: RoomID
        }

        private let state = Mutex((asked: [Asked](), refusal: nil as CallError?))

        func asked() -> [Asked] {
            state.withLock { state in
                defer { state.asked = [] }
                return state.asked
            }
        }

        func refuse(_ error: CallError) { state.withLock { $0.refusal = error } }

        func perform(
            _ request: CallRequest, by caller: CallCaller, in room: RoomID
        ) async throws(CallError) -> CallAnswer {
            let refusal = state.withLock { state in
                state.asked.append(Asked(request: request, caller: caller, room: room))
                return state.refusal
            }
            if let refusal { throw refusal }
            let call = GroupCall(
                id: room, type: .smallRoomForVideo, creator: "ann",
                createdAt: UnixTime(seconds: 1_760_000_000))
            return .call(call, participants: 2)
        }
    }

    private let calls = Calls()
    private let fixture: SignallingFixture

    init() { fixture = SignallingFixture(calls: calls) }

    private func asked(
        _ request: CallRequest, by peer: PeerID = "ann", role: String = "host"
    ) -> [Calls.Asked] {
        [
            Calls.Asked(
                request: request,
                caller: CallCaller(peer: peer, user: "user-\(peer)", role: role), room: "r1")
        ]
    }

    @Test(arguments: [
        (#"{"action":"get"}"#, CallRequest.get),
        (#"{"action":"delete"}"#, .delete),
        (
            #"{"action":"update_custom_items","custom_items":{"a":"b"}}"#,
            .setItems(["a": "b"])
        ),
        (#"{"action":"delete_custom_items","keys":["a"]}"#, .removeItems(["a"])),
        (#"{"action":"delete_custom_items"}"#, .removeItems(nil)),
        (
            #"{"action":"invite","user_id":"ben","expires_in":9}"#,
            .invite(CallRequest.Invite(user: "ben", seconds: 9))
        ),
        // A participant invites in its own name and role, whatever it says.
        (
            #"{"action":"invite","user_id":"ben","role":"host","inviter":"eve"}"#,
            .invite(CallRequest.Invite(user: "ben"))
        ),
        (#"{"action":"accept_invitation","invitation_id":"i1"}"#, .end("i1", .accept)),
        (#"{"action":"decline_invitation","invitation_id":"i1"}"#, .end("i1", .decline)),
        (#"{"action":"cancel_invitation","invitation_id":"i1"}"#, .end("i1", .cancel)),
    ])
    func aParticipantsRequestsArePassedOn(params: String, request: CallRequest) async throws {
        let ann = try await fixture.join("ann")
        let answer = try await ann.call("group-call", params)
        #expect(calls.asked() == asked(request))
        #expect(answer.error == nil && answer.result["room_id"].string == "r1")
        #expect(answer.result["participants"].integer == 2)
    }

    @Test(
        arguments: [
            (#"{}"#, .missingParameter("action")),
            (#"{"action":"dance"}"#, .badParameter("action", .notAllowed)),
            (#"{"action":7}"#, .badParameter("action", .mustBe(.string))),
            (
                #"{"action":"update_custom_items"}"#,
                .missingParameter("custom_items")
            ),
            (
                #"{"action":"update_custom_items","custom_items":{"a":1}}"#,
                .badParameter("custom_items.a", .mustBe(.string))
            ),
            (#"{"action":"invite"}"#, .missingParameter("user_id")),
            (#"{"action":"accept_invitation"}"#, .missingParameter("invitation_id")),
        ] as [(String, SignallingError)])
    func aWrongRequestIsRefusedByName(params: String, error: SignallingError) async throws {
        let ann = try await fixture.join("ann")
        #expect(try await ann.call("group-call", params).error == refusal(error))
        #expect(calls.asked().isEmpty)
    }

    @Test func refusalsHaveTheirCodes() async throws {
        let ann = try await fixture.join("ann")
        for (error, code) in [
            (CallError.unknownCall("r1"), 404),
            (.deleted("r1"), 410),
            (.invitationOver("i1", .canceled), 409),
            (.notYours("i1"), 403),
            (.tooManyItems(maximum: 20), 400),
            (.unavailable("disk"), 503),
        ] {
            calls.refuse(error)
            let answer = try await ann.call("group-call", #"{"action":"get"}"#)
            #expect(answer.code == code && answer.error == refusal(.call(error)))
        }
    }

    @Test func hiddenPeersAskNothing() async throws {
        let bot = try await fixture.join("bot", role: HundredMSTerms.recorderRole)
        for action in ["get", "delete"] {
            #expect(try await bot.call("group-call", #"{"action":"\#(action)"}"#).code == 404)
        }
        #expect(calls.asked().isEmpty)
    }

    @Test func requestsHaveTheRoomsRates() async throws {
        let ann = try await fixture.join("ann")
        var refusals = 0
        for _ in 1...120 {
            if try await ann.call("group-call", #"{"action":"delete_custom_items"}"#).code == 429 {
                refusals += 1
            }
        }
        #expect(refusals >= 20 && calls.asked().count <= 100)
    }

    @Test func newsReachEverybodyInTheirOrder() async throws {
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben", role: "viewer")
        _ = try await ann.drain()
        let body = JSONValue.object(["event": "custom_items_updated", "keys": .array(["a"])])
        await fixture.host.tell(Notice(.groupCall, body))
        for client in [ann, ben] {
            let frame = try #require(try await client.next())
            #expect(frame.method == "on-group-call" && frame.params == body)
        }
    }

    @Test func aUserIsReachedWhereverItIs() async throws {
        let ann = try await fixture.join("ann")
        let visitor = try await fixture.connect("v", user: "vic")
        _ = try await visitor.drain()
        let notice = Notice(.groupCall, .object(["event": "invitation_sent"]))
        #expect(await fixture.host.tell(notice, to: "vic"))
        #expect(try await visitor.next()?.method == "on-group-call")
        #expect(await !fixture.host.tell(notice, to: "nobody"))
        #expect(try await ann.drain().isEmpty)
        // A recorder's user is nobody who could be invited.
        _ = try await fixture.join("bot", role: HundredMSTerms.recorderRole)
        #expect(await !fixture.host.tell(notice, to: "user-bot"))
    }

    @Test func whoHasNotJoinedMayOnlyAnswerInvitations() async throws {
        let visitor = try await fixture.connect("v", role: "guest")
        let accept = #"{"action":"accept_invitation","invitation_id":"i1"}"#
        #expect(try await visitor.call("group-call", accept).error == nil)
        #expect(calls.asked() == asked(.end("i1", .accept), by: "v", role: "guest"))
        for action in ["get", "delete", "delete_custom_items"] {
            #expect(try await visitor.call("group-call", #"{"action":"\#(action)"}"#).code == 400)
        }
        var refusals = 0
        for _ in 1...12 {
            if try await visitor.call("group-call", accept).code == 429 { refusals += 1 }
        }
        #expect(refusals == 3)
    }

    @Test func aDeletedRoomIsToldAndEmpty() async throws {
        let (ann, ben) = (try await fixture.join("ann"), try await fixture.join("ben"))
        let visitor = try await fixture.connect("cem")
        _ = try await ann.drain()
        _ = fixture.media.calls()
        await fixture.host.close(
            by: "ann", telling: Notice(.groupCall, .object(["event": "deleted"])),
            reason: "the room was deleted")
        let told = try #require(try await ben.next())
        #expect(told.method == "on-group-call" && told.params["event"].string == "deleted")
        let out = try #require(try await ben.next())
        #expect(out.method == "on-peer-leave-request")
        #expect(out.params["reason"].string == "the room was deleted")
        #expect(out.params["room_end"] == .bool(true))
        #expect(await ben.socket.closure().code == 1000)
        #expect(try await ann.next()?.method == "on-group-call")
        #expect(await fixture.host.snapshot().peerCount == 0)
        #expect(Set(fixture.media.calls()).isSuperset(of: ["remove ann", "remove ben"]))
        let refused = try await visitor.call(
            "join", #"{"name":"C","data":"","offer":{"type":"offer","sdp":"o"}}"#)
        #expect(refused.code == 403)
    }

    /// A client tries for as long, and then knows why it cannot come back.
    @Test func aLostParticipantsPlaceIsKeptForFortySeconds() async throws {
        var limits = RoomLimits()
        limits.absence = CallType.reconnection
        let fixture = SignallingFixture(roomLimits: limits, calls: calls)
        let visitor = try await fixture.connect("v")
        let info = try await visitor.drain().first { $0.method == "room-info" }
        #expect(info?.params["reconnection_seconds"].integer == 40)
        let ann = try await fixture.join("ann")
        let ben = try await fixture.join("ben")
        await ann.close()
        await ben.close()
        await fixture.pass(.seconds(39))
        #expect(await fixture.host.isHere("ann"))
        let back = try await fixture.connect("ann")
        #expect(try await back.call("group-call", #"{"action":"get"}"#).error == nil)
        await fixture.pass(.seconds(1))
        #expect(await fixture.host.snapshot().peers.map(\.id) == ["ann"])
        let late = try await fixture.connect("ben")
        let answer = try await late.call(
            "offer", #"{"desc":{"type":"offer","sdp":"x"},"tracks":{}}"#)
        #expect(
            answer.code == 410
                && answer.error == refusal(.placeLost("ben", kept: .seconds(40))))
    }

    @Test func aDeviceMayPutItsSiblingsOut() async throws {
        let phone = try await fixture.connect("phone", user: "ann")
        let join = #""name":"A","data":"","offer":{"type":"offer","sdp":"o"}"#
        #expect(try await phone.call("join", "{\(join)}").error == nil)
        _ = try await phone.drain()
        let tablet = try await fixture.connect("tablet", user: "ann")
        let answer = try await tablet.call("join", #"{\#(join),"kick_siblings":true}"#)
        #expect(answer.error == nil)
        let out = try #require(try await phone.next())
        #expect(out.method == "on-peer-leave-request")
        #expect(out.params["requested_by"].string == "tablet")
        #expect(out.params["room_end"] == .bool(false))
        #expect(await fixture.host.snapshot().peers.map(\.id) == ["tablet"])
    }
}
