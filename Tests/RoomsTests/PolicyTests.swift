import Rooms
import Testing

@Suite struct PolicyTests {
    func reason(_ roles: [Role]) -> String? {
        guard case .invalidPolicy(let reason)? = roomError({ _ = try Policy(validating: roles) })
        else { return nil }
        return reason
    }

    @Test func aHiddenRoleSubscribesToEveryVisibleRoleUnlessItNamesSome() throws {
        let policy = try Policy(validating: [
            Role(name: "x", subscribeParams: SubscribeParameters(subscribeToRoles: ["*"])),
            Role(name: "y"), Role(name: "spy", isHidden: true),
            Role(
                name: "half", isHidden: true,
                subscribeParams: SubscribeParameters(subscribeToRoles: ["y"])),
        ])
        #expect(policy.role("x")?.subscribeParams.subscribeToRoles == ["x", "y"])
        #expect(policy.role("y")?.subscribeParams.subscribeToRoles == [])
        #expect(policy.role("spy")?.subscribeParams.subscribeToRoles == ["x", "y"])
        #expect(policy.role("half")?.subscribeParams.subscribeToRoles == ["y"])
        #expect(policy.visibleRoleNames == ["x", "y"])
    }

    @Test func contradictionsAreRefusedWithAReason() {
        #expect(reason([]) == "every role is hidden, so nobody could be seen")
        #expect(reason([Role(name: "x"), Role(name: "x")]) == "role 'x' is defined twice")
        #expect(reason([Role(name: "")]) == "a role's name has 1 to 256 characters")
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
            reason((0..<101).map { Role(name: "r\($0)") })
                == "101 roles; at most 100 are allowed")
    }
}
