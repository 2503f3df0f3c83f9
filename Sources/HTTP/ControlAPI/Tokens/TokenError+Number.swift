public import HundredMSTerms
public import Tokens

extension TokenError {
    /// 100ms' error number.
    public var number: ErrorNumber {
        switch self {
        case .malformed, .algorithmNotAllowed, .signatureInvalid: .tokenForm
        case .claimMissing("access_key"), .wrongAccessKey: .accessKey
        case .claimMissing("room_id"), .claimInvalid("room_id"): .roomID
        case .claimInvalid("jti"): .tokenID
        case .claimInvalid("app_id"): .appID
        case .claimInvalid("customer_id"): .customerID
        case .claimMissing("user_id"), .claimInvalid("user_id"): .userID
        case .claimMissing("role"), .claimInvalid("role"): .role
        case .missing, .claimMissing, .claimInvalid, .wrongType, .wrongVersion, .expired,
            .notYetValid:
            .token
        }
    }
}
