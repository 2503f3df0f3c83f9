public import Catalogue
public import MediaKernel
import Streams
import Webhooks

/// The events of streams on changes of state: 100ms' events with 100ms' fields.
///
/// An event's id is derived from the stream's, so sending it again after a crash is the same event.
public struct StreamEvents: Sendable, StreamEventSource {
    /// Links to an asset and to pictures of its recording, with the server's address.
    public struct Links: Hashable, Sendable {
        var file: String
        /// In the asset's order.
        var thumbnails: [String] = []
        var sprite: String?
        var spriteTracks: String?
    }

    public typealias Linker = @Sendable (CatalogueAsset, UnixTime) -> Links?

    let accountID: String
    /// Whether events about assets wait until the assets are in a store.
    let waitsForStore: Bool
    let link: Linker

    public init(
        accountID: String, waitsForStore: Bool = false, link: @escaping Linker
    ) {
        self.accountID = accountID
        self.waitsForStore = waitsForStore
        self.link = link
    }

    /// The events of a stream that runs, or has ended with these assets.
    func deliveries(
        for record: CatalogueStream, order: RecordingOrder?, assets: [CatalogueAsset]
    ) -> [CatalogueDelivery] {
        guard let stream = LiveStream(record) else { return [] }
        let family = Family(stream.kind)
        var events: [(WebhookEvent.Kind, [String: JSONValue])] = []
        switch record.status {
        case .starting, .stopping, .postProcessing: break
        case .running:
            events.append((family.started, started(stream, order)))
            if order?.tracks != nil { events.append((.tracksStarted, started(stream, order))) }
        case .completed where stream.startedAt == nil:
            events.append(
                (family.failed, failed(stream, order, "BEAM_STOPPED", "Beam stopped too early")))
        case .completed: events.append((family.stopped, stopped(stream, order)))
        case .failed:
            events.append(
                (family.failed, failed(stream, order, Self.type(of: stream), Self.message(stream))))
        }
        let made = assets.filter { $0.status == .completed }
        if record.status.isFinal, !made.isEmpty {
            // Tracks have an event of their own; a recording may consist of nothing else.
            if made.contains(where: { $0.kind == .roomComposite || $0.kind == .roomVOD })
                || !made.contains(where: { $0.kind == .track })
            {
                let data = recorded(stream, made, at: record.updatedAt)
                events += family.recorded.map { ($0, data) }
            }
        } else if record.status == .failed, stream.kind == .recording, stream.startedAt != nil {
            var data = failed(stream, order, "PROCESSING_CMD_ERROR", Self.message(stream))
            data["error"] = data["error_message"]
            // The session may still go on.
            data["session_stopped_at"] = .null
            events.append((.recordingFailed, data))
        }
        if record.status.isFinal, let tracks = order?.tracks ?? Self.order(made),
            stream.startedAt != nil
        {
            events += trackEvents(of: record, stream, order, tracks, made)
        }
        let isHeld = waitsForStore && made.contains { $0.location == nil }
        return events.map { kind, data in
            var delivery = delivery(kind, data, of: record, at: record.updatedAt)
            if isHeld, tellsOfAssets(kind) { delivery.status = .held }
            return delivery
        }
    }

    /// What a server that does not know the order any more sees in the assets.
    private static func order(_ made: [CatalogueAsset]) -> TrackOrder? {
        guard made.contains(where: { $0.kind == .track }) else { return nil }
        return TrackOrder(perPeer: made.contains { $0.kind == .stream })
    }

    /// One event for the tracks and one for the files of peers, whether they exist or not.
    private func trackEvents(
        of record: CatalogueStream, _ stream: LiveStream, _ order: RecordingOrder?,
        _ tracks: TrackOrder, _ made: [CatalogueAsset]
    ) -> [(WebhookEvent.Kind, [String: JSONValue])] {
        let wanted: [(CatalogueAsset.Kind, WebhookEvent.Kind, WebhookEvent.Kind)] =
            [(.track, .tracksRecorded, .tracksFailed)]
            + (tracks.perPeer == true ? [(.stream, .peersRecorded, .peersFailed)] : [])
        return wanted.map { kind, recorded, failure in
            if made.contains(where: { $0.kind == kind }) {
                return (recorded, data(of: recorded, stream, made, at: record.updatedAt))
            }
            let words = record.status == .failed ? Self.message(stream) : "Nothing was recorded"
            var data = failed(stream, order, "PROCESSING_CMD_ERROR", words)
            data["error"] = data["error_message"]
            return (failure, data)
        }
    }

    private func data(
        of kind: WebhookEvent.Kind, _ stream: LiveStream, _ made: [CatalogueAsset],
        at now: UnixTime
    ) -> [String: JSONValue] {
        switch kind {
        case .tracksRecorded: tracksRecorded(stream, made, at: now)
        case .peersRecorded: peersRecorded(stream, made, at: now)
        default: recorded(stream, made, at: now)
        }
    }

    /// The body of an event about assets that are now in the store.
    ///
    /// - Returns: nil if none of them is kept any more.
    func recorded(
        _ record: CatalogueStream, as kind: WebhookEvent.Kind, assets: [CatalogueAsset],
        at now: UnixTime
    ) -> [UInt8]? {
        let made = assets.filter { $0.status == .completed }
        guard let stream = LiveStream(record), !made.isEmpty else { return nil }
        return delivery(kind, data(of: kind, stream, made, at: now), of: record, at: now).body
    }

    private func recorded(
        _ stream: LiveStream, _ assets: [CatalogueAsset], at now: UnixTime
    ) -> [String: JSONValue] {
        switch stream.kind {
        case .stream: streamRecorded(stream, assets, at: now)
        case .recording: roomRecorded(stream, assets, at: now)
        }
    }

