public import Rooms

extension StreamingFailure {
    /// The HTTP status with the same meaning (docs/ERRORS.md).
    public var code: Int {
        switch cause {
        case .invalid: 400
        case .forbidden: 403
        case .unknown: 404
        case .conflict: 409
        case .notEncoded: 422
        case .tooFrequent: 429
        case .broken: 500
        case .sourceBroken: 502
        case .unavailable: 503
        case .stoodStill: 504
        case .storageFull: 507
        }
    }
}
