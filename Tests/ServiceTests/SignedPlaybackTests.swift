import Catalogue
import ChildProcesses
import Foundation
import HundredMS
import MediaKernel
import ObjectStorage
import RoomHost
import Rooms
import Signing
import Streams
import Testing

@testable import Service

@Suite(.timeLimit(.minutes(5))) struct SignedPlaybackTests {
    /// The link in an address like `http://h:1/hls/demo/<link>/master.m3u8`.
    private func link(in url: String) throws -> String {
        let parts = url.split(separator: "/").map(String.init)
        #expect(parts.prefix(4) == ["http:", "h:1", "hls", "demo"] && parts.last == "master.m3u8")
        return try #require(parts.dropFirst(4).first)
    }

    @Test func theAddressOfAStreamIsSignedAndTheOnlyWayToIt() async throws {
        try await StreamsWorld { $0.playback.signedLifetime = .seconds(3600) }.run { world in
            let started = try await world.streams.start(
                room: "demo", LiveStreamRequest(), startedBy: "ann")
            let stream = try #require(started.first)
            #expect(stream.playback.isSigned)
            let end = world.clock.time + .seconds(3600)
            let link = try AssetLink(
                verifying: link(in: stream.playback.url), with: world.playbackKey,
                at: world.clock.time)
            #expect(link.asset == stream.id.rawValue && link.expiry.seconds == end.seconds)
            // The name alone gives no access.
            let bot = try #require(await world.launcher.next())
            #expect(bot.job.outputDirectory == "\(world.directory)/demo/.\(stream.id)")
            await bot.say(.running(firstSegmentMilliseconds: 1))
            // All recipients get the same address: the room, the API, the webhooks' receivers.
            for status in [LiveStream.Status.starting, .running] {
                let told = await world.observer.next()
                #expect(told?.first?.status == status)
                #expect(HLSState(told ?? []).variants.first?.url == stream.playback.url)
            }
            let shown = try await world.streams.current(room: "demo", kind: .stream)
            #expect(shown?.playback.url == stream.playback.url)
            try await until { try await world.catalogue.pendingDeliveries(limit: 9).count == 1 }
            let event = try await world.catalogue.pendingDeliveries(limit: 9).first
            let body = try #require(try await world.catalogue.delivery(event?.id ?? "")).body
            #expect(String(decoding: body, as: UTF8.self).contains(stream.playback.url))
            // Even after a restart.
            let record = try #require(try await world.catalogue.stream(stream.id))
            #expect(record.directory == "demo/.\(stream.id)")
            let again = try #require(LiveStream(record))
            #expect(again.playback.isSigned && again.directory == record.directory)
        }
    }

    @Test func aDestinationsOwnTimeStandsInForTheServers() async throws {
        let world = try await StreamsWorld { settings in
            settings.playback.signedLifetime = .seconds(3600)
            try? settings.read(policy(#"{"main": {"signedPlaybackSeconds": 60}}"#))
        }
        try await world.run { world in
            let stream = try #require(
                try await world.streams.start(room: "demo", LiveStreamRequest(), startedBy: nil)
                    .first)
            let link = try AssetLink(
                verifying: link(in: stream.playback.url), with: world.playbackKey,
                at: world.clock.time)
            #expect(link.expiry.seconds == world.clock.time.seconds + 60)
        }
    }

    @Test func aRecordingHasNoAddressToSign() async throws {
        try await StreamsWorld { $0.playback.signedLifetime = .seconds(3600) }.run { world in
            var request = LiveStreamRequest()
            request.kind = .recording
            let stream = try #require(
                try await world.streams.start(room: "demo", request, startedBy: nil).first)
            #expect(stream.playback.url.isEmpty && !stream.playback.isSigned)
        }
    }

    private func policy(_ destinations: String) throws -> Policy {
        try PolicyFile.policy(
            fromJSON: """
                {"roles": {"host": {"name": "host", "publishParams": {"allowed": ["audio"]}}},
                 "destinations": {"hlsDestinations": \(destinations)}}
                """)
    }

    @Test(arguments: [-1, 2_678_401])
    func aTimeOutOfBoundsIsRefused(seconds: Int) throws {
        var settings = StreamSettings()
        let policy = try policy(#"{"main": {"signedPlaybackSeconds": \#(seconds)}}"#)
        #expect(
            refusedSetting {
                try settings.read(policy)
            } == "policy.file")
    }

    /// Roomcast cannot sign a store's addresses.
    @Test func addressesInAStoreAreNotSigned() throws {
        var settings = StreamSettings()
        settings.playback.copyURL = "https://cdn.example.org"
        let policy = try policy(#"{"main": {"signedPlaybackSeconds": 60}}"#)
        #expect {
            try settings.read(policy)
        } throws: { error in
            "\(error)".contains("destination 'main'") && "\(error)".contains("liveURL")
        }
    }
}
