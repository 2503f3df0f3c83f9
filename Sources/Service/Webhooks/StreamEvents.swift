public import Catalogue
import ControlAPI
public import MediaKernel
import Webhooks

/// What is told of a stream when it reaches a state: 100ms' events with 100ms' fields.
///
/// An event's id is made of the stream's, so that telling it once more, after a crash, is the same
/// event.
public struct StreamEvents: Sendable {
    /// A link to an asset, with the server's address.
    public typealias Linker = @Sendable (CatalogueAsset, UnixTime) -> String?

    let accountID: String
    /// Whether assets are told of when they are in a store, and not before.
    let waitsForStore: Bool
    let link: Linker

    public init(
        accountID: String, waitsForStore: Bool = false, link: @escaping Linker
    ) {
        self.accountID = accountID
        self.waitsForStore = waitsForStore
        self.link = link
    }

    /// Of a stream that ran, or has come to its end with these assets.
    func deliveries(
        for record: CatalogueStream, order: RecordingOrder?, assets: [CatalogueAsset]
    ) -> [CatalogueDelivery] {
        guard let stream = LiveStream(record) else { return [] }
        var events: [(WebhookEvent.Kind, [String: JSONValue])] = []
        switch record.status {
        case .starting, .stopping, .postProcessing: break
        case .running: events.append((.hlsStarted, started(stream, order)))
        case .completed where stream.startedAt == nil:
            events.append(
                (.hlsFailed, failed(stream, order, "BEAM_STOPPED", "Beam stopped too early")))
        case .completed: events.append((.hlsStopped, stopped(stream, order)))
        case .failed:
            let message = stream.stopReason ?? "Internal error"
            let isUpload = message.hasPrefix("failure: the assets cannot be made")
            events.append(
                (
                    .hlsFailed,
                    failed(
                        stream, order, isUpload ? "UPLOAD_ERROR" : "INTERNAL_ERROR",
                        String(message.trimmingPrefix("failure: ")))
                ))
        }
        let made = assets.filter { $0.status == .completed }
        if record.status.isFinal, !made.isEmpty {
            events.append((.hlsRecorded, recorded(stream, made, at: record.updatedAt)))
        }
        let isHeld = waitsForStore && made.contains { $0.location == nil }
        return events.compactMap { kind, data in
            var delivery = delivery(kind, data, of: record, at: record.updatedAt)
            if kind == .hlsRecorded, isHeld { delivery?.status = .held }
            return delivery
        }
    }

    /// The body of the event of assets which have come into the store.
    ///
    /// - Returns: nil when none of them is kept any more.
    func recorded(
        _ record: CatalogueStream, assets: [CatalogueAsset], at now: UnixTime
    ) -> [UInt8]? {
        let made = assets.filter { $0.status == .completed }
        guard let stream = LiveStream(record), !made.isEmpty else { return nil }
        return delivery(.hlsRecorded, recorded(stream, made, at: now), of: record, at: now)?.body
    }

    private func delivery(
        _ kind: WebhookEvent.Kind, _ data: [String: JSONValue], of record: CatalogueStream,
        at now: UnixTime
    ) -> CatalogueDelivery? {
        let time = Timestamp(now)
        let event = WebhookEvent(
            id: "\(record.id)-\(kind.rawValue.replacing(".", with: "-"))", accountID: accountID,
            appID: accountID, timestamp: time.description.prefix(19) + "Z", kind: kind,
            data: .object(data))
        // Texts and numbers, which always encode.
        guard let body = try? event.body() else { return nil }
        return CatalogueDelivery(
            id: event.id, line: record.id.rawValue, room: record.room, kind: kind.rawValue,
            isTerminal: kind.isTerminal, body: body, createdAt: now)
    }

    // MARK: Data

    private func common(
        _ stream: LiveStream, _ order: RecordingOrder?
    ) -> [String: JSONValue] {
        var data: [String: JSONValue] = [
            "beam_id": .string(stream.id.rawValue), "job_id": .string(stream.id.rawValue),
            "room_id": .string(stream.room.rawValue), "peer_id": .string(stream.startedBy),
            "session_id": .string(stream.session?.rawValue ?? ""), "template_id": .string(""),
            "meeting_url": .string(stream.variant.meetingURL),
            "metadata_id": .string(stream.variant.metadata),
            "recording_single_file_per_layer_enabled": .bool(
                stream.recording?.singleFilePerLayer ?? false),
            "recording_vod_playlist_enabled": .bool(stream.recording?.hlsVOD ?? false),
        ]
        if let size = order?.layers.first, size.width > 0 {
            data["max_width"] = .integer(Int64(size.width))
            data["max_height"] = .integer(Int64(size.height))
        }
        return data
    }

