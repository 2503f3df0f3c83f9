import MediaKernel
import Testing

@testable import ICE

/// The test vectors of RFC 5769, as sent by other implementations, byte for byte.
@Suite struct STUNVectorTests {
    private static let password = "VOkJxbRl1RmTxUk/WvJxBt"
    private static let transaction: [UInt8] = [
        0xb7, 0xe7, 0xa7, 0x01, 0xbc, 0x34, 0xd6, 0x86, 0xfa, 0x87, 0xdf, 0xae,
    ]

    /// RFC 5769 sect. 2.1.
    private static let request: [UInt8] = [
        0x00, 0x01, 0x00, 0x58, 0x21, 0x12, 0xa4, 0x42, 0xb7, 0xe7, 0xa7, 0x01, 0xbc, 0x34, 0xd6,
        0x86, 0xfa, 0x87, 0xdf, 0xae, 0x80, 0x22, 0x00, 0x10, 0x53, 0x54, 0x55, 0x4e, 0x20, 0x74,
        0x65, 0x73, 0x74, 0x20, 0x63, 0x6c, 0x69, 0x65, 0x6e, 0x74, 0x00, 0x24, 0x00, 0x04, 0x6e,
        0x00, 0x01, 0xff, 0x80, 0x29, 0x00, 0x08, 0x93, 0x2f, 0xf9, 0xb1, 0x51, 0x26, 0x3b, 0x36,
        0x00, 0x06, 0x00, 0x09, 0x65, 0x76, 0x74, 0x6a, 0x3a, 0x68, 0x36, 0x76, 0x59, 0x20, 0x20,
        0x20, 0x00, 0x08, 0x00, 0x14, 0x9a, 0xea, 0xa7, 0x0c, 0xbf, 0xd8, 0xcb, 0x56, 0x78, 0x1e,
        0xf2, 0xb5, 0xb2, 0xd3, 0xf2, 0x49, 0xc1, 0xb5, 0x71, 0xa2, 0x80, 0x28, 0x00, 0x04, 0xe5,
        0x7a, 0x3b, 0xcf,
    ]

    /// RFC 5769 sect. 2.2.
    private static let responseIPv4: [UInt8] = [
        0x01, 0x01, 0x00, 0x3c, 0x21, 0x12, 0xa4, 0x42, 0xb7, 0xe7, 0xa7, 0x01, 0xbc, 0x34, 0xd6,
        0x86, 0xfa, 0x87, 0xdf, 0xae, 0x80, 0x22, 0x00, 0x0b, 0x74, 0x65, 0x73, 0x74, 0x20, 0x76,
        0x65, 0x63, 0x74, 0x6f, 0x72, 0x20, 0x00, 0x20, 0x00, 0x08, 0x00, 0x01, 0xa1, 0x47, 0xe1,
        0x12, 0xa6, 0x43, 0x00, 0x08, 0x00, 0x14, 0x2b, 0x91, 0xf5, 0x99, 0xfd, 0x9e, 0x90, 0xc3,
        0x8c, 0x74, 0x89, 0xf9, 0x2a, 0xf9, 0xba, 0x53, 0xf0, 0x6b, 0xe7, 0xd7, 0x80, 0x28, 0x00,
        0x04, 0xc0, 0x7d, 0x4c, 0x96,
    ]

    /// RFC 5769 sect. 2.3.
    private static let responseIPv6: [UInt8] = [
        0x01, 0x01, 0x00, 0x48, 0x21, 0x12, 0xa4, 0x42, 0xb7, 0xe7, 0xa7, 0x01, 0xbc, 0x34, 0xd6,
        0x86, 0xfa, 0x87, 0xdf, 0xae, 0x80, 0x22, 0x00, 0x0b, 0x74, 0x65, 0x73, 0x74, 0x20, 0x76,
        0x65, 0x63, 0x74, 0x6f, 0x72, 0x20, 0x00, 0x20, 0x00, 0x14, 0x00, 0x02, 0xa1, 0x47, 0x01,
        0x13, 0xa9, 0xfa, 0xa5, 0xd3, 0xf1, 0x79, 0xbc, 0x25, 0xf4, 0xb5, 0xbe, 0xd2, 0xb9, 0xd9,
        0x00, 0x08, 0x00, 0x14, 0xa3, 0x82, 0x95, 0x4e, 0x4b, 0xe6, 0x7b, 0xf1, 0x17, 0x84, 0xc9,
        0x7c, 0x82, 0x92, 0xc2, 0x75, 0xbf, 0xe3, 0xed, 0x41, 0x80, 0x28, 0x00, 0x04, 0xc8, 0xfb,
        0x0b, 0x4c,
    ]

    private let authenticator = TestAuthenticator()

