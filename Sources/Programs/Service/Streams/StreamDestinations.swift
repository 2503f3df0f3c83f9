import Foundation
import HLS
import MediaKernel
import Rooms
import Stage
import Streams

/// The settings of a policy's destinations, by name.
public struct StreamDestinations: Hashable, Sendable {
    /// Nil fields stand for the configured values.
    private struct Destination: Hashable {
        var ladder: Ladder?
        var playlist: PlaylistMode?
        var container: StreamContainer?
        var captions: StreamCaptions?
        var isLowLatency: Bool?
        /// Differences from the configured layout.
        var layout: JSONValue?
        var durationMaximum: Duration?
        var emptyTimeout: Duration?
        var idleTimeout: Duration?
        var signedPlayback: Duration?
        var autoStart: AutoStart?
        var recording: RecordingOptions?
        var kept: Duration?
        /// The rungs to record; empty for all.
        var recordedLayers: [HLSDestination.Layer] = []
        /// Differences from the configured thumbnails.
        var thumbnails: ThumbnailOptions?
    }

    private var destinations: [String: Destination] = [:]

    /// No destinations: every stream has the configured ladder and layout.
    public init() {}

    /// Checks destinations of a policy.
    ///
    /// - Parameters:
    ///   - written: the destinations by name.
    ///   - standard: supplies the missing values of rungs.
    ///   - playlist: supplies the missing values of playlists.
    ///   - layout: the layout that destinations change.
    /// - Throws: `.invalid`, with the destination and the rule that it breaks.
    init(
        _ written: [String: HLSDestination], standard: Ladder, playlist: PlaylistMode,
        layout: Layout, pictures: WebHosts
    ) throws(SettingsError) {
        for (name, destination) in written {
            if let change = destination.layout {
                do throws(LayoutError) {
                    _ = try layout.changed(by: change, pictures: pictures)
                } catch {
                    throw .invalid(key: "policy.file", reason: "destination '\(name)': \(error)")
                }
            }
            let ladder = try Self.ladder(destination, standard: standard, of: name)
            if let ladder { try Self.checkRecorded(destination, ladder: ladder, of: name) }
            destinations[name] = Destination(
                ladder: ladder,
                playlist: try Self.playlist(destination, standard: playlist, of: name),
                container: try Self.container(destination, of: name),
                captions: try Self.captions(destination, of: name),
                isLowLatency: destination.lowLatency,
                layout: destination.layout,
                durationMaximum: try Self.limit(destination.maxDuration, "maxDuration", of: name),
                emptyTimeout: try Self.limit(
                    destination.autoStopTimeout, "autoStopTimeout", of: name),
                idleTimeout: try Self.limit(destination.idleTimeout, "idleTimeout", of: name),
                signedPlayback: try Self.limit(
                    destination.signedPlaybackSeconds, "signedPlaybackSeconds", of: name),
                autoStart: try Self.autoStart(destination.autoStart, of: name),
                recording: try Self.recording(destination, of: name),
                kept: try Self.kept(destination, of: name),
                recordedLayers: destination.recording?.layers ?? [],
                thumbnails: try Self.thumbnails(destination, of: name))
        }
    }

    /// Nil if the destination says nothing about recordings; thumbnails alone do not count.
    private static func recording(
        _ destination: HLSDestination, of name: String
    ) throws(SettingsError) -> RecordingOptions? {
        guard let kept = destination.recording,
            (kept.hlsVod ?? kept.singleFilePerLayer) != nil || kept.tracks != nil
        else { return nil }
        if let fault = kept.tracks?.fault {
            throw .invalid(
                key: "policy.file", reason: "destination '\(name)': tracks: \(fault)")
        }
        return RecordingOptions(
            hlsVOD: kept.hlsVod, singleFilePerLayer: kept.singleFilePerLayer,
            tracks: kept.tracks)
    }

