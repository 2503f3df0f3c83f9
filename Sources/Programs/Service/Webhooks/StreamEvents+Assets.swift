import Catalogue
import ControlAPI
import MediaKernel
import ObjectStorage
import Streams
import Webhooks

/// Events about finished assets.
extension StreamEvents {
    /// The validity of links: as long as a store's own links allow, since a receiver may be away
    /// for a day, and then has to work through a backlog.
    static let linkLifetime = AWSSignature.presignMaximum

    /// - Parameter base: the server's URL, without a trailing slash.
    static func linker(_ library: RecordingLibrary, base: String) -> Linker {
        { asset, now in
            library.link(to: asset, at: now, lifetime: linkLifetime).map { Links($0, base: base) }
        }
    }

    /// The body of a repeated event, with new links.
    ///
    /// - Returns: nil for an event without links, or if none of its assets is kept any more.
    func renewed(
        _ delivery: CatalogueDelivery, from catalogue: Catalogue, at now: UnixTime
    ) async throws(CatalogueError) -> [UInt8]? {
        let id = StreamID(delivery.line)
        guard let kind = WebhookEvent.Kind(rawValue: delivery.kind), tellsOfAssets(kind),
            let record = try await catalogue.stream(id)
        else { return nil }
        let assets = try await catalogue.assets(of: [id])[id] ?? []
        return recorded(record, as: kind, assets: assets, at: now)
    }

    /// `data` of `hls.recording.success`.
    func streamRecorded(
        _ stream: LiveStream, _ assets: [CatalogueAsset], at now: UnixTime
    ) -> [String: JSONValue] {
        var data = ending(stream, at: now)
        let whole = assets.filter { [.roomComposite, .roomVOD].contains($0.kind) }
        data["duration"] = .integer(
            whole.compactMap(\.duration).max().map { Int64($0.inSeconds.rounded()) } ?? 0)
        data.merge(pictures(of: assets, now)) { $1 }
        data.merge(chat(of: assets, now)) { $1 }
        data.merge(transcripts(of: assets, now)) { $1 }
        if let first = assets.first {
            data["recording_created_at"] = Self.time(first.createdAt)
        }
        if let size = whole.compactMap(\.size).max(by: { $0.width < $1.width }) {
            data["max_width"] = .integer(Int64(size.width))
            data["max_height"] = .integer(Int64(size.height))
        }
        if let vod = assets.first(where: { $0.kind == .roomVOD }) {
            data["hls_vod_recording_path"] = .string(vod.location ?? vod.path)
            data["hls_vod_recording_presigned_url"] = url(vod, now)
            // The same under an older name.
            data["recording_hls_vod_playlist_location"] = url(vod, now)
            data["hls_vod_recording_size"] = .integer(vod.byteCount)
        }
        let files = assets.filter { $0.kind == .roomComposite }
            .sorted { ($0.layer ?? 0) < ($1.layer ?? 0) }
        data["recording_single_files"] = .array(files.map { file(of: $0, now) })
        return data
    }

    /// `data` of `beam.recording.success` and `recording.success`, which report one file.
    func roomRecorded(
        _ stream: LiveStream, _ assets: [CatalogueAsset], at now: UnixTime
    ) -> [String: JSONValue] {
        var data = ending(stream, at: now)
        data["peer_id"] = .string(stream.startedBy)
        data["rtmp"] = .array(stream.plan.outputs.map { .string($0.shown) })
        // The session may still go on.
        data["session_stopped_at"] = .null
        data.merge(chat(of: assets, now)) { $1 }
        if let file = assets.first(where: { $0.kind == .roomComposite }) {
            data["created_at"] = Self.time(file.createdAt)
            data["duration"] = .integer(
                file.duration.map { Int64($0.inSeconds.rounded()) } ?? 0)
            data["recording_path"] = .string(file.location ?? file.path)
            data["recording_presigned_url"] = url(file, now)
            // The same under an older name.
            data["location"] = url(file, now)
            data["size"] = .integer(file.byteCount)
            data.merge(pictures(of: assets, now)) { $1 }
            if let size = file.size {
                data["max_width"] = .integer(Int64(size.width))
                data["max_height"] = .integer(Int64(size.height))
            }
        }
        return data
    }

    /// `data` of `track.recording.success`.
    func tracksRecorded(
        _ stream: LiveStream, _ assets: [CatalogueAsset], at now: UnixTime
    ) -> [String: JSONValue] {
        var data = ending(stream, at: now)
        let tracks = assets.filter { $0.kind == .track }
        data["duration"] = .integer(
            tracks.compactMap(\.duration).max().map { Int64($0.inSeconds.rounded()) } ?? 0)
        data["recording_tracks"] = .array(
            tracks.map { asset in
                var fields = place(of: asset, now)
                if let track = asset.track {
                    fields["track_id"] = .string(track.id)
                    fields["peer_id"] = .string(track.peer)
                    fields["peer_name"] = .string(track.name)
                    fields["role"] = .string(track.role)
                    fields["source"] = .string(track.source)
                    fields["codec"] = .string(track.codec)
                    fields["start_ms"] = .integer(track.start)
                }
                return .object(fields)
            })
        for (key, kind) in [
            ("recording_track_index", CatalogueAsset.Kind.trackIndex),
            ("recording_individual", .individual), ("recording_audio_mix", .audioMix),
        ] {
            if let asset = assets.first(where: { $0.kind == kind }) {
                data[key] = .object(place(of: asset, now))
            }
        }
        return data
    }

