import Rooms
import Testing

@Suite struct PolicyTests {
    func reason(_ roles: [Role]) -> String? {
        guard case .invalidPolicy(let reason)? = roomError({ _ = try Policy(validating: roles) })
        else { return nil }
        return reason
    }

    @Test func theStandardPolicyIsWhole() throws {
        let standard = Policy.standard
        #expect(try Policy(validating: standard.roles) == standard)
        #expect(standard.roles.map(\.name) == ["host", "guest", "viewer", "__internal_recorder"])
        #expect(standard.role("viewer")?.publishParams.allowed == [])
        #expect(standard.role("host")?.permissions.hlsStreaming == true)
        #expect(standard.role("guest")?.permissions.hlsStreaming == false)
        let recorder = try #require(standard.role(Policy.recorderRole))
        #expect(recorder.isHidden)
        #expect(recorder.publishParams.allowed.isEmpty)
        #expect(recorder.subscribeParams.subscribeToRoles == ["host", "guest", "viewer"])
    }

    @Test func theRecorderIsAddedAndSubscribesToEveryVisibleRole() throws {
        let policy = try Policy(validating: [
            Role(name: "x", subscribeParams: SubscribeParameters(subscribeToRoles: ["*"])),
            Role(name: "y"), Role(name: "spy", isHidden: true),
        ])
        #expect(policy.role("x")?.subscribeParams.subscribeToRoles == ["x", "y"])
        #expect(policy.role("y")?.subscribeParams.subscribeToRoles == [])
        #expect(policy.role("spy")?.subscribeParams.subscribeToRoles == ["x", "y"])
        #expect(
            policy.role(Policy.recorderRole)?.subscribeParams.subscribeToRoles == ["x", "y"])
    }

    @Test func contradictionsAreRefusedWithAReason() {
        #expect(reason([]) == "every role is hidden, so nobody could be seen")
        #expect(reason([Role(name: "x"), Role(name: "x")]) == "role 'x' is defined twice")
        #expect(reason([Role(name: "")]) == "a role's name has 1 to 256 characters")
        #expect(
            reason([Role(name: "x", maxPeerCount: -2)]) == "role 'x': maxPeerCount is -2, below -1")
        #expect(
            reason([
                Role(name: "x", subscribeParams: SubscribeParameters(subscribeToRoles: ["z"]))
            ]) == "role 'x' subscribes to role 'z', which does not exist")
        #expect(
            reason([
                Role(name: "x"),
                Role(
                    name: "spy", isHidden: true,
                    publishParams: PublishParameters(allowed: [.audio])),
            ]) == "role 'spy' is hidden and so may publish nothing")
        #expect(
            reason([Role(name: "x"), Role(name: Policy.recorderRole)])
                == "role '__internal_recorder' records the room and must be hidden")
        #expect(
            reason((0..<100).map { Role(name: "r\($0)") })
                == "101 roles; at most 100 are allowed")
    }
}
