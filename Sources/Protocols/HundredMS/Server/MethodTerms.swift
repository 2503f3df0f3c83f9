internal import Rooms

/// What a request must meet before its parameters are read, so that no time is spent on reading a
/// request that is refused anyway.
struct MethodTerms {
    /// The rate limit that applies.
    enum Rate {
        /// No limit here: the request is cheap, or is counted once its parameters are read.
        case free
        /// The request reads the room's state.
        case read
        /// The request reaches other peers. Here the limit is only checked; the request counts once
        /// it is done.
        case fanOut
    }

    /// In bytes of UTF-8, the whole frame: the longest valid request with its JSON escapes.
    var longestFrame = SignallingLimits.requestBytes
    /// Nil if it depends on the parameters.
    var permission: Permission?
    var rate = Rate.free
}

extension ClientMethod {
    var terms: MethodTerms {
        switch self {
        case .join, .analytics: MethodTerms(longestFrame: SignallingLimits.frameBytes)
        case .offer:
            MethodTerms(longestFrame: SignallingLimits.joinedFrameBytes, rate: .fanOut)
        case .answer: MethodTerms(longestFrame: SignallingLimits.joinedFrameBytes)
        case .pollQuestionsSet:
            MethodTerms(
                longestFrame: SignallingLimits.frameBytes, permission: .pollWrite, rate: .fanOut)
        case .pollResponse, .groupCall: MethodTerms(longestFrame: SignallingLimits.frameBytes)
        case .broadcast, .setMetadata: MethodTerms(permission: .broadcast, rate: .fanOut)
        case .endRoom: MethodTerms(permission: .endRoom, rate: .fanOut)
        case .peerLeaveRequest: MethodTerms(permission: .removeOthers, rate: .fanOut)
        case .roleChangeRequest: MethodTerms(permission: .changeRole, rate: .fanOut)
        case .hlsStart, .hlsStop, .hlsTimedMetadata:
            MethodTerms(permission: .hlsStreaming, rate: .fanOut)
        case .pollInfoSet, .pollStart, .pollStop:
            MethodTerms(permission: .pollWrite, rate: .fanOut)
        case .roleChange, .trackUpdateRequest, .changeTrackMuteStateRequest, .rtmpStart, .rtmpStop,
            .peerUpdate:
            MethodTerms(rate: .fanOut)
        case .getPeer, .findPeer, .peerIterNext, .getMetadata, .pollInfoGet, .pollQuestionsGet,
            .listenMetadataChange, .pollResponses, .pollList, .pollResult:
            MethodTerms(rate: .read)
        case .trickle, .leave, .ping, .trackUpdate, .peerNameSearch, .groupJoin, .groupLeave,
            .groupAdd, .groupRemove, .pollLeaderboard:
            MethodTerms()
        }
    }
}