    /// `data` of `stream.recording.success`.
    func peersRecorded(
        _ stream: LiveStream, _ assets: [CatalogueAsset], at now: UnixTime
    ) -> [String: JSONValue] {
        var data = ending(stream, at: now)
        let files = assets.filter { $0.kind == .stream }
        data["duration"] = .integer(
            files.compactMap(\.duration).max().map { Int64($0.inSeconds.rounded()) } ?? 0)
        data["recording_streams"] = .array(
            files.map { asset in
                var fields = place(of: asset, now)
                fields["duration"] = .integer(
                    asset.duration.map { Int64($0.inSeconds.rounded()) } ?? 0)
                if let peer = asset.track {
                    fields["peer_id"] = .string(peer.peer)
                    fields["peer_name"] = .string(peer.name)
                    fields["role"] = .string(peer.role)
                    fields["source"] = .string(peer.source)
                    fields["start_ms"] = .integer(peer.start)
                }
                if let size = asset.size {
                    fields["width"] = .integer(Int64(size.width))
                    fields["height"] = .integer(Int64(size.height))
                }
                return .object(fields)
            })
        return data
    }

    private func place(of asset: CatalogueAsset, _ now: UnixTime) -> [String: JSONValue] {
        [
            "asset_id": .string(asset.id), "recording_path": .string(asset.location ?? asset.path),
            "recording_presigned_url": url(asset, now), "size": .integer(asset.byteCount),
        ]
    }

    private func ending(_ stream: LiveStream, at now: UnixTime) -> [String: JSONValue] {
        Self.origin(of: stream, at: now).merging([
            "recording_id": .string(stream.id.rawValue),
            "started_at": Self.time(stream.startedAt), "stopped_at": Self.time(stream.stoppedAt),
        ]) { $1 }
    }

    private func chat(of assets: [CatalogueAsset], _ now: UnixTime) -> [String: JSONValue] {
        guard let chat = assets.first(where: { $0.kind == .chat }) else { return [:] }
        return [
            "chat_recording_path": .string(chat.location ?? chat.path),
            "chat_recording_presigned_url": url(chat, now),
        ]
    }

    /// Roomcast's own fields; none for a recording without captions.
    private func transcripts(
        of assets: [CatalogueAsset], _ now: UnixTime
    ) -> [String: JSONValue] {
        let files = assets.compactMap { asset in
            asset.transcript.map { transcript in
                JSONValue.object(
                    place(of: asset, now).merging([
                        "language": .string(transcript.language),
                        "output_mode": .string(transcript.format),
                    ]) { $1 })
            }
        }
        return files.isEmpty ? [:] : ["recording_transcripts": .array(files)]
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

    /// The thumbnails, and the sprite if there is one; all assets of a recording share them.
    private func pictures(of assets: [CatalogueAsset], _ now: UnixTime) -> [String: JSONValue] {
        guard let asset = assets.first(where: { $0.thumbnails != nil }),
            let pictures = asset.thumbnails
        else { return ["recording_thumbnails": .array([])] }
        let links = link(asset, now)
        func place(_ path: String) -> JSONValue { .string(asset.location(of: path) ?? path) }
        func side(_ value: Int) -> JSONValue { .integer(Int64(value)) }
        let thumbnails = pictures.thumbnails.enumerated().map { index, one in
            let urls = links?.thumbnails ?? []
            return JSONValue.object([
                "width": side(one.width), "height": side(one.height),
                "offset": .integer(Int64(one.offset)), "location": place(one.path),
                "url": Self.text(urls.indices.contains(index) ? urls[index] : nil),
            ])
        }
        var data: [String: JSONValue] = ["recording_thumbnails": .array(thumbnails)]
        if let sprite = pictures.sprite {
            data["recording_sprite"] = .object([
                "width": side(sprite.width), "height": side(sprite.height),
                "count": .integer(Int64(sprite.count)), "location": place(sprite.path),
                "vtt_location": place(sprite.tracksPath), "url": Self.text(links?.sprite),
                "vtt_url": Self.text(links?.spriteTracks),
            ])
        }
        return data
    }

    private func url(_ asset: CatalogueAsset, _ now: UnixTime) -> JSONValue {
        Self.text(link(asset, now)?.file)
    }

    private static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    static func time(_ time: UnixTime?) -> JSONValue {
        time.map { .string($0.description) } ?? .null
    }
}

extension StreamEvents.Links {
    /// - Parameter base: the server's URL, without a trailing slash.
    init(_ link: RecordingLibrary.Link, base: String) {
        file = link.url(base: base)
        thumbnails = link.thumbnailPaths.map { base + $0 }
        sprite = link.spritePath.map { base + $0 }
        spriteTracks = link.spriteTracksPath.map { base + $0 }
    }
}
