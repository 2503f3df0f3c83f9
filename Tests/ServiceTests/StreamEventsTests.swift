import Catalogue
import ChildProcesses
import ControlAPI
import Foundation
import MediaKernel
import Signing
import Streams
import Testing
import Webhooks
import Workbench

@testable import Service

/// Events of streams, each sent once.
@Suite(.timeLimit(.minutes(5))) struct StreamEventsTests {
    private let events = StreamEvents(accountID: "acc") { asset, _ in
        .init(
            file: "http://h/\(asset.id)",
            thumbnails: asset.thumbnails?.thumbnails.map { "http://h/\($0.offset)" } ?? [],
            sprite: asset.thumbnails?.sprite.map { _ in "http://h/sprite" },
            spriteTracks: asset.thumbnails?.sprite.map { _ in "http://h/vtt" })
    }

    private func record(
        _ status: LiveStream.Status, _ end: StreamEnd? = nil, ran: Bool = true,
        kind: LiveStream.Kind = .stream
    ) -> CatalogueStream {
        var stream = LiveStream(
            id: "s1", room: "demo", kind: kind, session: "x",
            plan: StreamPlan(
                variant: LiveStreamVariant(meetingURL: "http://h/rooms/demo", metadata: "m"),
                recording: LiveStreamRecording(hlsVOD: true)),
            playback: LiveStream.Playback(url: "http://h/master.m3u8"),
            createdAt: UnixTime(seconds: 1_760_000_000), startedBy: "ann")
        stream.status = status
        stream.end = end
        stream.startedAt = ran ? UnixTime(seconds: 1_760_000_003) : nil
        stream.stoppedAt = status.isFinal ? UnixTime(seconds: 1_760_000_063) : nil
        stream.updatedAt = UnixTime(seconds: 1_760_000_070)
        stream.origin = LiveStream.Origin(
            roomName: "hall", template: "lecture",
            sessionStartedAt: UnixTime(seconds: 1_759_999_000))
        return CatalogueStream(stream, assetDirectory: nil)
    }

    private let order = RecordingOrder(
        hlsVOD: true, singleFilePerLayer: true, layers: [.init(width: 1280, height: 720)])

    private func told(
        _ record: CatalogueStream, _ assets: [CatalogueAsset] = []
    ) throws -> [(delivery: CatalogueDelivery, data: [String: Any])] {
        try events.deliveries(for: record, order: order, assets: assets).map { delivery in
            let json = try JSONSerialization.jsonObject(with: Data(delivery.body))
            let envelope = try #require(json as? [String: Any])
            #expect(envelope["version"] as? String == "2.0")
            #expect(envelope["account_id"] as? String == "acc")
            #expect(envelope["timestamp"] as? String == "2025-10-09T08:54:30Z")
            #expect(envelope["id"] as? String == delivery.id && delivery.line == "s1")
            #expect(envelope["type"] as? String == delivery.kind && delivery.room == "demo")
            return (delivery, try #require(envelope["data"] as? [String: Any]))
        }
    }

    @Test func aStreamThatRunsIsTold() throws {
        let (delivery, data) = try #require(try told(record(.running)).first)
        #expect(delivery.kind == "hls.started.success" && !delivery.isTerminal)
        #expect(data["beam_id"] as? String == "s1" && data["peer_id"] as? String == "ann")
        #expect(data["start_delay"] as? Int == 3)
        #expect(data["url"] as? String == "http://h/master.m3u8")
        #expect(data["recording_vod_playlist_enabled"] as? Bool == true)
        #expect(data["recording_single_file_per_layer_enabled"] as? Bool == false)
        #expect(data["max_width"] as? Int == 1280 && data["max_height"] as? Int == 720)
        #expect(data["outputs"] == nil)
    }

    @Test func outputsAreToldWithTheirStates() throws {
        let output = StreamOutput(id: "2", target: try PushTarget("rtmp://h/app/hunter2"))
        let status = PushStatus(
            report: PushReport(id: "2", state: .live, bytes: 7),
            since: UnixTime(seconds: 1_760_000_005))
        var stream = try #require(LiveStream(record(.running, kind: .recording)))
        stream.plan.outputs = [output]
        stream.health.outputs = ["2": status]
        let row = CatalogueStream(stream, assetDirectory: nil)
        #expect(LiveStream(row)?.health.outputs == ["2": status], "records know the states")
        let data = try #require(try told(row).first?.data)
        #expect(data["rtmp"] as? [String] == ["rtmp://h/app"])
        let listed = try #require((data["outputs"] as? [[String: Any]])?.first)
        #expect(listed["state"] as? String == "live" && listed["bytes"] as? Int == 7)
        #expect(listed["since"] as? String == "2025-10-09T08:53:25.000000000Z")
        #expect(listed["reason"] is NSNull && listed["layer"] as? Int == 0)
        let kinds: [PushReport.State: String] = [
            .live: "output.live", .retrying: "output.retrying", .failed: "output.failed",
        ]
        for state in PushReport.State.allCases {
            var status = status
            status.report.state = state
            let all = events.deliveries(for: row, output: output, status)
            #expect(all.map(\.kind) == [kinds[state]].compactMap(\.self))
            // The same state is the same event.
            let again = events.deliveries(for: row, output: output, status)
            #expect(again.map(\.id) == all.map(\.id))
            #expect(!all.contains { String(decoding: $0.body, as: UTF8.self).contains("hunter2") })
        }
    }

    @Test func aStreamThatWasStoppedIsToldWithItsReason() throws {
        let all = try told(record(.completed, .lastPeerLeft))
        #expect(all.map(\.delivery.kind) == ["hls.stopped.success"])
        #expect(all[0].delivery.isTerminal)
        #expect(all[0].data["reason"] as? String == "last peer left")
        #expect(all[0].data["duration"] as? Int == 60)
        #expect(all[0].data["stopped_at"] as? String == "2025-10-09T08:54:23.000000000Z")
    }

    @Test(arguments: [
        (StreamFailure.Cause.botDied, "INTERNAL_ERROR"), (.assetsNotMade, "UPLOAD_ERROR"),
        (.noRoomForAssets, "UPLOAD_ERROR"), (.unknown, "INTERNAL_ERROR"),
        (.pageNotShown, "MAX_RETRIES_REACHED"), (.sourceEncrypted, "MAX_RETRIES_REACHED"),
        (.sourceSilent, "MAX_RETRIES_REACHED"), (.sourceLost, "MAX_RETRIES_REACHED"),
        (.sourceClosed, "MAX_RETRIES_REACHED"),
    ])
    func aStreamThatFailedIsTold(cause: StreamFailure.Cause, type: String) throws {
        let all = try told(record(.failed, .failed(StreamFailure(cause, "the words"))))
        #expect(all.map(\.delivery.kind) == ["hls.failure"] && all[0].delivery.isTerminal)
        #expect(all[0].data["error_type"] as? String == type)
        #expect(all[0].data["error_message"] as? String == "the words")
    }

    @Test func aStopBeforeTheStreamRanIsAFailureAs100msHasIt() throws {
        let all = try told(record(.completed, .stopped, ran: false))
        #expect(all.map(\.delivery.kind) == ["hls.failure"])
        #expect(all[0].data["error_type"] as? String == "BEAM_STOPPED")
        #expect(all[0].data["error_message"] as? String == "Beam stopped too early")
    }

    @Test func assetsAreToldBehindTheEnd() throws {
        func asset(_ id: String, _ kind: CatalogueAsset.Kind, layer: Int?) -> CatalogueAsset {
            CatalogueAsset(
                id: id, stream: "s1", room: "demo", kind: kind, path: "p/\(id)", byteCount: 9,
                duration: .seconds(60), createdAt: UnixTime(seconds: 1_760_000_069),
                size: .init(width: 1280, height: 720), layer: layer)
        }
        // The stream is as large and as long as its whole picture, not as a peer's camera.
        var camera = asset("s1-t", .track, layer: nil)
        (camera.size, camera.duration) = (.init(width: 1920, height: 1080), .seconds(600))
        var assets = [
            asset("s1-1", .roomComposite, layer: 1), asset("s1-0", .roomComposite, layer: 0),
            asset("s1-vod", .roomVOD, layer: nil), asset("s1-chat", .chat, layer: nil),
            camera,
        ]
        assets[0].thumbnails = RecordingThumbnails(
            thumbnails: [
                .init(path: "p/thumbnails/x-2s.jpg", width: 320, height: 180, offset: 2)
            ],
            sprite: .init(
                path: "p/thumbnails/x.jpg", tracksPath: "p/thumbnails/x.vtt", width: 160,
                height: 90, count: 3))
        let all = try told(record(.failed, .failed(StreamFailure(.botDied, "x"))), assets)
        #expect(
            all.map(\.delivery.kind) == [
                "hls.failure", "hls.recording.success", "track.recording.success",
            ])
        let data = all[1].data
        let pictures = try #require(data["recording_thumbnails"] as? [[String: Any]])
        #expect(pictures.map { $0["offset"] as? Int } == [2])
        #expect(pictures[0]["width"] as? Int == 320 && pictures[0]["height"] as? Int == 180)
        #expect(pictures[0]["location"] as? String == "p/thumbnails/x-2s.jpg")
        #expect(pictures[0]["url"] as? String == "http://h/2")
        let sprite = try #require(data["recording_sprite"] as? [String: Any])
        #expect(sprite["url"] as? String == "http://h/sprite")
        #expect(sprite["vtt_location"] as? String == "p/thumbnails/x.vtt")
        #expect(!all[1].delivery.isTerminal && data["duration"] as? Int == 60)
        #expect(data["max_width"] as? Int == 1280 && data["max_height"] as? Int == 720)
        #expect(data["hls_vod_recording_path"] as? String == "p/s1-vod")
        #expect(data["hls_vod_recording_presigned_url"] as? String == "http://h/s1-vod")
        #expect(data["chat_recording_path"] as? String == "p/s1-chat")
        #expect(data["chat_recording_presigned_url"] as? String == "http://h/s1-chat")
        let files = try #require(data["recording_single_files"] as? [[String: Any]])
        #expect(files.map { $0["layer"] as? String } == ["0", "1"])
        #expect(files[0]["recording_presigned_url"] as? String == "http://h/s1-0")
        #expect(files[0]["width"] as? Int == 1280 && files[0]["size"] as? Int == 9)
    }

    @Test func whatGoesIntoAStoreIsToldWhenItIsThere() throws {
        let events = StreamEvents(accountID: "acc", waitsForStore: true) { asset, _ in
            asset.location.map { .init(file: $0) }
        }
        var asset = CatalogueAsset(
            id: "s1-vod", stream: "s1", room: "demo", kind: .roomVOD, path: "p/x.zip",
            byteCount: 9, createdAt: UnixTime(seconds: 1_760_000_069))
        let stream = record(.completed, .stopped)
        let all = events.deliveries(for: stream, order: order, assets: [asset])
        #expect(all.map(\.status) == [.pending, .held])
        asset.location = "s3://b/p/x.zip"
        let later = UnixTime(seconds: 1_760_000_900)
        let body = try #require(
            events.recorded(stream, as: .hlsRecorded, assets: [asset], at: later))
        let json = try JSONSerialization.jsonObject(with: Data(body))
        let envelope = try #require(json as? [String: Any])
        #expect(envelope["id"] as? String == all[1].id)
        #expect(envelope["timestamp"] as? String == "2025-10-09T09:08:20Z")
        let data = try #require(envelope["data"] as? [String: Any])
        #expect(data["hls_vod_recording_path"] as? String == "s3://b/p/x.zip")
        asset.status = .expired
        #expect(events.recorded(stream, as: .hlsRecorded, assets: [asset], at: later) == nil)
    }

    @Test func aRecordingWithoutAStreamIsABeam() throws {
        func told(
            _ status: LiveStream.Status, _ end: StreamEnd? = nil, ran: Bool = true,
            _ assets: [CatalogueAsset] = []
        ) throws -> [(delivery: CatalogueDelivery, data: [String: Any])] {
            try self.told(
                record(status, end, ran: ran, kind: .recording), assets)
        }
        let file = CatalogueAsset(
            id: "s1-0", stream: "s1", room: "demo", kind: .roomComposite, path: "beam/x.mp4",
            byteCount: 9, duration: .seconds(60), createdAt: UnixTime(seconds: 1_760_000_069),
            size: .init(width: 1280, height: 720))
        let all =
            try told(.running) + told(.completed, .stopped, [file])
            + told(.failed, .failed(StreamFailure(.botDied, "x"))) + told(.completed, ran: false)
        #expect(
            all.map(\.delivery.kind) == [
                "beam.started.success", "beam.stopped.success", "beam.recording.success",
                "recording.success", "beam.failure", "recording.failed", "beam.failure",
            ])
        #expect(
            all.map(\.delivery.isTerminal) == [false, true, false, false, true, false, true])
        for (_, data) in all {
            #expect(data["beam_id"] as? String == "s1" && data["max_width"] as? Int == 1280)
            #expect((data["rtmp"] as? [Any])?.isEmpty == true && data["url"] == nil)
            #expect(data["recording_vod_playlist_enabled"] == nil)
        }
        #expect(all[0].data["recording_enabled"] as? Bool == true)
        #expect(all[0].data["start_delay"] as? Int == 3)
        #expect(all[1].data["reason"] as? String == "client request")
        #expect(all[2].data["recording_path"] as? String == "beam/x.mp4")
        #expect(all[2].data["recording_presigned_url"] as? String == "http://h/s1-0")
        #expect(all[2].data["size"] as? Int == 9 && all[2].data["duration"] as? Int == 60)
        #expect(all[3].data["recording_path"] as? String == "beam/x.mp4")
        #expect(all[5].data["error_type"] as? String == "PROCESSING_CMD_ERROR")
        #expect(all[5].data["error_message"] as? String == "x")
        #expect(all[6].data["error_type"] as? String == "BEAM_STOPPED")
        // The saved part of a failed one is reported as recorded.
        let saved = try told(.failed, .failed(StreamFailure(.botDied, "x")), [file])
        #expect(
            saved.map(\.delivery.kind)
                == ["beam.failure", "beam.recording.success", "recording.success"])
    }

    @Test func nothingIsToldOnTheWay() throws {
        for status in [LiveStream.Status.starting, .stopping, .postProcessing] {
            #expect(try told(record(status)).isEmpty)
        }
    }

    @Test func whatIsToldIsInTheOutboxBeforeAnybodyHearsOfTheEnd() async throws {
        try await StreamsWorld().run { world in
            let id = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: nil)[0].id
            let bot = try #require(await world.launcher.next())
            await bot.say(.running(firstSegmentMilliseconds: 1))
            _ = try await world.streams.stop(stream: id, stoppedBy: nil)
            bot.exit(.finished(reason: "stop"))
            _ = await world.observer.ending()
            let page = try await world.catalogue.deliveries(DeliveryQuery(line: id.rawValue))
            #expect(page.records.map(\.kind) == ["hls.stopped.success", "hls.started.success"])
            #expect(page.records.allSatisfy { $0.status == .pending })
        }
    }

    @Test func aRecordingIsToldOnceMoreWithLinksForAWeek() async throws {
        let scratch = try Scratch()
        let catalogue = try Catalogue(path: "\(scratch.path)/catalogue.sqlite")
        let key = try #require(
            SigningKey(secret: Array(repeating: 7, count: 32), purpose: .assetLinks))
        let library = RecordingLibrary(catalogue: catalogue, root: scratch.path, key: key)
        let events = StreamEvents(
            accountID: "acc", link: StreamEvents.linker(library, base: "http://h"))
        let asset = CatalogueAsset(
            id: "s1-0", stream: "s1", room: "demo", kind: .roomComposite,
            path: "x/file-recording/a.mp4", byteCount: 1, createdAt: UnixTime(seconds: 1))
        let record = record(.completed)
        let told = events.deliveries(for: record, order: order, assets: [asset])
        try await catalogue.save(record, assets: [asset], telling: told)
        let now = UnixTime(seconds: 1_770_000_000)
        for delivery in told {
            let body = try await events.renewed(delivery, from: catalogue, at: now)
            guard delivery.kind == "hls.recording.success" else {
                #expect(body == nil)
                continue
            }
            let bytes = try #require(body)
            let envelope = try #require(
                try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
            #expect(envelope["id"] as? String == delivery.id)
            let data = try #require(envelope["data"] as? [String: Any])
            let file = try #require((data["recording_single_files"] as? [[String: Any]])?.first)
            let url = try #require(file["recording_presigned_url"] as? String)
            let link = url.split(separator: "/")[3]
            let last = now + .seconds(604_800)
            #expect(try AssetLink(verifying: link, with: key, at: now).expiry == last)
        }
    }

    /// 100ms' lists of the fields in `data`
    /// (docs/server-side/v2/how-to-guides/configure-webhooks/webhook.md).
    private static let documented: [String: String] = {
        let stream =
            "beam_id room_id session_id template_id metadata_id metadata_timestamp "
            + "max_width max_height meeting_url session_started_at "
        let state = "job_id peer_id state_name state_timestamp "
        let hls =
            stream + state
            + "recording_single_file_per_layer_enabled recording_vod_playlist_enabled "
        let beam = stream + state + "recording_enabled rtmp "
        let chat = "chat_recording_path chat_recording_presigned_url "
        let sfu = "room_id room_name session_id template_id session_started_at session_stopped_at "
        return [
            "hls.started.success": hls + "start_delay url started_at",
            "hls.stopped.success": hls
                + "url duration started_at stopped_at reason live_transcription_enabled",
            "hls.failure": hls + "error_code error_message error_type duration",
            "hls.recording.success": stream + chat
                + "duration hls_vod_recording_path hls_vod_recording_presigned_url "
                + "hls_vod_recording_size recording_created_at started_at stopped_at recording_id "
                + "recording_single_files recording_hls_vod_playlist_location "
                + "recording_thumbnails",
            "beam.started.success": beam + "start_delay",
            "beam.stopped.success": beam + "duration reason",
            "beam.failure": beam + "error_code error_message error_type duration",
            "beam.recording.success": stream + chat
                + "peer_id created_at duration location started_at stopped_at recording_id "
                + "recording_path recording_presigned_url rtmp size",
            "recording.success": sfu + chat
                + "location duration recording_path recording_presigned_url size",
            "recording.failed": sfu + "error error_type",
        ]
    }()

    @Test func eachEventHasAllThatTheDocumentsList() throws {
        func asset(_ id: String, _ kind: CatalogueAsset.Kind) -> CatalogueAsset {
            var asset = CatalogueAsset(
                id: id, stream: "s1", room: "demo", session: "x", kind: kind, path: "p/\(id)",
                byteCount: 7, createdAt: UnixTime(seconds: 1_760_000_065))
            asset.size = CatalogueAsset.Size(width: 1280, height: 720)
            return asset
        }
        let assets = [
            asset("a", .roomComposite), asset("b", .roomVOD), asset("c", .chat),
        ]
        var seen: Set<String> = []
        for kind in [LiveStream.Kind.stream, .recording] {
            for (status, assets) in [
                (LiveStream.Status.running, []), (.completed, assets), (.failed, []),
            ] {
                for (delivery, data) in try told(record(status, kind: kind), assets) {
                    seen.insert(delivery.kind)
                    let fields = try #require(Self.documented[delivery.kind]).split(separator: " ")
                    let missing = fields.filter { data[String($0)] == nil }
                    #expect(missing.isEmpty, "\(delivery.kind)")
                    #expect(data["template_id"] as? String == "lecture")
                    #expect(
                        data["session_started_at"] as? String == "2025-10-09T08:36:40.000000000Z")
                    let body = String(decoding: delivery.body, as: UTF8.self)
                    #expect(body.contains(#""template_id":"lecture","timestamp""#))
                }
            }
        }
        #expect(seen == Set(Self.documented.keys))
    }

    @Test func whatARoomWasIsKeptWithTheStream() throws {
        let stream = try #require(LiveStream(record(.running)))
        #expect(stream.origin.template == "lecture" && stream.origin.roomName == "hall")
        // Earlier records have none.
        var old = record(.running)
        old.details = old.details.replacing(#""origin":"#, with: #""x":"#)
        #expect(try #require(LiveStream(old)).origin == LiveStream.Origin())
    }

    @Test func tracksAreToldByThemselves() throws {
        func asset(_ id: String, _ kind: CatalogueAsset.Kind) -> CatalogueAsset {
            CatalogueAsset(
                id: id, stream: "s1", room: "demo", kind: kind, path: "p/\(id)", byteCount: 7,
                duration: .seconds(60), createdAt: UnixTime(seconds: 1_760_000_068))
        }
        var track = asset("t", .track)
        track.track = .init(
            id: "camera", peer: "p1", name: "Ann", role: "host", source: "regular", codec: "vp8",
            start: 1234)
        let tracks = [track, asset("i", .trackIndex), asset("z", .individual)]
        let end = record(.completed, .stopped, kind: .recording)
        let alone = try told(end, tracks)
        #expect(
            alone.map(\.delivery.kind) == ["beam.stopped.success", "track.recording.success"])
        let data = try #require(alone.last?.data)
        let listed = try #require((data["recording_tracks"] as? [[String: Any]])?.first)
        #expect(listed["track_id"] as? String == "camera" && listed["start_ms"] as? Int == 1234)
        #expect(listed["recording_path"] as? String == "p/t" && listed["size"] as? Int == 7)
        #expect(listed["recording_presigned_url"] as? String == "http://h/t")
        let index = data["recording_track_index"] as? [String: Any]
        #expect(index?["asset_id"] as? String == "i" && data["recording_individual"] != nil)
        // With the room's picture, that is told as before.
        let both = try told(end, [asset("m", .roomComposite)] + tracks).map(\.delivery.kind)
        #expect(
            both == [
                "beam.stopped.success", "beam.recording.success", "recording.success",
                "track.recording.success",
            ])
        #expect(events.tellsOfAssets(.tracksRecorded))
        // Files of peers have an event of their own.
        var movie = asset("m", .stream)
        movie.track = .init(
            id: "", peer: "p1", name: "Ann", role: "host", source: "regular", codec: "h264",
            start: 12)
        let withPeers = try told(end, tracks + [movie, asset("x", .audioMix)])
        #expect(
            withPeers.map(\.delivery.kind) == [
                "beam.stopped.success", "track.recording.success", "stream.recording.success",
            ])
        let peers = withPeers[2].data["recording_streams"] as? [[String: Any]]
        #expect(peers?.first?["peer_id"] as? String == "p1" && peers?.count == 1)
        #expect(peers?.first?["recording_path"] as? String == "p/m")
        #expect(withPeers[1].data["recording_audio_mix"] != nil)
        #expect(events.tellsOfAssets(.peersRecorded))
    }

    @Test func tracksThatAreWantedBeginAndFailToo() throws {
        var order = RecordingOrder(
            hlsVOD: false, singleFilePerLayer: false, layers: [],
            tracks: TrackOrder(perPeer: true))
        func kinds(_ record: CatalogueStream) -> [String] {
            events.deliveries(for: record, order: order, assets: []).map(\.kind)
        }
        #expect(
            kinds(record(.running, kind: .recording)) == [
                "beam.started.success", "track.recording.started.success",
            ])
        #expect(
            kinds(record(.completed, .stopped, kind: .recording)) == [
                "beam.stopped.success", "track.recording.failure", "stream.recording.failure",
            ])
        order.tracks?.perPeer = nil
        #expect(
            kinds(record(.completed, .stopped, kind: .recording)) == [
                "beam.stopped.success", "track.recording.failure",
            ])
    }
}
