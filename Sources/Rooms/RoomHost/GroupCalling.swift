public import GroupCalls
public import MediaKernel

/// Carries out what peers ask of group calls.
public protocol GroupCalling: Sendable {
    /// - Parameters:
    ///   - room: in which the caller is. An invitation may be into another one.
    func perform(
        _ request: CallRequest, by caller: CallCaller, in room: RoomID
    ) async throws(CallError) -> CallAnswer
}

/// For rooms of which none is a group call.
public struct NoGroupCalls: GroupCalling {
    public init() {}

    public func perform(
        _ request: CallRequest, by caller: CallCaller, in room: RoomID
    ) async throws(CallError) -> CallAnswer {
        throw .unknownCall(room)
    }
}
