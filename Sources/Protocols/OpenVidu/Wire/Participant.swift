internal import MediaKernel
internal import Rooms

/// A connection, as OpenVidu's clients call a participant. It has at most one stream; so a peer with
/// a camera and a screen is two of them.
struct Participant: Hashable {
    let id: String
    var metadata: String
    /// In milliseconds.
    var createdAt: Int64
    var stream: SharedStream?

    var json: JSONValue {
        var members = head
        if let stream { members["streams"] = .array([stream.json]) }
        return .object(members)
    }

    var head: [String: JSONValue] {
        [
            "id": .string(id), "metadata": .string(metadata), "createdAt": .integer(createdAt),
        ]
    }
}

/// One published stream: a video, an audio, or both.
struct SharedStream: Hashable {
    let id: String
    var createdAt: Int64
    var audio: TrackID?
    var video: TrackID?
    var isAudioActive = false
    var isVideoActive = false
    var terms: StreamTerms

    var json: JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(id), "createdAt": .integer(createdAt),
            "hasAudio": .bool(audio != nil), "hasVideo": .bool(video != nil),
            "audioActive": .bool(isAudioActive), "videoActive": .bool(isVideoActive),
            "filter": .object([:]),
        ]
        if video != nil {
            members["typeOfVideo"] = .string(terms.source)
            members["frameRate"] = .integer(Int64(terms.frameRate))
            members["videoDimensions"] = .string(terms.dimensions)
        }
        return .object(members)
    }
}

/// What a publisher says of its stream's video.
struct StreamTerms: Hashable {
    /// `CAMERA`, `SCREEN`, `CUSTOM` or `IPCAM`.
    var source = "CAMERA"
    /// -1 if unknown.
    var frameRate = -1
    /// A JSON object with `width` and `height`, as text.
    var dimensions = #"{"width":640,"height":480}"#
    /// Why the dimensions have changed.
    var resizing = "deviceRotated"

    static let resizings: Set<String> = ["deviceRotated", "screenResized", "trackReplaced"]
    static let sources: Set<String> = ["CAMERA", "SCREEN", "CUSTOM", "IPCAM"]

    /// The three letters that stand for it in a stream's id.
    func letters(hasVideo: Bool) -> String {
        guard hasVideo else { return "MIC" }
        return source == "IPCAM" ? "IPC" : String(source.prefix(3))
    }
}

/// What a client has to be told about another peer.
enum ParticipantChange: Hashable {
    case joined(Participant)
    case published(Participant)
    case unpublished(Participant)
    case left(Participant)
    case property(PropertyChange)

    /// The stream that is gone with it.
    var ended: SharedStream? {
        switch self {
        case .unpublished(let participant), .left(let participant): participant.stream
        case .joined, .published, .property: nil
        }
    }

    /// The changes between what the client knows and what is, in order.
    static func changes(from old: [Participant], to new: [Participant]) -> [ParticipantChange] {
        var changes: [ParticipantChange] = []
        for participant in old {
            guard let present = new.first(where: { $0.id == participant.id }) else {
                changes.append(.left(participant))
                continue
            }
            guard let stream = participant.stream, stream.id != present.stream?.id else {
                continue
            }
            changes.append(.unpublished(participant))
        }
        for participant in new {
            let known = old.first { $0.id == participant.id }
            if known == nil { changes.append(.joined(participant)) }
            guard let stream = participant.stream else { continue }
            guard let before = known?.stream, before.id == stream.id else {
                changes.append(.published(participant))
                continue
            }
            changes += properties(of: participant, stream, since: before)
        }
        return changes
    }

    private static func properties(
        of participant: Participant, _ stream: SharedStream, since before: SharedStream
    ) -> [ParticipantChange] {
        let id = participant.id
        var changes: [PropertyChange] = []
        if stream.isAudioActive != before.isAudioActive {
            changes.append(.init(isActive: stream.isAudioActive, .audio, of: stream.id, id))
        }
        if stream.isVideoActive != before.isVideoActive {
            changes.append(.init(isActive: stream.isVideoActive, .video, of: stream.id, id))
        }
        if stream.terms.dimensions != before.terms.dimensions {
            changes.append(
                .init(
                    dimensions: stream.terms.dimensions, reason: stream.terms.resizing,
                    of: stream.id, id))
        }
        return changes.map(ParticipantChange.property)
    }
}
