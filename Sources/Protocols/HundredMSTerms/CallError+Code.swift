public import GroupCalls

extension CallError {
    /// The status in the server API, and the code of JSON-RPC errors.
    public var code: Int {
        switch kind {
        case .invalid: 400
        case .forbidden: 403
        case .unknown: 404
        case .conflict: 409
        case .gone: 410
        case .unavailable: 503
        }
    }
}
