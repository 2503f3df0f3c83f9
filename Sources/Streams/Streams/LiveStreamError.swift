public import MediaKernel

/// Why a live-stream operation was refused.
public enum LiveStreamError: Error, Hashable, Sendable, CustomStringConvertible {
    case notFound(String)
    /// The policy has destinations, but none of that name.
    case unknownDestination(String)
    case tooManyStreams(running: Int, maximum: Int)
    /// In cores. `needed` includes the needs of streams that were just started.
    case insufficientCPU(idle: Double, needed: Double)
    case tooManyVariants(room: RoomID, maximum: Int)
    /// The stream is on air without something the request asks for, and cannot add it any more.
    case runsOtherwise(StreamID, String)
    /// The reason names the field.
    case invalidLayout(String)
    /// The settings do not list the host of a source.
    case sourceNotAllowed(host: String)
    /// The settings have nothing by which an OpenVidu server would admit us.
    case sourceLocked(server: String)
    /// The settings do not list a Jitsi deployment.
    case conferenceUnknown(deployment: String)
    /// The settings do not allow pages of the web.
    case pagesDisabled
    /// The machine has no program that shows pages.
    case noBrowser
    case tooManyPages(running: Int, maximum: Int)
    /// In bytes.
    case insufficientMemory(available: Int, needed: Int)
    /// The reason names the rule.
    case invalidResolution(String)
    case invalidOutput(OutputFault)
    /// The reason names the rule.
    case invalidContainer(String)
    case tooManyOutputs(StreamID, maximum: Int)
    /// The stream has ended or is ending, so it cannot be changed.
    case notOnAir(StreamID)
    /// The stream has nothing to fetch yet, or has ended or is ending.
    case notRunning(StreamID)
    /// The playlists list the maximum of timed metadata.
    case tooMuchTimedMetadata(StreamID, maximum: Int)
    /// Timed metadata or captions arrive faster than the stream accepts it.
    case tooFast(perSecond: Int)
    /// The stream has no such captions; the reason names those that it has.
    case invalidCaption(String)
    /// The stream's captions have reached the maximum.
    case tooManyCaptions(StreamID, maximum: Int)
    /// The stream has no recording to pause.
    case notRecorded(StreamID)
    /// The room was a group call, and is over for good.
    case roomDeleted(RoomID)
    /// The room's policy is currently unknown.
    case unknownPolicy(String)
    /// The catalogue cannot be read now, but can be later.
    case catalogueUnavailable(String)
    /// The catalogue cannot be read.
    case catalogueBroken(String)
    case shuttingDown
    case storage(String)

    public var description: String {
        switch self {
        case .notFound(let what): what
        case .unknownDestination(let name): "the policy has no destination '\(name)'"
        case .tooManyStreams(let running, let maximum):
            "too many streams: \(running) of \(maximum) are on air"
        case .insufficientCPU(let idle, let needed):
            "not enough CPU: \(Self.cores(idle)) cores are idle, \(Self.cores(needed)) are needed"
        case .tooManyVariants(let room, let maximum):
            "too many variants: room \(room) may have at most \(maximum) on air"
        case .runsOtherwise(let id, let reason): "stream \(id) runs already, \(reason)"
        case .invalidLayout(let reason): "layout is not valid: \(reason)"
        case .sourceNotAllowed(let host): "\(host) is not one of the hosts in stream.sourceHosts"
        case .sourceLocked(let server):
            "openvidu.servers has neither a secret nor a token of this session for \(server)"
        case .conferenceUnknown(let deployment):
            "\(deployment) is not one of the deployments in jitsi.deployments"
        case .pagesDisabled:
            "meeting_url is not a page of this server's own rooms, and the setting "
                + "customView.enabled, by which other pages are streamed, is off"
        case .noBrowser: "this machine has no Chromium any more, which shows pages"
        case .tooManyPages(let running, let maximum):
            "too many pages: \(running) of \(maximum) are on air"
        case .insufficientMemory(let available, let needed):
            "not enough memory: \(available / 1_000_000) MB are available, "
                + "\(needed / 1_000_000) MB are needed"
        case .invalidResolution(let reason): "resolution is not valid: \(reason)"
        case .invalidOutput(let fault): fault.description
        case .invalidContainer(let reason): "container is not valid: \(reason)"
        case .tooManyOutputs(let id, let maximum):
            "stream \(id) is already pushed to \(maximum) places"
        case .notOnAir(let id): "stream \(id) is not on air"
        case .notRunning(let id): "stream \(id) is not running"
        case .tooMuchTimedMetadata(let id, let maximum):
            "stream \(id) already has \(maximum) timed metadata"
        case .invalidCaption(let reason): reason
        case .tooManyCaptions(let id, let maximum):
            "stream \(id) already has \(maximum) captions, or as much text as fits"
        case .tooFast(let perSecond): "more than \(perSecond) a second"
        case .notRecorded(let id): "stream \(id) is not recorded"
        case .unknownPolicy(let reason): "the room's policy cannot be told: \(reason)"
        case .catalogueUnavailable(let reason), .catalogueBroken(let reason): reason
        case .roomDeleted(let room): "room \(room) is deleted"
        case .shuttingDown: "the server is shutting down"
        case .storage(let reason): "the output directory cannot be used: \(reason)"
        }
    }

    /// Rounded to two decimal places.
    public static func cores(_ number: Double) -> String { "\((number * 100).rounded() / 100)" }
}
