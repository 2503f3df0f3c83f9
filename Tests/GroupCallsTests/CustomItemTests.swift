import MediaKernel
import Testing

@testable import GroupCalls

/// The error that a body throws, or nil.
func callError(_ body: () throws -> Void) -> CallError? {
    do {
        try body()
        return nil
    } catch {
        return error as? CallError
    }
}

@Suite struct CustomItemTests {
    @Test func aChangeNamesItsKeysAndRaisesTheVersion() throws {
        var items = try CustomItems(["topic": "a", "host": "ann"])
        #expect(items.version == 1)
        #expect(try items.set(["topic": "b", "host": "ann", "seat": "3"]) == ["seat", "topic"])
        #expect(items.version == 2)
        #expect(items.values == ["topic": "b", "host": "ann", "seat": "3"])
        #expect(try items.remove(["seat", "nothing", "seat"]) == ["seat"])
        #expect(items.version == 3)
        #expect(try items.remove(nil) == ["host", "topic"])
        #expect(items.values.isEmpty && items.version == 4)
    }

    @Test func whatChangesNothingIsNoChange() throws {
        var items = try CustomItems(["topic": "a"])
        #expect(try items.set(["topic": "a"]) == [])
        #expect(try items.remove(["other"]) == [])
        #expect(items.version == 1)
        #expect(try CustomItems([:]).version == 0)
    }

    @Test(
        arguments: [
            (["": "v"], .invalidField("a key of the custom items", reason: "is empty")),
            (
                [String(repeating: "k", count: 129): "v"],
                .tooLong(field: "a key of the custom items", count: 129, maximum: 128)
            ),
            (
                ["k": String(repeating: "é", count: 513)],
                .tooLong(field: "custom item 'k'", count: 1026, maximum: 1024)
            ),
            ([:], .invalidField("custom_items", reason: "is empty")),
        ] as [([String: String], CallError)])
    func itemsPastTheirLimitsAreRefused(new: [String: String], refusal: CallError) throws {
        var items = try CustomItems(["topic": "a"])
        let before = items
        #expect(callError { _ = try items.set(new) } == refusal)
        #expect(items == before)
    }

    @Test func aCallHasAtMostTwentyItems() throws {
        let full = Dictionary(uniqueKeysWithValues: (1...20).map { ("k\($0)", "v") })
        var items = try CustomItems(full)
        #expect(callError { _ = try items.set(["one more": ""]) } == .tooManyItems(maximum: 20))
        #expect(callError { _ = try CustomItems(full.merging(["x": ""]) { $1 }) }?.kind == .invalid)
        // A present one may still change.
        #expect(try items.set(["k1": "w"]) == ["k1"])
        #expect(callError { _ = try items.remove([]) } == .invalidField("keys", reason: "is empty"))
        let many = (1...21).map { "k\($0)" }
        #expect(callError { _ = try items.remove(many) }?.kind == .invalid)
    }
}
