import HundredMS
import HundredMSTerms
import MediaKernel
import Rooms
import Testing

@Suite struct ErrorNumberTests {
    @Test(arguments: [
        ("os:android,os_version:14,sdk:android,sdk_version:2.9.5", ClientKind.native),
        ("os:iOS,sdk:iOS", .native), ("sdk:android,framework:flutter", .native),
        ("sdk:android,sdk_version:2.9.5,framework:react-native", .reactNative),
        ("os:iOS,framework:React-Native,sdk:iOS", .reactNative),
        ("sdk:web,framework:react-web", .web), ("framework:react-native", .web),
        ("os:web_Linux,sdk:web,sdk_version:0.12.39", .web), ("", .web), ("sdk", .web),
        ("sdk:test", .web), ("x-sdk:ios", .web),
    ])
    func theClientsLibrarySaysWhatItUnderstands(userAgent: String, kind: ClientKind) {
        #expect(ClientKind(userAgent: userAgent) == kind)
    }

    @Test func reactNativeGetsTheNumberAndEverybodyElseThreeDigits() {
        for number in ErrorNumber.allCases {
            for client in [ClientKind.web, .native] {
                #expect(client.code(number.status, number) == number.rawValue / 100)
            }
            #expect(ClientKind.reactNative.code(number.status, number) == number.rawValue)
            #expect([400, 401, 410].contains(number.status))
        }
        #expect(ClientKind.reactNative.code(403, nil) == 403)
    }

    @Test(arguments: [RoomError.alreadyJoined("a"), .peerGone("a"), .otherRoom])
    func aNumberAndItsThreeDigitsAgree(error: RoomError) {
        #expect(error.number?.status == error.code)
    }

    /// docs/ERRORS.md has them, and docs/PROTOCOL.md section 10.
    @Test(arguments: [
        (RoomError.Kind.invalid, 400), (.forbidden, 403), (.unknown, 404), (.conflict, 409),
        (.gone, 410), (.tooFrequent, 429), (.broken, 500),
    ])
    func aRefusalHasThreeDigits(kind: RoomError.Kind, code: Int) throws {
        let refusals: [RoomError] = [
            .roleClash, .roomLocked, .unknownTrack("t"), .pollAnswered(question: 1),
            .peerGone("a"), .tooManyRequests(perSecond: 1), .invalidPolicy("no"),
        ]
        let refusal = try #require(refusals.first { $0.kind == kind })
        #expect(refusal.code == code)
    }

    /// docs/ERRORS.md has them.
    @Test func aStreamsFailureHasThreeDigits() {
        let codes = StreamingFailure.Cause.allCases.map { cause in
            StreamingFailure(cause, message: "").code
        }
        #expect(codes == [400, 403, 404, 409, 429, 503, 422, 502, 504, 507, 500])
    }
}
