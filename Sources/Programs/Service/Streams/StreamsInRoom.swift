import Catalogue
import ControlAPI
import HLS
import HTTPTypes
public import MediaKernel
public import RoomHost
public import Rooms
public import Streams

/// The streams as peers request them, with `hls-start` and `hls-stop`, and recordings without a
/// live stream, with `rtmp-start` and `rtmp-stop`.
public struct StreamsInRoom: LiveStreaming {
    private let control: any LiveStreamControl
    private let chat: ChatRecorder
    /// The `host[:port]` values by which any meeting URL means this server.
    private let authorities: Set<String>

    public init(
        control: any LiveStreamControl, chat: ChatRecorder, authorities: Set<String>
    ) {
        self.control = control
        self.chat = chat
        self.authorities = authorities
    }

    public func start(
        room: RoomID, variants: [HLSVariantRequest], recording: HLSRecordingRequest?,
        layout: JSONValue?, startedBy: PeerID, authority: String
    ) async throws {
        do {
            let request = try LiveStreamRequest(
                checking: variants.map { ($0.meetingURL, $0.metadata) },
                recording: recording.map {
                    RecordingOptions(hlsVOD: $0.hlsVOD, singleFilePerLayer: $0.singleFilePerLayer)
                },
                layout: layout, room: room,
                authorities: authorities.union([authority.lowercased()]))
            _ = try await control.start(room: room, request, startedBy: startedBy)
        } catch let error as APIError {
            throw LiveStreamingError(error)
        } catch let error as LiveStreamError {
            throw LiveStreamingError(APIError(error))
        }
    }

    /// Metadata identifies variants; without any, all are stopped.
    public func stop(
        room: RoomID, variants: [HLSVariantRequest], stoppedBy: PeerID
    ) async throws {
        do throws(LiveStreamError) {
            let wanted = Set(variants.map { $0.metadata ?? "" })
            _ = try await control.stop(
                room: room, kind: .stream, metadata: wanted.isSubset(of: [""]) ? nil : wanted,
                stoppedBy: stoppedBy)
        } catch .notFound {
            // For a peer, stopping a stream that never ran is no error.
        } catch {
            throw LiveStreamingError(APIError(error))
        }
    }

    public func startRecording(
        room: RoomID, _ request: RecordingRequest, startedBy: PeerID, authority: String
    ) async throws {
        do {
            var order = try LiveStreamRequest(
                checkingRecordingOf: request.meetingURL,
                resolution: request.resolution.map { .init(width: $0.width, height: $0.height) },
                room: room, authorities: authorities.union([authority.lowercased()]))
            order.outputs = try PushTarget.checked(request.pushes)
            if !request.isRecorded { order.recording = .nothing }
            _ = try await control.start(room: room, order, startedBy: startedBy)
        } catch let error as APIError {
            throw LiveStreamingError(error)
        } catch let error as LiveStreamError {
            throw LiveStreamingError(APIError(error, of: .recording))
        }
    }

    public func stopRecording(room: RoomID, stoppedBy: PeerID) async throws {
        do throws(LiveStreamError) {
            _ = try await control.stop(room: room, kind: .recording, stoppedBy: stoppedBy)
        } catch {
            // For a peer, stopping a recording that never ran is no error.
            if case .notFound = error { return }
            throw LiveStreamingError(APIError(error, of: .recording))
        }
    }

    public func said(_ message: Message, room: RoomID) { chat.said(message, in: room) }

    public func unsaid(_ messages: [String], room: RoomID) { chat.unsaid(messages, in: room) }

    /// Adds the metadata to all running streams of the room.
    public func addTimedMetadata(
        _ metadata: [HLSTimedMetadata], room: RoomID, addedBy: PeerID
    ) async throws {
        do {
            let requests = try metadata.enumerated().map { index, one in
                try TimedMetadataRequest(
                    checking: one.payload, seconds: one.duration, in: "metadata_objs.\(index).")
            }
            let streams = await control.running(in: room)
            guard !streams.isEmpty else {
                throw LiveStreamingError(
                    .conflict, message: "room \(room) has no live stream that is running")
            }
            for stream in streams {
                _ = try await control.addTimedMetadata(
                    requests, to: stream.id, addedBy: addedBy)
            }
        } catch let error as APIError {
            throw LiveStreamingError(error)
        } catch let error as LiveStreamError {
            throw LiveStreamingError(APIError(error))
        }
    }
}

extension LiveStreamingError {
    init(_ error: APIError) {
        let details = error.details.joined(separator: "; ")
        self.init(
            StreamingFailure.Cause(error.status),
            message: details.isEmpty ? error.message : "\(error.message): \(details)")
    }
}