    /// As with 100ms, a number of segments applies only to live playlists.
    private static func playlist(
        _ destination: HLSDestination, standard: PlaylistMode, of name: String
    ) throws(SettingsError) -> PlaylistMode? {
        // Clients that must send a value send 0, or an empty string.
        let count = destination.numPlaylistSegments.flatMap { $0 == 0 ? nil : $0 }
        let type = destination.playlistType.flatMap { $0.isEmpty ? nil : $0 }
        guard count.map(playlistSegments.contains) ?? true else {
            throw .invalid(
                key: "policy.file",
                reason: "destination '\(name)': numPlaylistSegments is "
                    + "\(playlistSegments.lowerBound) to \(playlistSegments.upperBound)")
        }
        switch (type, standard) {
        case ("event"?, _): return .event
        case ("live"?, .live(let window)): return .live(window: count ?? window)
        case ("live"?, .event): return .live(window: count ?? StreamSettings.playlistWindow)
        case (nil, .live): return count.map { .live(window: $0) }
        case (nil, .event): return nil
        case (_?, _):
            throw .invalid(
                key: "policy.file",
                reason: "destination '\(name)': playlistType is event or live")
        }
    }

    /// An empty text stands for none.
    private static func container(
        _ destination: HLSDestination, of name: String
    ) throws(SettingsError) -> StreamContainer? {
        guard let written = destination.container, !written.isEmpty else { return nil }
        guard let container = StreamContainer(rawValue: written) else {
            throw .invalid(
                key: "policy.file",
                reason: "destination '\(name)': container is \(StreamContainer.form)")
        }
        guard destination.lowLatency != true || container != .transportStream else {
            throw .invalid(
                key: "policy.file",
                reason: "destination '\(name)': lowLatency: \(StreamContainer.lowLatencyForm)")
        }
        return container
    }

    private static func captions(
        _ destination: HLSDestination, of name: String
    ) throws(SettingsError) -> StreamCaptions? {
        guard let written = destination.captions, written != .null else { return nil }
        let fault: String
        if let data = try? JSONEncoder().encode(written),
            let captions = try? JSONDocument.decode(StreamCaptions.self, from: data)
        {
            guard let broken = CaptionLanguage.fault(of: captions.languages) else {
                return captions
            }
            fault = broken
        } else {
            fault = #"captions are like {"languages": [{"code": "en", "name": "English"}]}"#
        }
        throw .invalid(key: "policy.file", reason: "destination '\(name)': \(fault)")
    }

    private static let playlistSegments = 3...150

    /// Checks that the layers to record are streamed. Not checked against the server's own ladder:
    /// a change of that ladder must not close any room.
    private static func checkRecorded(
        _ destination: HLSDestination, ladder: Ladder, of name: String
    ) throws(SettingsError) {
        for (index, rung) in (destination.recording?.layers ?? []).enumerated() {
            guard ladder.layers.contains(where: { fits(rung, $0) }) else {
                throw .invalid(
                    key: "policy.file",
                    reason: "destination '\(name)': recording.layers[\(index)] is none of its "
                        + "layers")
            }
        }
    }

    /// Missing fields of a rung match any value.
    private static func fits(_ rung: HLSDestination.Layer, _ layer: Layer) -> Bool {
        func fits(_ asked: Int?, _ made: Int) -> Bool { asked.map { $0 == made } ?? true }
        return fits(rung.width, layer.width) && fits(rung.height, layer.height)
            && fits(rung.videoBitrate.map(bits), layer.videoBitrate)
            && fits(rung.audioBitrate.map(bits), layer.audioBitrate)
    }

    private static func thumbnails(
        _ destination: HLSDestination, of name: String
    ) throws(SettingsError) -> ThumbnailOptions? {
        guard let wish = destination.recording?.thumbnails else { return nil }
        if let fault = wish.fault {
            throw .invalid(
                key: "policy.file", reason: "destination '\(name)': thumbnails: \(fault)")
        }
        return wish
    }

    private static func ladder(
        _ destination: HLSDestination, standard: Ladder, of name: String
    ) throws(SettingsError) -> Ladder? {
        guard let rungs = destination.layers else { return nil }
        let frameRate = destination.videoFrameRate ?? standard.frameRate
        var shape = standard.layers[0]
        var layers: [Layer] = []
        for (index, rung) in rungs.enumerated() {
            var layer = standard.layers[min(index, standard.layers.count - 1)]
            (layer.width, layer.height) = Self.size(of: rung, like: shape, standard: layer)
            layer.frameRate = frameRate
            layer.videoBitrate = rung.videoBitrate.map(Self.bits) ?? layer.videoBitrate
            layer.audioBitrate = rung.audioBitrate.map(Self.bits) ?? layer.audioBitrate
            layers.append(layer)
            if index == 0 { shape = layer }
        }
        do throws(LadderError) {
            return try Ladder(validating: layers)
        } catch {
            throw .invalid(key: "policy.file", reason: "destination '\(name)': \(error)")
        }
    }