    func tellsOfAssets(_ kind: WebhookEvent.Kind) -> Bool {
        [.tracksRecorded, .peersRecorded].contains(kind)
            || [LiveStream.Kind.stream, .recording].contains {
                Family($0).recorded.contains(kind)
            }
    }

    /// The corresponding events of streams, and of recordings without a live stream.
    private struct Family {
        var started: WebhookEvent.Kind
        var stopped: WebhookEvent.Kind
        var failed: WebhookEvent.Kind
        /// The events that report assets.
        var recorded: [WebhookEvent.Kind]

        init(_ kind: LiveStream.Kind) {
            switch kind {
            case .stream:
                (started, stopped) = (.hlsStarted, .hlsStopped)
                (failed, recorded) = (.hlsFailed, [.hlsRecorded])
            case .recording:
                (started, stopped) = (.beamStarted, .beamStopped)
                (failed, recorded) = (.beamFailed, [.beamRecorded, .recordingDone])
            }
        }
    }

    /// - Parameter number: tells events of the same kind apart.
    func delivery(
        _ kind: WebhookEvent.Kind, _ data: [String: JSONValue], of record: CatalogueStream,
        number: String = "", at now: UnixTime
    ) -> CatalogueDelivery {
        CatalogueDelivery(
            kind, data, id: "\(record.id)-\(kind.rawValue.replacing(".", with: "-"))\(number)",
            line: record.id.rawValue, room: record.room, account: accountID, at: now)
    }

    // MARK: Data

    private func common(
        _ stream: LiveStream, _ order: RecordingOrder?
    ) -> [String: JSONValue] {
        var data = Self.origin(of: stream, at: stream.updatedAt)
        data["job_id"] = .string(stream.id.rawValue)
        data["peer_id"] = .string(stream.startedBy)
        data["state_timestamp"] = Self.time(stream.updatedAt)
        let state =
            switch stream.status {
            case .starting, .running: "Started"
            case .stopping, .postProcessing, .completed: "Stopped"
            case .failed: "Failed"
            }
        data["state_name"] = .string(stream.kind == .stream ? "HLS\(state)" : state)
        switch stream.kind {
        case .stream:
            data["recording_single_file_per_layer_enabled"] = .bool(
                stream.plan.recording?.singleFilePerLayer ?? false)
            data["recording_vod_playlist_enabled"] = .bool(stream.plan.recording?.hlsVOD ?? false)
            data["url"] = .string(stream.playback.url)
        case .recording:
            data["recording_enabled"] = .bool(stream.plan.recording?.isWanted ?? false)
            // Without their keys.
            data["rtmp"] = .array(stream.plan.outputs.map { .string($0.shown) })
        }
        if !stream.plan.outputs.isEmpty { data["outputs"] = Self.outputs(of: stream) }
        if let size = order?.layers.first, size.width > 0 {
            data["max_width"] = .integer(Int64(size.width))
            data["max_height"] = .integer(Int64(size.height))
        }
        return data
    }

    /// The fields common to all events of a stream.
    ///
    /// - Parameter time: the time of the event.
    static func origin(of stream: LiveStream, at time: UnixTime) -> [String: JSONValue] {
        [
            "beam_id": .string(stream.id.rawValue), "room_id": .string(stream.room.rawValue),
            "room_name": .string(stream.origin.roomName),
            "session_id": .string(stream.session?.rawValue ?? ""),
            "session_started_at": Self.time(stream.origin.sessionStartedAt),
            "template_id": .string(stream.origin.template),
            "meeting_url": .string(stream.plan.variant.shownURL),
            "metadata_id": .string(stream.plan.variant.metadata),
            "metadata_timestamp": Self.time(time),
        ]
    }

    private func started(
        _ stream: LiveStream, _ order: RecordingOrder?
    ) -> [String: JSONValue] {
        var data = common(stream, order)
        let delay = (stream.startedAt ?? stream.createdAt).seconds - stream.createdAt.seconds
        data["start_delay"] = .integer(delay)
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
        data["started_at"] = Self.time(stream.startedAt)
        data["stopped_at"] = Self.time(end)
        return data
    }

    private func stopped(
        _ stream: LiveStream, _ order: RecordingOrder?
    ) -> [String: JSONValue] {
        var data = ending(stream, order)
        data["reason"] = .string(stream.end?.description ?? "")
        data["live_transcription_enabled"] = .bool(false)
        return data
    }

    private static func message(_ stream: LiveStream) -> String {
        if case .failed(let failure) = stream.end { return failure.words }
        return stream.end?.description ?? "Internal error"
    }

    private static func type(of stream: LiveStream) -> String {
        guard case .failed(let failure) = stream.end else { return "INTERNAL_ERROR" }
        switch failure.cause {
        case .assetsNotMade, .noRoomForAssets: return "UPLOAD_ERROR"
        case .pageNotShown, .sourceEncrypted, .sourceSilent, .sourceLost, .sourceClosed:
            return "MAX_RETRIES_REACHED"
        case .serverRestarted, .directoryLost, .botNotStarted, .botStoodStill, .botDied,
            .botLeftEarly, .notEncoded, .diskFull, .unknown:
            return "INTERNAL_ERROR"
        }
    }

    private func failed(
        _ stream: LiveStream, _ order: RecordingOrder?, _ type: String, _ message: String
    ) -> [String: JSONValue] {
        var data = ending(stream, order)
        data["error_code"] = .integer(1)
        data["error_type"] = .string(type)
        data["error_message"] = .string(message)
        data["state_name"] = .string(stream.kind == .stream ? "HLSFailed" : "Failed")
        return data
    }
}