extension HLSState {
    /// A room's streams as shown to peers: `initialised` until a stream runs.
    ///
    /// A failure is shown until a newer stream is on air.
    public init(_ streams: [LiveStream]) {
        let failed = streams.last { stream in
            let end = stream.stoppedAt ?? stream.createdAt
            return stream.status == .failed
                && !streams.contains { $0.status.isOnAir && $0.createdAt > end }
        }
        self.init(
            variants: streams.map { stream in
                HLSVariant(
                    url: stream.playback.url, meetingURL: stream.plan.variant.shownURL,
                    metadata: stream.plan.variant.metadata,
                    playlistType: stream.plan.playlist == .event ? .dvr : .noDVR,
                    state: HLSVariant.State(stream.status),
                    initialisedAt: stream.createdAt, startedAt: stream.startedAt,
                    tracksLeftOut: stream.status.isOnAir ? stream.health.tracksLeftOut : [])
            },
            error: failed.map { StreamingFailure($0.end) },
            recording: HLSRecording(streams))
    }
}

extension HLSRecording {
    /// The newest recorded variant on air represents all of them. Nil if no variant is recorded.
    init?(_ streams: [LiveStream]) {
        let recorded = streams.filter { $0.plan.recording?.isWanted ?? false }
        guard let stream = recorded.last(where: \.status.isOnAir) ?? recorded.last,
            let recording = stream.plan.recording
        else { return nil }
        self.init(
            state: RecordingState(stream), hlsVOD: recording.hlsVOD,
            singleFilePerLayer: recording.singleFilePerLayer,
            initialisedAt: stream.createdAt, startedAt: stream.startedAt,
            startedBy: stream.starter)
    }
}

extension RoomRecording {
    /// A recording without a live stream, as shown to peers.
    init(_ recording: LiveStream) {
        self.init(
            state: RecordingState(recording),
            initialisedAt: recording.createdAt, startedAt: recording.startedAt,
            startedBy: recording.starter,
            error: recording.status == .failed
                ? StreamingFailure(recording.end) : nil,
            label: recording.plan.recording?.label.map { Label(id: $0.id, name: $0.name) })
    }
}

extension RTMPState {
    /// The outputs of a room's streams and recordings as shown to peers.
    init(_ streams: [LiveStream]) {
        let onAir = streams.filter(\.status.isOnAir)
        let shown = onAir.isEmpty ? streams.suffix(1) : onAir
        let outputs = shown.flatMap { stream in
            stream.plan.outputs.map { output in
                (output, stream.pushReport(of: output), stream.health.outputs[output.id])
            }
        }
        guard !outputs.isEmpty else {
            self = .none
            return
        }
        let states = outputs.map(\.1.state)
        let state: HLSVariant.State =
            if onAir.isEmpty {
                .stopped
            } else if states.contains(.live) {
                .started
            } else if states.allSatisfy({ $0 == .failed }) {
                .failed
            } else {
                .initialised
            }
        self = .pushed(
            RTMPPushes(
                state: state, startedAt: outputs.compactMap { $0.2?.startedAt }.min(),
                startedBy: shown.first { !$0.plan.outputs.isEmpty }?.starter,
                pushes: outputs.map { output, report, status in
                    RTMPPushes.Push(
                        url: output.shown, state: report.state.rawValue, reason: report.reason,
                        since: status?.since)
                }))
    }
}

extension StreamingFailure {
    /// The failure as shown to peers.
    init(_ end: StreamEnd?) {
        self.init(Cause(end), message: end?.description ?? "failure")
    }
}

extension StreamingFailure.Cause {
    fileprivate init(_ end: StreamEnd?) {
        guard case .failed(let failure) = end else {
            self = .broken
            return
        }
        self =
            switch failure.cause {
            case .diskFull, .noRoomForAssets: .storageFull
            case .notEncoded: .notEncoded
            case .botStoodStill: .stoodStill
            case .pageNotShown, .sourceEncrypted, .sourceSilent, .sourceLost, .sourceClosed:
                .sourceBroken
            case .serverRestarted, .botNotStarted: .unavailable
            case .directoryLost, .botDied, .botLeftEarly, .assetsNotMade, .unknown: .broken
            }
    }

    /// What the status of a refused request means.
    fileprivate init(_ status: HTTPResponse.Status) {
        self =
            switch status {
            case .forbidden: .forbidden
            case .notFound: .unknown
            case .conflict: .conflict
            case .tooManyRequests: .tooFrequent
            case .serviceUnavailable: .unavailable
            case _ where status.kind == .clientError: .invalid
            default: .broken
            }
    }
}

extension LiveStream {
    fileprivate var starter: PeerID? { startedBy.isEmpty ? nil : PeerID(startedBy) }
}

extension RecordingState {
    init(_ stream: LiveStream) {
        self =
            switch stream.status {
            case .starting, .running, .stopping:
                switch stream.recordingPause {
                case .paused: .paused
                case _ where stream.startedAt == nil: .initialised
                case .none: .started
                case .resumed: .resumed
                }
            case .postProcessing, .completed: .stopped
            case .failed: .failed
            }
    }
}

extension HLSVariant.State {
    init(_ status: LiveStream.Status) {
        self =
            switch status {
            case .starting: .initialised
            // A stopping stream still plays until its last segment ends.
            case .running, .stopping: .started
            case .postProcessing, .completed: .stopped
            case .failed: .failed
            }
    }
}