    /// Calculates a missing side from the other one and the shape; without both, the short side is
    /// the configured one.
    private static func size(
        of rung: HLSDestination.Layer, like shape: Layer, standard: Layer
    ) -> (width: Int, height: Int) {
        /// The nearest even number; 0, which the ladder refuses, if there is none.
        func scaled(_ side: Int, _ numerator: Int, _ denominator: Int) -> Int {
            let exact = Double(side) * Double(numerator) / Double(max(1, denominator))
            return abs(exact) < 1e9 ? 2 * Int((exact / 2).rounded()) : 0
        }
        switch (rung.width, rung.height) {
        case (let width?, let height?): return (width, height)
        case (let width?, nil): return (width, scaled(width, shape.height, shape.width))
        case (nil, let height?): return (scaled(height, shape.width, shape.height), height)
        case (nil, nil):
            let side = standard.shortSide
            return shape.isPortrait
                ? (side, scaled(side, shape.height, shape.width))
                : (scaled(side, shape.width, shape.height), side)
        }
    }

    /// Nil for a missing value, and for 0, as in 100ms' templates.
    private static func limit(
        _ seconds: Int?, _ field: String, of name: String
    ) throws(SettingsError) -> Duration? {
        guard let seconds, seconds != 0 else { return nil }
        guard secondsMaximum.contains(seconds) else {
            throw .invalid(
                key: "policy.file",
                reason: "destination '\(name)': "
                    + "\(field) is 0 to \(secondsMaximum.upperBound) seconds")
        }
        return .seconds(seconds)
    }

    /// Up to a hundred years.
    private static func kept(
        _ destination: HLSDestination, of name: String
    ) throws(SettingsError) -> Duration? {
        guard let seconds = destination.keptSeconds else { return nil }
        guard (1...36_500 * 86_400).contains(seconds) else {
            throw .invalid(
                key: "policy.file",
                reason: "destination '\(name)': keptSeconds is 1 to \(36_500 * 86_400)")
        }
        return .seconds(seconds)
    }

    private static func autoStart(
        _ text: String?, of name: String
    ) throws(SettingsError) -> AutoStart? {
        guard let text else { return nil }
        guard let condition = AutoStart(text) else {
            throw .invalid(
                key: "policy.file", reason: "destination '\(name)': autoStart is \(AutoStart.form)")
        }
        return condition
    }

    /// A month.
    private static let secondsMaximum = 1...2_678_400

    /// Policies use kbit/s. The ladder's own limits refuse values that would overflow.
    private static func bits(_ kilobits: Int) -> Int {
        kilobits.multipliedReportingOverflow(by: 1000).overflow ? .max : kilobits * 1000
    }

    var isEmpty: Bool { destinations.isEmpty }

    /// Whether a request may name this destination. If the policy has none, any name is accepted
    /// and only stored.
    func knows(_ destination: String) -> Bool {
        destination.isEmpty || destinations.isEmpty || destinations[destination] != nil
    }

    /// Without a name, the only destination or the one called "default" applies.
    func ladder(for destination: String) -> Ladder? { destinations[named(destination)]?.ladder }

    /// Nil for the container of the settings.
    func container(for destination: String) -> StreamContainer? {
        destinations[named(destination)]?.container
    }

    /// Nil for the captions of the settings.
    func captions(for destination: String) -> StreamCaptions? {
        destinations[named(destination)]?.captions
    }

    /// Nil for the choice of the settings.
    func isLowLatency(for destination: String) -> Bool? {
        destinations[named(destination)]?.isLowLatency
    }

    /// The playlist mode of the destination; nil for the configured one.
    func playlist(for destination: String) -> PlaylistMode? {
        destinations[named(destination)]?.playlist
    }

