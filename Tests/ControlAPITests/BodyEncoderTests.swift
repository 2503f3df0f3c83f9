import Foundation
import MediaKernel
import Testing

@testable import ControlAPI

@Suite struct BodyEncoderTests {
    private struct Part: Codable {
        var name = "é \"quoted\"\\ / \u{1}\n"
        var size: UInt16 = 7
        var share = 0.25
        var whole: Float = 30
        var nothing: Int?
    }

    private struct Whole: Codable {
        var zeta = true
        var alpha: [Part] = [Part(), Part()]
        var texts = ["b": 1, "a": -2]
        var empty: [String] = []
        var json = JSONValue.object(["y": .array([.null, .number(0.5)]), "x": .bool(false)])
        var maybe: Part? = Part()
        var large = UInt64.max - 1
    }

    /// Puts fields of its own beside those of another, in one object and in nested ones.
    private struct Mixed: Encodable {
        enum Key: String, CodingKey { case own, nested, list, id }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            var nested = container.nestedContainer(keyedBy: Key.self, forKey: .nested)
            try list.encode(1)
            try nested.encode("inside", forKey: .own)
            try list.encodeNil()
            try container.encodeNil(forKey: .id)
            try Part().encode(to: encoder)
            try nested.encode([Part()], forKey: .list)
            try Part().encode(to: container.superEncoder(forKey: .own))
        }
    }

    private func isAsFoundationHasIt(_ value: some Encodable) throws -> Bool {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value)) == (try BodyEncoder.text(value))
    }

    @Test func bodiesAreTheBytesThatFoundationMakesOfThem() throws {
        var whole = Whole()
        // Beyond 63 bits ours is a number like any other.
        whole.large = UInt64(Int64.max)
        #expect(try isAsFoundationHasIt(whole))
        #expect(try isAsFoundationHasIt(Mixed()))
        #expect(try isAsFoundationHasIt([1, 2]))
        #expect(try isAsFoundationHasIt("text"))
        #expect(try isAsFoundationHasIt([String: Part]()))
    }

    @Test func whatAValueThrowsIsThrown() {
        struct Refusing: Encodable {
            func encode(to encoder: any Encoder) throws { throw CancellationError() }
        }
        #expect(throws: CancellationError.self) { try BodyEncoder.text(["a": [Refusing()]]) }
    }
}
