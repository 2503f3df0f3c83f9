import MediaKernel
import Testing

@testable import GroupCalls

@Suite struct InvitationTests {
    private let now = UnixTime(seconds: 1_760_000_000)

    private func invitation(
        from inviter: String? = "ann", to invitee: String = "ben", seconds: Int? = nil
    ) throws -> Invitation {
        try Invitation(
            id: "i1", call: "r1", inviter: inviter, invitee: invitee, role: "guest",
            seconds: seconds, at: now)
    }

    @Test(arguments: [
        (Invitation.Act.accept, "ben", InvitationState.accepted, "ann"),
        (.decline, "ben", .declined, "ann"), (.cancel, "ann", .canceled, "ben"),
    ])
    func itsUsersEndIt(
        act: Invitation.Act, user: String, state: InvitationState, hearer: String
    ) throws {
        var invitation = try invitation()
        #expect(invitation.state == .pending)
        let other = user == "ann" ? "ben" : "ann"
        #expect(callError { try invitation.end(by: act, of: other, at: now) } == .notYours("i1"))
        #expect(callError { try invitation.end(by: act, of: "eve", at: now) }?.kind == .forbidden)
        try invitation.end(by: act, of: user, at: now)
        #expect(invitation.state == state)
        #expect(invitation.hearer(of: act) == hearer)
        for later in [Invitation.Act.accept, .decline, .cancel] {
            #expect(
                callError { try invitation.end(by: later, of: nil, at: now) }
                    == .invitationOver("i1", state))
        }
        // How it ended is nobody else's business.
        #expect(callError { try invitation.end(by: act, of: "eve", at: now) } == .notYours("i1"))
    }

    @Test func aServerMayDoEverything() throws {
        for act in [Invitation.Act.accept, .decline, .cancel] {
            var invitation = try invitation(from: nil)
            try invitation.end(by: act, of: nil, at: now)
            #expect(invitation.state != .pending)
            #expect(invitation.hearer(of: act) == (act == .cancel ? "ben" : nil))
        }
    }

    @Test func itExpires() throws {
        var invitation = try invitation(seconds: 5)
        #expect(invitation.expiresAt == now + .seconds(5))
        #expect(invitation.state(at: now + .milliseconds(4999)) == .pending)
        #expect(invitation.state(at: now + .seconds(5)) == .expired)
        #expect(
            callError { try invitation.end(by: .accept, of: "ben", at: now + .seconds(5)) }
                == .invitationOver("i1", .expired))
        #expect(try self.invitation().expiresAt == now + .seconds(60))
    }

    @Test(
        arguments: [
            ("", nil, .invalidField("user_id", reason: "has 1 to 255 bytes")),
            (
                String(repeating: "u", count: 256), nil,
                .invalidField("user_id", reason: "has 1 to 255 bytes")
            ),
            ("ann", nil, .invalidField("user_id", reason: "is the inviting user's own")),
            ("ben", 4, .invalidField("expires_in", reason: "is 5 to 86400 seconds")),
            ("ben", 86_401, .invalidField("expires_in", reason: "is 5 to 86400 seconds")),
        ] as [(String, Int?, CallError)])
    func aWrongOneIsRefused(user: String, seconds: Int?, refusal: CallError) {
        #expect(
            callError { _ = try invitation(to: user, seconds: seconds) } == refusal)
    }

    @Test func theInviterOfAServerIsBoundedToo() throws {
        let longest = String(repeating: "u", count: 255)
        #expect(try invitation(from: longest).inviter == longest)
        for inviter in ["", longest + "u"] {
            #expect(
                callError { _ = try invitation(from: inviter) }
                    == .invalidField("inviter", reason: "has 1 to 255 bytes"))
        }
    }

    @Test func itHasOneForm() throws {
        let invitation = try invitation(from: nil, seconds: 5)
        let json = invitation.json(at: now + .seconds(9))
        #expect(
            json == [
                "invitation_id": "i1", "room_id": "r1", "inviter": .null, "invitee": "ben",
                "role": "guest", "state": "expired",
                "created_at": "2025-10-09T08:53:20.000000000Z",
                "expires_at": "2025-10-09T08:53:25.000000000Z",
            ])
        #expect(CallNotice.invited(invitation).event == "invitation_sent")
        #expect(CallNotice.answered(invitation, .cancel).event == "invitation_canceled")
        guard case .object(let answer) = CallAnswer.invitation(invitation, token: "t").json else {
            Issue.record("no object")
            return
        }
        #expect(answer["token"] == "t" && answer["state"] == "pending")
    }
}