    @Test func theTestAuthenticatorAgreesWithRFC2202() {
        let tag = authenticator.hmacSHA1(
            key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8))
        #expect(
            tag == [
                0xef, 0xfc, 0xdf, 0x6a, 0xe5, 0xeb, 0x2f, 0xa2, 0xd2, 0x74, 0x16, 0xd5, 0xf1, 0x84,
                0xdf, 0x9c, 0x25, 0x9a, 0x7c, 0x79,
            ])
    }

    @Test func theSampleRequestIsReadWhole() throws {
        let message = try STUNMessage(parsing: Self.request)
        #expect(message.class == .request)
        #expect(message.method == STUNMessage.bindingMethod)
        #expect(message.transaction.bytes == Self.transaction)
        #expect(
            message.attributes == [
                .software("STUN test client"), .priority(0x6E00_01FF),
                .iceControlled(0x932F_F9B1_5126_3B36), .username("evtj:h6vY"),
            ])
        #expect(message.isAuthentic(password: Self.password, by: authenticator))
        #expect(!message.isAuthentic(password: Self.password + "x", by: authenticator))
    }

    @Test func theSampleIPv4ResponseIsReadWhole() throws {
        let message = try STUNMessage(parsing: Self.responseIPv4)
        #expect(message.class == .success)
        #expect(message.mappedAddress == TransportAddress(ipv4: 192, 0, 2, 1, port: 32853))
        #expect(message.attributes.first == .software("test vector"))
        #expect(message.isAuthentic(password: Self.password, by: authenticator))
    }

    @Test func theSampleIPv6ResponseIsReadWhole() throws {
        let message = try STUNMessage(parsing: Self.responseIPv6)
        #expect(
            message.mappedAddress
                == TransportAddress("2001:db8:1234:5678:11:2233:4455:6677", port: 32853))
        #expect(message.isAuthentic(password: Self.password, by: authenticator))
    }

    @Test(arguments: [request, responseIPv4, responseIPv6])
    func theSamplesAreWrittenByteForByte(sample: [UInt8]) throws {
        let message = try STUNMessage(parsing: sample)
        let written = message.serialized(
            password: Self.password, by: authenticator, paddingByte: 0x20)
        #expect(written == sample)
    }

    @Test func whoIsMeantIsSeenWithoutAPassword() throws {
        #expect(STUNMessage.peekFragment(Self.request) == "evtj")
        #expect(STUNMessage.peekFragment([]) == nil)
        var random = SeededRandom(seed: 1)
        for fragment in ["clie", "eightIce"] {
            let id = STUNTransactionID.random(for: fragment, using: &random)
            let answer = STUNMessage(.success, transaction: id)
                .serialized(password: Self.password, by: authenticator)
            #expect(STUNMessage.peekFragment(answer) == fragment)
            let indication = STUNMessage(.indication, transaction: id)
                .serialized(password: nil, by: authenticator)
            #expect(STUNMessage.peekFragment(indication) == nil)
        }
    }

    @Test func otherProtocolsAreNotTakenForSTUN() {
        #expect(STUNMessage.isSTUN(Self.request))
        #expect(!STUNMessage.isSTUN(Array(Self.request.prefix(19))))
        // DTLS handshake, RTP, and STUN without the cookie.
        for first: UInt8 in [22, 128, 4] {
            var datagram = Self.request
            datagram[0] = first
            #expect(!STUNMessage.isSTUN(datagram))
        }
        var oldSTUN = Self.request
        oldSTUN[4] = 0
        #expect(!STUNMessage.isSTUN(oldSTUN))
    }

    @Test(arguments: [request, responseIPv4, responseIPv6])
    func everyTruncationIsAnError(sample: [UInt8]) {
        for count in 0..<sample.count {
            #expect {
                try STUNMessage(parsing: Array(sample.prefix(count)))
            } throws: { error in
                if case ICEError.malformedMessage = error { true } else { false }
            }
        }
    }

    @Test func aTruncationWithItsLengthFieldAdjustedNeverTraps() {
        for sample in [Self.request, Self.responseIPv6] {
            for count in stride(from: 20, to: sample.count, by: 1) {
                var bytes = Array(sample.prefix(count))
                bytes[2] = UInt8((count - 20) >> 8)
                bytes[3] = UInt8((count - 20) & 0xFF)
                if let message = try? STUNMessage(parsing: bytes) {
                    // The rest may parse, but a proof must be complete.
                    let end = sample.count - 8
                    #expect(message.hasIntegrity == (count >= end))
                }
            }
        }
    }

    @Test func everySingleBitFlipIsNoticed() throws {
        for sample in [Self.request, Self.responseIPv4, Self.responseIPv6] {
            let whole = try STUNMessage(parsing: sample)
            for bit in 0..<(sample.count * 8) {
                var bytes = sample
                bytes[bit / 8] ^= 1 << (bit % 8)
                guard let message = try? STUNMessage(parsing: bytes),
                    message.isAuthentic(password: Self.password, by: authenticator)
                else { continue }
                // Only FINGERPRINT's own type can change unnoticed; it then is one of the unknown
                // attributes after MESSAGE-INTEGRITY, which are ignored.
                #expect(bit / 8 >= sample.count - 8)
                #expect(message == whole)
            }
        }
    }
}
