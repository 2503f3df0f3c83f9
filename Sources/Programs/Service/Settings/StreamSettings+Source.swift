import Codec
import HLS
import MediaKernel
import Rooms
import Stage
import Streams

/// Reads `stream.*`, `recordings.*` and `output.*`.
extension StreamSettings {
    mutating func read(_ source: SettingsSource) throws(SettingsError) {
        let frameRate = try source.integer(.streamFrameRate, Ladder.frameRates) ?? 30
        let rungs = source.list(.streamLadder)
        let layers = try rungs.map { (rungs) throws(SettingsError) in
            try LadderText.layers(rungs, frameRate: frameRate)
        }
        do {
            ladder = try Ladder(
                validating: layers
                    ?? Ladder.standard.layers.map { layer in
                        var layer = layer
                        layer.frameRate = frameRate
                        return layer
                    })
        } catch {
            throw .invalid(key: SettingKey.streamLadder.rawValue, reason: "\(error)")
        }
        if let seconds = source.number(.streamSegmentSeconds) {
            guard StreamPlan.segmentSeconds.contains(seconds) else {
                throw .invalid(
                    key: SettingKey.streamSegmentSeconds.rawValue, reason: "0.5 to 10 seconds")
            }
            segmentDuration = .milliseconds(Int((seconds * 1000).rounded()))
        }
        playlist = try playlist(from: source)
        container = try source.choice(.streamContainer) ?? container
        try readCaptions(source)
        playback.isLowLatency = source.flag(.streamLowLatency) ?? playback.isLowLatency
        try readLayout(source)
        try readThumbnails(source)
        preset = try preset(from: source) ?? preset
        encoder = try source.choice(.streamEncoder) ?? encoder
        try readLimits(source)
        limits.streams =
            try source.integer(.streamMaximum, 1...1000) ?? limits.streams
        if let cores = source.number(.streamIdleCoresMinimum) {
            guard (0...64).contains(cores) else {
                throw .invalid(
                    key: SettingKey.streamIdleCoresMinimum.rawValue, reason: "0 to 64 cores")
            }
            limits.idleCoresMinimum = cores
        }
        limits.variantsPerRoom =
            try source.integer(.streamVariantsPerRoomMaximum, 1...100)
            ?? limits.variantsPerRoom
        readDirectories(source)
        if let kept = try source.days(
            .recordingsKeepDays, reason: "0 (for ever) to 36500 days")
        {
            recordings.kept = kept
        }
    }

    private mutating func readLayout(_ source: SettingsSource) throws(SettingsError) {
        let hosts = try source.hosts(
            .picturesHosts, allowsHTTP: source.flag(.picturesAllowHTTP) ?? false)
        pictureHosts = hosts
        try readSources(source)
        guard let pushHosts = PushHosts(source.list(.streamPushHosts) ?? []) else {
            throw .invalid(
                key: SettingKey.streamPushHosts.rawValue,
                reason: "entries are like example.org, *.example.org or 10.0.0.5:1935")
        }
        self.pushHosts = pushHosts
        guard let text = source.text(.streamLayout) else { return }
        guard let json = try? JSONDocument.decode(JSONValue.self, from: text.utf8) else {
            throw .invalid(key: SettingKey.streamLayout.rawValue, reason: "it is not JSON")
        }
        do throws(LayoutError) {
            layout = try layout.changed(by: json, pictures: hosts)
        } catch {
            throw .invalid(key: SettingKey.streamLayout.rawValue, reason: error.description)
        }
    }

    private mutating func readSources(_ source: SettingsSource) throws(SettingsError) {
        sources.hosts = try source.hosts(.streamSourceHosts, allowsHTTP: true)
        if let servers = try source.object(
            .openViduServers, OpenViduServers.self, fields: ["secret", "tokens"], byName: true,
            form: "an object of servers, each with a secret or tokens by session")
        {
            if let fault = servers.fault {
                throw .invalid(key: SettingKey.openViduServers.rawValue, reason: fault)
            }
            sources.openVidu = servers
        }
        guard
            let deployments = try source.object(
                .jitsiDeployments, JitsiDeployments.self, fields: JitsiDeployments.fields,
                byName: true, form: "an object of deployments by the hosts of their pages")
        else { return }
        if let fault = deployments.fault {
            throw .invalid(key: SettingKey.jitsiDeployments.rawValue, reason: fault)
        }
        sources.jitsi = deployments
    }

    /// `recordings.thumbnails`: missing fields keep their values.
    private mutating func readThumbnails(_ source: SettingsSource) throws(SettingsError) {
        guard
            let wish = try source.object(
                .recordingsThumbnails, ThumbnailOptions.self,
                fields: ["enabled", "width", "height", "offsets", "fps"],
                form: "an object of enabled, width, height, offsets and fps")
        else { return }
        if let fault = wish.fault {
            throw .invalid(key: SettingKey.recordingsThumbnails.rawValue, reason: fault)
        }
        recordings.thumbnails = wish.completed(by: recordings.thumbnails)
    }

    private mutating func readLimits(_ source: SettingsSource) throws(SettingsError) {
        // 100ms ends a stream after five minutes in an empty room.
        rules.emptyTimeout =
            try source.limit(.streamEmptyTimeoutSeconds, 86_400) ?? .some(.seconds(300))
        rules.idleTimeout = try source.limit(.streamIdleTimeoutSeconds, 86_400) ?? nil
        rules.durationMaximum = try source.limit(.streamMaximumSeconds, 2_678_400) ?? nil
        playback.signedLifetime =
            try source.limit(.streamSignedPlaybackSeconds, 31_536_000) ?? nil
        if let text = source.text(.streamAutoStart) {
            guard let condition = AutoStart(text) else {
                throw .invalid(key: SettingKey.streamAutoStart.rawValue, reason: AutoStart.form)
            }
            automatic.streams = condition
        }
        let wanted = source.list(.streamAutoStartRecording) ?? []
        guard wanted.allSatisfy({ ["hls_vod", "single_file_per_layer"].contains($0) }) else {
            throw .invalid(
                key: SettingKey.streamAutoStartRecording.rawValue,
                reason: "hls_vod and single_file_per_layer")
        }
        automatic.streamRecording = RecordingOptions(
            hlsVOD: wanted.contains("hls_vod"),
            singleFilePerLayer: wanted.contains("single_file_per_layer"))
    }

    mutating func readDirectories(_ source: SettingsSource) {
        outputDirectory = source.text(.outputDirectory) ?? outputDirectory
        recordings.directory =
            source.text(.recordingsDirectory) ?? recordings.directory
    }

    private func playlist(from source: SettingsSource) throws(SettingsError) -> PlaylistMode {
        let window = try source.integer(.streamPlaylistWindow, 3...10_000)
        switch source.text(.streamPlaylist) ?? "event" {
        case "event": return .event
        case "live": return .live(window: window ?? Self.playlistWindow)
        default:
            throw .invalid(key: SettingKey.streamPlaylist.rawValue, reason: "event or live")
        }
    }

    private func preset(from source: SettingsSource) throws(SettingsError) -> String? {
        guard let preset = source.text(.streamPreset) else { return nil }
        guard H264Encoder.presets.contains(preset) else {
            throw .invalid(
                key: SettingKey.streamPreset.rawValue,
                reason: "one of \(H264Encoder.presets.joined(separator: ", "))")
        }
        return preset
    }
}
