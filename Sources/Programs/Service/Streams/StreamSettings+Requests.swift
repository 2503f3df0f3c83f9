import Catalogue
import Foundation
import HLS
import MediaKernel
import Rooms
import Stage
import Streams

/// The parameters of a request: the configured ones, changed by the destination and then the
/// request.
extension StreamSettings {
    /// Takes over the destinations of a policy.
    ///
    /// - Throws: `.invalid`, with the destination and the rule that it breaks.
    mutating func read(_ policy: Policy) throws(SettingsError) {
        destinations = try StreamDestinations(
            policy.hlsDestinations, standard: ladder, playlist: playlist, layout: layout,
            pictures: pictureHosts)
        automatic.recordings = policy.recordsRooms ? .roomOpens : .never
        if playback.copyURL != nil, let name = destinations.signed {
            throw .invalid(
                key: "policy.file",
                reason: "destination '\(name)': signedPlaybackSeconds: \(Playback.unsignedCopies)")
        }
        if playback.copyURL != nil, let name = destinations.lowLatency {
            throw .invalid(
                key: "policy.file",
                reason: "destination '\(name)': lowLatency: \(Playback.copiesAreWhole)")
        }
        let best = ladder.layers[0]
        recordingDestinations = try StreamDestinations(
            policy.recordingDestinations.mapValues { HLSDestination($0, best: best) },
            standard: ladder, playlist: playlist, layout: layout, pictures: pictureHosts)
    }

    /// The automatic starts of a room.
    var autoStarts: [(LiveStream.Kind, StreamDestinations.AutoStartOptions)] {
        destinations.autoStarts(automatic.streams, keeping: automatic.streamRecording)
            .map { (.stream, $0) }
            + recordingDestinations.autoStarts(automatic.recordings, keeping: .oneFile)
            .map { (.recording, $0) }
    }

    func destinations(of kind: LiveStream.Kind) -> StreamDestinations {
        switch kind {
        case .stream: destinations
        case .recording: recordingDestinations
        }
    }

    /// The plan of one variant of a request.
    ///
    /// - Throws: `invalidResolution`, `sourceNotAllowed`, `sourceLocked`, `conferenceUnknown`,
    ///   `pagesDisabled`, `invalidContainer`, `invalidOutput`.
    func plan(
        of variant: LiveStreamVariant, for request: LiveStreamRequest, layout: Layout
    ) throws(LiveStreamError) -> StreamPlan {
        var plan = StreamPlan(
            variant: variant, recording: request.recording.map(LiveStreamRecording.init),
            destination: request.destination, audio: request.audio,
            ladder: try ladder(for: request),
            segmentDuration: request.segmentDuration ?? segmentDuration,
            playlist: destinations(of: request.kind).playlist(for: request.destination)
                ?? playlist,
            layout: layout, pictureHosts: pictureHosts, preset: preset, encoder: encoder.rawValue)
        // A live stream always has its picture.
        if request.kind == .stream { plan.recording?.tracks?.composite = nil }
        switch variant.source {
        case .whep(let source):
            guard sourceHosts.allows(source.endpoint) else {
                throw .sourceNotAllowed(host: source.endpoint.host)
            }
            plan.sourceHosts = sourceHosts
        case .openVidu(let source):
            guard sourceHosts.allows(source.address) else {
                throw .sourceNotAllowed(host: source.address.host)
            }
            _ = try sources.secret(of: variant)
        case .jitsi(let source):
            plan.variant.conference = variant.conference ?? sources.jitsi.conference(of: source)
            guard plan.variant.conference != nil else {
                throw .conferenceUnknown(deployment: source.deployment)
            }
            _ = try sources.secret(of: plan.variant)
        case .page:
            plan.page = try customView.plan(awaitsStartSignal: request.awaitsStartSignal)
            // The page is the picture: nothing is drawn on it or beside it.
            plan.layout = Layout(
                name: .screen, showsNames: false, marksSpeaker: false, transition: .zero)
        case nil: break
        }
        // A source has no roles, so none would be heard.
        if variant.source != nil { plan.audio.roles = nil }
        plan.container = try container(for: request)
        if request.kind == .stream { plan.captions = captions(for: request) }
        if isLowLatency(request) { plan.partFrames = plan.usualPartFrames }
        plan.pushHosts = pushHosts
        for (index, target) in request.outputs.enumerated() {
            try plan.checkOutput(target, layer: 0)
            plan.outputs.append(StreamOutput(id: "\(index + 1)", target: target))
            plan.lastOutput = index + 1
        }
        // Nobody reads the segments of a recording that only pushes.
        if request.kind == .recording, plan.recording?.isWanted != true {
            plan.playlist = .live(window: Self.playlistWindow)
        }
        return plan
    }

