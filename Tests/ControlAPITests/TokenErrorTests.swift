import HundredMSTerms
import MediaKernel
import Rooms
import Testing
import Tokens

@testable import ControlAPI

@Suite struct TokenErrorTests {
    @Test(arguments: [
        (TokenError.missing, 40100), (.expired(at: .init(seconds: 0)), 40100),
        (.notYetValid(from: .init(seconds: 0)), 40100), (.wrongVersion(1), 40100),
        (.wrongType(found: "a", expected: "b"), 40100), (.claimMissing("exp"), 40100),
        (.wrongAccessKey, 40101), (.claimMissing("access_key"), 40101),
        (.claimMissing("room_id"), 40102), (.claimInvalid("room_id"), 40102),
        (.claimInvalid("jti"), 40103), (.claimInvalid("app_id"), 40104),
        (.claimInvalid("customer_id"), 40105), (.claimInvalid("user_id"), 40107),
        (.claimMissing("role"), 40108), (.malformed("x"), 40109),
        (.algorithmNotAllowed("none"), 40109), (.signatureInvalid, 40109),
    ])
    func eachFaultHas100msNumber(error: TokenError, number: Int) {
        #expect(error.number.rawValue == number)
        #expect(error.number.status == 401)
    }
}
