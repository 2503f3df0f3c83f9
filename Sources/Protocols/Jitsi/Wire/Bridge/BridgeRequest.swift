internal import MediaKernel

/// What a client says on the bridge's channel.
enum BridgeRequest: Hashable {
    /// The first message on a WebSocket, answered by `ServerHello`.
    case hello
    case videoConstraints(VideoConstraints)
    case audioSubscription(AudioSubscription)

    /// The message.
    var text: String {
        var members: [String: JSONValue]
        let type: String
        switch self {
        case .hello: (type, members) = ("ClientHello", [:])
        case .videoConstraints(let wanted):
            (type, members) = ("ReceiverVideoConstraints", wanted.members)
        case .audioSubscription(let wanted):
            (type, members) = ("ReceiverAudioSubscription", wanted.members)
        }
        members["colibriClass"] = .string(type)
        return JitsiJSON.text(members)
    }
}

/// How large the videos may be that the bridge sends, in pixels of height. Without it, a bridge
/// sends thumbnails.
struct VideoConstraints: Hashable {
    /// How many videos are wanted; -1 for all.
    var lastN = -1
    /// Of videos that are not named.
    var standardHeight: Int
    /// By the names of sources; 0 for none.
    var heights: [String: Int] = [:]

    var members: [String: JSONValue] {
        func constraint(_ height: Int) -> JSONValue {
            .object(["maxHeight": .integer(Int64(height))])
        }
        return [
            "lastN": .integer(Int64(lastN)), "defaultConstraints": constraint(standardHeight),
            "constraints": .object(heights.mapValues(constraint)),
        ]
    }
}

/// Which sources are heard.
struct AudioSubscription: Hashable {
    /// Whether those that are not named are heard.
    var includesAll: Bool
    var excluded: [String] = []

    var members: [String: JSONValue] {
        [
            "all": .bool(includesAll), "include": .array([]),
            "exclude": .array(excluded.map(JSONValue.string)),
        ]
    }
}