    /// Who names transport streams turns off the low latency of those that are asked later: a
    /// request that of its destination, both that of the settings.
    private func isLowLatency(_ request: LiveStreamRequest) -> Bool {
        let destinations = destinations(of: request.kind)
        let isOff = request.container == .transportStream
        let isOffThere = destinations.container(for: request.destination) == .transportStream
        guard request.kind == .stream else { return false }
        return request.isLowLatency ?? (isOff ? false : nil)
            ?? destinations.isLowLatency(for: request.destination)
            ?? (isOffThere && request.container == nil ? false : nil)
            ?? playback.isLowLatency
    }

    /// Fragments beside the main segments are left out where nobody watches them: of a recording,
    /// and where viewers are sent to copies. Low latency needs them, and adds them to transport
    /// streams.
    ///
    /// - Throws: `invalidContainer`.
    func container(
        for request: LiveStreamRequest
    ) throws(LiveStreamError) -> StreamContainer {
        var wanted =
            request.container ?? destinations(of: request.kind).container(for: request.destination)
            ?? container
        if isLowLatency(request) {
            guard request.container != .transportStream else {
                throw .invalidContainer("low_latency: \(StreamContainer.lowLatencyForm)")
            }
            guard playback.copyURL == nil else {
                throw .invalidContainer("low_latency: \(Playback.copiesAreWhole)")
            }
            if wanted == .transportStream { wanted = .both }
        }
        guard request.kind == .stream, playback.copyURL == nil || wanted != .both else {
            return wanted == .both ? .transportStream : wanted
        }
        guard wanted != .fragments || !playback.isCopied else {
            throw .invalidContainer(Playback.notCopied)
        }
        return wanted
    }

    /// The captions of the request, its destination or the settings.
    func captions(for request: LiveStreamRequest) -> StreamCaptions {
        request.captions ?? destinations(of: request.kind).captions(for: request.destination)
            ?? captions.standard
    }

    /// The assets to make of a stream; nil for none.
    func order(for request: LiveStreamRequest, ladder: Ladder) -> RecordingOrder? {
        guard let recording = request.recording.map(LiveStreamRecording.init), recording.isWanted
        else { return nil }
        return RecordingOrder(
            hlsVOD: recording.hlsVOD, singleFilePerLayer: recording.singleFilePerLayer,
            layers: Self.sizes(of: ladder, request.audio),
            keptLayers: request.audio.only
                ? nil
                : destinations(of: request.kind)
                    .recordedLayers(for: request.destination, of: ladder),
            keptSeconds: (destinations(of: request.kind).kept(for: request.destination)
                ?? recordings.kept).map { Int64($0.inSeconds) },
            thumbnails: thumbnails(for: request),
            tracks: recording.tracks.map { TrackOrder($0, recording.label) })
    }

    /// Picture sizes, best first. Without pictures, rungs with the same audio bitrate become one.
    private static func sizes(
        of ladder: Ladder, _ audio: LiveStreamAudio
    ) -> [CatalogueAsset.Size] {
        guard audio.only else {
            return ladder.layers.map { CatalogueAsset.Size(width: $0.width, height: $0.height) }
        }
        return Set(ladder.layers.map(\.audioBitrate)).map { _ in
            CatalogueAsset.Size(width: 0, height: 0)
        }
    }

    func layout(for request: LiveStreamRequest) throws(LayoutError) -> Layout {
        var layout = layout
        let change = destinations(of: request.kind).layout(for: request.destination)
        for case let change? in [change, request.layout] {
            layout = try layout.changed(by: change, pictures: pictureHosts)
        }
        return layout
    }

    /// The recordings of the request; the destination supplies unspecified ones.
    func recording(for request: LiveStreamRequest) -> RecordingOptions? {
        let standard = destinations(of: request.kind).recording(for: request.destination)
        guard let asked = request.recording else { return standard }
        return standard.map { asked.completed(by: $0) } ?? asked
    }

