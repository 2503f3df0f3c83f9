import MediaKernel
import Testing

@testable import ICE

@Suite struct STUNMessageTests {
    private let authenticator = TestAuthenticator()
    private let transaction = STUNTransactionID(Array(1...12))

    private func message(_ attributes: [STUNAttribute]) throws -> STUNMessage {
        STUNMessage(.request, transaction: try #require(transaction), attributes: attributes)
    }

    @Test func everyAttributeSurvivesTheWire() throws {
        let attributes: [STUNAttribute] = [
            .username("one:two"), .software("x"), .priority(7), .useCandidate,
            .iceControlling(.max), .iceControlled(1), .errorCode(487, reason: "Role Conflict"),
            .unknownAttributes([1, 0x7FFF]), .other(type: 0x7777, value: [1, 2, 3]),
            .mappedAddress(TransportAddress(ipv4: 10, 0, 0, 1, port: 1)),
            .xorMappedAddress(TransportAddress(ipv4: 255, 0, 255, 0, port: 65535)),
        ]
        let sent = try message(attributes)
        let bytes = sent.serialized(password: "secret", by: authenticator)
        let received = try STUNMessage(parsing: bytes)
        #expect(received.attributes == attributes)
        #expect(received.isAuthentic(password: "secret", by: authenticator))
        #expect(bytes.count.isMultiple(of: 4))
    }

    @Test(arguments: [0, 1, 0x0F, 0x10, 0x7F, 0x80, 0xFF] as [UInt16])
    func methodAndClassAreInterleavedInTheType(method: UInt16) throws {
        for kind: STUNMessage.Class in [.request, .indication, .success, .error] {
            let sent = STUNMessage(kind, method: method, transaction: try #require(transaction))
            let received = try STUNMessage(
                parsing: sent.serialized(password: nil, by: authenticator))
            #expect(received.method == method)
            #expect(received.class == kind)
            #expect(!received.hasIntegrity)
            #expect(!received.isAuthentic(password: "", by: authenticator))
        }
    }

    @Test func attributesBehindTheProofAreIgnored() throws {
        var bytes = try message([.username("a:b")]).serialized(password: "p", by: authenticator)
        // Instead of FINGERPRINT, an attribute appended by a third party.
        bytes.removeLast(8)
        bytes += [0x00, 0x25, 0x00, 0x00]
        let length = bytes.count - STUNMessage.headerBytes
        bytes[2] = UInt8(length >> 8)
        bytes[3] = UInt8(length & 0xFF)
        let received = try STUNMessage(parsing: bytes)
        #expect(received.isAuthentic(password: "p", by: authenticator))
        #expect(!received.usesCandidate)
    }

    @Test func aWrongFingerprintIsItsOwnError() throws {
        var bytes = try message([]).serialized(password: nil, by: authenticator)
        bytes[bytes.count - 1] ^= 1
        #expect(throws: ICEError.fingerprintMismatch) { try STUNMessage(parsing: bytes) }
    }

    @Test func moreAttributesThanAllowedAreRefused() throws {
        let most = ICELimits.attributesPerMessageMaximum
        let full = try message(Array(repeating: .useCandidate, count: most))
        let over = try message(Array(repeating: .useCandidate, count: most + 1))
        let fullBytes = full.serialized(password: nil, by: authenticator)
        let overBytes = over.serialized(password: nil, by: authenticator)
        #expect(try STUNMessage(parsing: fullBytes).attributes.count == most)
        #expect(throws: ICEError.malformedMessage(reason: "too many attributes")) {
            try STUNMessage(parsing: overBytes)
        }
    }

    @Test func aMessageBeyondTheMaximumIsRefused() throws {
        let value = [UInt8](repeating: 0, count: ICELimits.messageBytesMaximum)
        let bytes = try message([.other(type: 0x8888, value: value)])
            .serialized(password: nil, by: authenticator)
        let error = ICEError.malformedMessage(reason: "\(bytes.count) bytes are too many")
        #expect(throws: error) { try STUNMessage(parsing: bytes) }
    }

    @Test func mutatedMessagesNeverTrapAndNeverPassForAuthentic() throws {
        let original = try message([
            .username("abcd:efgh"), .priority(1), .iceControlling(2), .useCandidate,
            .xorMappedAddress(TransportAddress(ipv4: 1, 2, 3, 4, port: 5)),
            .errorCode(400, reason: "Bad"), .unknownAttributes([1, 2]),
        ]).serialized(password: "p", by: authenticator)
        let parsed = try STUNMessage(parsing: original)
        var random = SeededRandom(seed: 1)
        for _ in 0..<3000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            // Gets most of them past the first check.
            bytes.replaceSubrange(4..<8, with: [0x21, 0x12, 0xA4, 0x42])
            bytes[2] = UInt8((bytes.count - 20) >> 8)
            bytes[3] = UInt8((bytes.count - 20) & 0xFF)
            // Without FINGERPRINT, so that the attributes are reached.
            if Bool.random(using: &random) { bytes[bytes.count - 7] ^= 0xFF }
            guard let message = try? STUNMessage(parsing: bytes) else { continue }
            if message != parsed, message.hasIntegrity, message.attributes != parsed.attributes {
                #expect(!message.isAuthentic(password: "p", by: authenticator))
            }
        }
    }
}
