internal import MediaKernel

/// What is accepted of a server and of a room's members. Beyond a limit, a description is refused,
/// and a list of members or messages is cut.
enum JitsiLimits {
    // MARK: A session's description

    /// Jicofo sends three: audio, video and data.
    static let contents = 8
    static let payloadTypes = 64
    /// Of one payload type.
    static let parameters = 32
    static let feedback = 16
    static let headerExtensions = 32
    static let candidates = 64
    static let fingerprints = 8
    static let sockets = 8

    // MARK: Sources

    /// SSRCs in one description, and those of a conference.
    static let sources = 8192
    /// Of one group: an SSRC and its repair, or the layers of a video.
    static let groupMembers = 16
    /// A description of 8192 sources has no more values.
    static let sourcesJSON = JSONLimits(depth: 8, nodes: 131_072)
    static let sourcesJSONBytes = 1 << 20

    // MARK: The room

    /// Members that are kept. Later ones are left out.
    static let members = 2000
    static let features = 64
    /// Sources in one member's presence.
    static let memberSources = 32
    static let memberJSON = JSONLimits(depth: 4, nodes: 512)
    static let memberJSONBytes = 16 << 10
    /// Of a name, an address of a picture and the like.
    static let textBytes = 1024
    static let properties = 64
    /// Of an answer to a conference request by HTTP.
    static let answerBytes = 64 << 10
    static let answerJSON = JSONLimits(depth: 4, nodes: 512)
    /// Of a message to the room.
    static let messageBytes = 64 << 10

    /// Of a client's answer to what it can do.
    static let discoveredFeatures = 512

    // MARK: The bridge

    static let bridgeBytes = 256 << 10
    static let bridgeJSON = JSONLimits.frame

    /// Of an attribute, in bytes.
    static let attributeBytes = 1024
}