    private func started(
        _ stream: LiveStream, _ order: RecordingOrder?
    ) -> [String: JSONValue] {
        var data = common(stream, order)
        let delay = (stream.startedAt ?? stream.createdAt).seconds - stream.createdAt.seconds
        data["start_delay"] = .integer(delay)
        data["url"] = .string(stream.playbackURL)
        data["started_at"] = Self.time(stream.startedAt)
        return data
    }

    private func ending(
        _ stream: LiveStream, _ order: RecordingOrder?
    ) -> [String: JSONValue] {
        var data = common(stream, order)
        let end = stream.stoppedAt ?? stream.updatedAt
        data["duration"] = .integer(
            stream.startedAt.map { max(0, end.seconds - $0.seconds) } ?? 0)
        data["url"] = .string(stream.playbackURL)
        data["started_at"] = Self.time(stream.startedAt)
        data["stopped_at"] = Self.time(end)
        return data
    }

    private func stopped(
        _ stream: LiveStream, _ order: RecordingOrder?
    ) -> [String: JSONValue] {
        var data = ending(stream, order)
        data["reason"] = .string(stream.stopReason ?? "")
        data["live_transcription_enabled"] = .bool(false)
        return data
    }

    private func failed(
        _ stream: LiveStream, _ order: RecordingOrder?, _ type: String, _ message: String
    ) -> [String: JSONValue] {
        var data = ending(stream, order)
        data["error_code"] = .integer(1)
        data["error_type"] = .string(type)
        data["error_message"] = .string(message)
        return data
    }

    private func recorded(
        _ stream: LiveStream, _ assets: [CatalogueAsset], at now: UnixTime
    ) -> [String: JSONValue] {
        var data: [String: JSONValue] = [
            "beam_id": .string(stream.id.rawValue), "recording_id": .string(stream.id.rawValue),
            "room_id": .string(stream.room.rawValue),
            "session_id": .string(stream.session?.rawValue ?? ""), "template_id": .string(""),
            "meeting_url": .string(stream.variant.meetingURL),
            "metadata_id": .string(stream.variant.metadata),
            "duration": .integer(
                assets.compactMap(\.duration).max().map { Int64($0.inSeconds.rounded()) } ?? 0),
            "started_at": Self.time(stream.startedAt), "stopped_at": Self.time(stream.stoppedAt),
            "recording_thumbnails": .array([]),
        ]
        if let first = assets.first {
            data["recording_created_at"] = Self.time(Timestamp(first.createdAt))
        }
        if let size = assets.compactMap(\.size).max(by: { $0.width < $1.width }) {
            data["max_width"] = .integer(Int64(size.width))
            data["max_height"] = .integer(Int64(size.height))
        }
        if let vod = assets.first(where: { $0.kind == .roomVOD }) {
            data["hls_vod_recording_path"] = .string(vod.location ?? vod.path)
            data["hls_vod_recording_presigned_url"] = url(vod, now)
            data["hls_vod_recording_size"] = .integer(vod.byteCount)
        }
        if let chat = assets.first(where: { $0.kind == .chat }) {
            data["chat_recording_path"] = .string(chat.location ?? chat.path)
            data["chat_recording_presigned_url"] = url(chat, now)
        }
        let files = assets.filter { $0.kind == .roomComposite }
            .sorted { ($0.layer ?? 0) < ($1.layer ?? 0) }
        data["recording_single_files"] = .array(files.map { file(of: $0, now) })
        return data
    }

    private func file(of asset: CatalogueAsset, _ now: UnixTime) -> JSONValue {
        var file: [String: JSONValue] = [
            "asset_id": .string(asset.id), "layer": .string(String(asset.layer ?? 0)),
            "recording_path": .string(asset.location ?? asset.path),
            "recording_presigned_url": url(asset, now),
            "size": .integer(asset.byteCount),
        ]
        if let size = asset.size {
            file["width"] = .integer(Int64(size.width))
            file["height"] = .integer(Int64(size.height))
        }
        return .object(file)
    }

    private func url(_ asset: CatalogueAsset, _ now: UnixTime) -> JSONValue {
        link(asset, now).map { .string($0) } ?? .null
    }

    private static func time(_ time: Timestamp?) -> JSONValue {
        time.map { .string($0.description) } ?? .null
    }
}
