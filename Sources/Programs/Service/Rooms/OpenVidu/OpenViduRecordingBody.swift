import Catalogue
import MediaKernel
import Streams

/// A recording in OpenVidu's words.
struct OpenViduRecordingBody {
    private let stream: LiveStream
    private let label: RecordingLabel
    /// Nil while there is none.
    private let file: CatalogueAsset?

    init(_ stream: LiveStream, _ assets: [CatalogueAsset]) {
        self.stream = stream
        label =
            stream.plan.recording?.label
            ?? RecordingLabel(id: stream.room.rawValue, name: stream.room.rawValue)
        file = Self.file(of: stream, assets)
    }

    /// The file that an application gets: the picture of the room, or the archive of its streams.
    static func file(of stream: LiveStream, _ assets: [CatalogueAsset]) -> CatalogueAsset? {
        let isBundle = stream.plan.recording?.label?.bundle != nil
        return assets.first {
            $0.kind == (isBundle ? .individual : .roomComposite) && $0.status == .completed
        }
    }

    /// - Parameter base: of the address, such as `https://live.example.org`.
    func json(base: String) -> JSONValue {
        let status = Self.status(of: stream)
        let isOver = ["ready", "failed"].contains(status)
        return .object(
            terms.merging([
                "id": .string(label.id), "object": "recording",
                "sessionId": .string(stream.room.rawValue),
                "createdAt": .integer(stream.createdAt.milliseconds), "size": size,
                "duration": duration, "status": .string(status),
                "url": isOver
                    ? fileName.map { .string("\(base)/openvidu/recordings/\(label.id)/\($0)") }
                        ?? .null : .null,
            ]) { $1 })
    }

    /// The members of an event.
    func event(_ status: String) -> [String: JSONValue] {
        let status = status == "ready" && file == nil ? "failed" : status
        return terms.merging([
            "id": .string(label.id), "size": size, "duration": duration,
            "status": .string(status),
        ]) { $1 }
    }

    /// Nil while there is no file.
    var fileName: String? { file.map { "\(label.name).\(Self.ending(of: $0))" } }

    var thumbnailName: String? {
        file?.thumbnails?.thumbnails.isEmpty == false ? "\(label.name).jpg" : nil
    }

    private static func ending(of asset: CatalogueAsset) -> Substring {
        asset.path.split(separator: ".").last ?? ""
    }

    private var terms: [String: JSONValue] {
        if case .object(let members) = label.terms { members } else { [:] }
    }

    private var size: JSONValue { .integer(file?.byteCount ?? 0) }

    /// In seconds.
    private var duration: JSONValue { .number(file?.duration?.inSeconds ?? 0) }

    static func status(of stream: LiveStream) -> String {
        switch stream.status {
        case .starting: "starting"
        case .running: "started"
        case .stopping, .postProcessing: "stopped"
        // Nothing was recorded.
        case .completed where stream.startedAt == nil: "failed"
        case .completed: "ready"
        case .failed: "failed"
        }
    }

    /// OpenVidu's name; nil for a failure.
    static func reason(_ end: StreamEnd) -> String? {
        switch end {
        case .stopped, .variantRefused, .durationReached, .botLeft: "recordingStoppedByServer"
        case .lastPeerLeft, .nothingPublished: "automaticStop"
        case .roomEnded: "sessionClosedByServer"
        case .serverStopped: "openviduServerStopped"
        case .failed: nil
        }
    }
}