    /// Nil if thumbnails are not wanted, or the stream has no picture.
    func thumbnails(for request: LiveStreamRequest) -> ThumbnailOrder? {
        guard !request.audio.only else { return nil }
        var wish = recordings.thumbnails
        let changes = [
            destinations(of: request.kind).thumbnails(for: request.destination),
            request.recording?.thumbnails,
        ]
        for case let change? in changes { wish = change.completed(by: wish) }
        guard wish.enabled ?? true else { return nil }
        return ThumbnailOrder(
            width: wish.width ?? 0, height: wish.height ?? 0, offsets: wish.offsets ?? [],
            frameRate: wish.fps)
    }

    /// - Throws: `invalidResolution`.
    func ladder(for request: LiveStreamRequest) throws(LiveStreamError) -> Ladder {
        let ladder =
            request.ladder
            ?? destinations(of: request.kind).ladder(for: request.destination) ?? self.ladder
        guard request.kind == .recording else { return ladder }
        // A recording is one file, so it has one layer.
        var layer = ladder.layers[0]
        if let size = request.resolution {
            layer = layer.resized(width: size.width, height: size.height)
        }
        do throws(LadderError) {
            return try Ladder(validating: [layer])
        } catch {
            throw .invalidResolution(error.description)
        }
    }
}

extension Layer {
    /// The layer at another size with the same quality. Twice the picture takes less than twice the
    /// bits, since it has the same details, only larger.
    func resized(width: Int, height: Int) -> Layer {
        let scale =
            Double(width) * Double(height) / (Double(self.width) * Double(self.height))
        let bitrate = Int(exactly: (Double(videoBitrate) * pow(scale, 0.75)).rounded())
        let range = Ladder.videoBitrates
        return Layer(
            width: width, height: height, frameRate: frameRate,
            // For absurd sizes the bitrate overflows; the ladder refuses them.
            videoBitrate: min(max(bitrate ?? 0, range.lowerBound), range.upperBound),
            audioBitrate: audioBitrate)
    }
}

extension HLSDestination {
    /// Converts the destination of a recording to that of a stream with one layer.
    ///
    /// - Parameter best: the best configured layer; supplies missing values.
    init(_ recording: RecordingDestination, best: HLS.Layer) {
        let preset = recording.preset
        let layer = best.resized(
            width: recording.width ?? preset?.size.width ?? best.width,
            height: recording.height ?? preset?.size.height ?? best.height)
        self.init(
            name: recording.name,
            layers: [
                Layer(
                    width: layer.width, height: layer.height,
                    videoBitrate: layer.videoBitrate / 1000)
            ])
        maxDuration = recording.maxDuration
        autoStopTimeout = recording.autoStopTimeout ?? preset?.autoStopTimeout
        switch (recording.autoStart, preset) {
        case (false?, _): autoStart = "off"
        case (_, let preset?): autoStart = "peers:\(preset.peersToStart)"
        case (true?, nil): autoStart = "room"
        case (nil, nil): autoStart = nil
        }
        keptSeconds = recording.keptSeconds ?? preset?.keptSeconds
        idleTimeout = recording.idleTimeout
        layout = recording.layout
        if recording.thumbnails != nil || recording.tracks != nil {
            // Without tracks nothing is said of the files: it is one, the room's.
            self.recording = Recording(
                singleFilePerLayer: recording.tracks.map { $0.composite != false },
                thumbnails: recording.thumbnails, tracks: recording.tracks)
        }
    }
}

extension TrackOrder {
    init(_ options: TrackOptions, _ label: RecordingLabel?) {
        self.init(
            webm: options.audio == .webm, zip: options.zip ?? false, perPeer: options.perPeer,
            mix: options.mix.map { MixOrder($0) },
            bundle: label.flatMap { label in
                label.bundle.map {
                    BundleOrder(
                        id: label.id, name: label.name, hasSound: $0.hasSound,
                        hasPicture: $0.hasPicture)
                }
            })
    }
}

extension MixOrder {
    init(_ options: MixOptions) {
        self.init(
            format: options.format == .flac ? .flac : .wav,
            sampleRate: options.sampleRate ?? MixOptions.sampleRates[0],
            isDual: options.dualChannel ?? false, left: options.left)
    }
}

extension StreamPlan {
    /// Nil for a ladder or segments that no stream can have.
    fileprivate var usualPartFrames: Int? {
        try? SegmentPlanner(frameRate: ladder.frameRate, segmentDuration: segmentDuration)
            .usualPartFrames
    }
}