    /// The destination's differences from the configured layout.
    func layout(for destination: String) -> JSONValue? { destinations[named(destination)]?.layout }

    /// The destination's recordings, unless a request says otherwise.
    func recording(for destination: String) -> RecordingOptions? {
        destinations[named(destination)]?.recording
    }

    /// How long the files of recordings are kept; nil for the configured time.
    func kept(for destination: String) -> Duration? { destinations[named(destination)]?.kept }

    /// The layers to record, best first; nil for all, also if none of the wanted layers is
    /// streamed.
    func recordedLayers(for destination: String, of ladder: Ladder) -> [Int]? {
        let rungs = destinations[named(destination)]?.recordedLayers ?? []
        var kept: Set<Int> = []
        for rung in rungs {
            if let layer = ladder.layers.indices.first(where: {
                !kept.contains($0) && Self.fits(rung, ladder.layers[$0])
            }) {
                kept.insert(layer)
            }
        }
        return kept.isEmpty || kept.count == ladder.layers.count ? nil : kept.sorted()
    }

    /// How long signed URLs of the destination's streams are valid; nil if unspecified.
    func signedPlayback(for destination: String) -> Duration? {
        destinations[named(destination)]?.signedPlayback
    }

    /// A destination of low-latency streams; nil if there is none.
    var lowLatency: String? {
        destinations.keys.sorted().first { destinations[$0]?.isLowLatency == true }
    }

    /// A destination with signed URLs; nil if there is none.
    var signed: String? {
        destinations.keys.sorted().first { destinations[$0]?.signedPlayback != nil }
    }

    /// The destination's differences from the configured thumbnails.
    func thumbnails(for destination: String) -> ThumbnailOptions? {
        destinations[named(destination)]?.thumbnails
    }

    /// The configured rules with the destination's time limits.
    func rules(for destination: String, _ configured: StreamRules) -> StreamRules {
        guard let destination = destinations[named(destination)] else { return configured }
        var rules = configured
        rules.durationMaximum = destination.durationMaximum ?? rules.durationMaximum
        rules.emptyTimeout = destination.emptyTimeout ?? rules.emptyTimeout
        rules.idleTimeout = destination.idleTimeout ?? rules.idleTimeout
        return rules
    }

    /// A stream that starts automatically.
    struct AutoStartOptions: Hashable {
        /// As in a request: empty for the default destination.
        var destination: String
        var condition: AutoStart
        var recording: RecordingOptions
    }

    /// The automatic starts: of the default stream, and of each destination that wants one.
    ///
    /// - Parameters:
    ///   - condition: for the default destination, if it has none of its own.
    ///   - recording: for destinations that say nothing about recordings.
    func autoStarts(
        _ condition: AutoStart, keeping recording: RecordingOptions
    ) -> [AutoStartOptions] {
        let (standard, standardCondition) = (named(""), condition)
        return Set(destinations.keys).union([standard]).sorted().compactMap { name in
            let destination = destinations[name]
            let condition =
                destination?.autoStart ?? (name == standard ? standardCondition : .never)
            guard condition != .never else { return nil }
            return AutoStartOptions(
                destination: name == standard ? "" : name, condition: condition,
                recording: destination?.recording ?? recording)
        }
    }

    /// The full name of the destination. Streams with the same name are the same.
    func named(_ destination: String) -> String {
        if !destination.isEmpty { return destination }
        if destinations.count == 1, let only = destinations.keys.first { return only }
        return "default"
    }
}

extension Layout {
    /// This layout with changes. Its images must be uploaded ones or on allowed hosts.
    func changed(
        by json: JSONValue, pictures hosts: WebHosts
    ) throws(LayoutError) -> Layout {
        var layout = self
        try layout.merge(json)
        let written = [
            ("layout.background.image", layout.backgroundImage),
            ("layout.watermark.image", layout.watermark?.image),
            ("layout.default_picture", layout.defaultPicture),
        ]
        for case (let field, let image?) in written
        where PictureAddress(image, listed: hosts) == nil {
            throw .invalid(field: field, expected: "on one of the hosts in pictures.hosts")
        }
        return layout
    }
}
