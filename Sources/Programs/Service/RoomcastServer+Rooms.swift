import Catalogue
import ControlAPI
import Foundation
import HundredMS
import HundredMSTerms
import Jitsi
import Logging
import MediaKernel
import MediaServer
import NIOCore
import NIOPosix
import OpenVidu
import Rooms
public import ServiceLifecycle
public import UnixSignals

extension RoomcastServer {
    /// Runs the whole server as `roomcast serve`: media, rooms, signalling, streams, HTTP.
    ///
    /// - Parameters:
    ///   - signals: the signals for an orderly stop.
    ///   - guest: started last; when it returns, the server stops in good order.
    ///   - onRunning: called with the bound HTTP port, once everything answers.
    /// - Throws: the errors that keep the server from starting, each with its reason.
    public func run(
        stoppingOn signals: [UnixSignal] = Self.stopSignals,
        guest: (any ServiceLifecycle.Service)? = nil,
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) async throws {
        // On its own threads, so that media and downloads do not wait for each other.
        let threads = MultiThreadedEventLoopGroup(numberOfThreads: settings.udp.threads)
        do {
            try await run(on: threads, stoppingOn: signals, guest: guest, onRunning: onRunning)
        } catch {
            try? await threads.shutdownGracefully()
            throw error
        }
        try await threads.shutdownGracefully()
    }

    private func run(
        on mediaThreads: any EventLoopGroup, stoppingOn signals: [UnixSignal],
        guest: (any ServiceLifecycle.Service)?, onRunning: @escaping @Sendable (Int) async -> Void
    ) async throws {
        let media = try await openMedia(on: mediaThreads)
        logger.info(
            "media port open",
            metadata: [
                "advertised": "\(media.advertised.map(\.description).joined(separator: " "))"
            ])
        let recorder = SessionRecorder(
            catalogue: catalogue, accountID: settings.webhooks?.accountID, logger: logger)
        let sessions = SessionRetention(
            catalogue: catalogue, kept: settings.rooms.sessionsKept, logger: logger)
        let registry = RoomRegistry(
            catalogue: catalogue, opensOnJoin: settings.rooms.opensOnJoin, logger: logger)
        let calls = CallDesk(
            calls: CallCatalogue(catalogue), authority: authority,
            events: settings.webhooks.map { CallEvents(accountID: $0.accountID) }, logger: logger)
        let openViduSettings = settings.rooms.openVidu
        let door = OpenViduDoor(secret: openViduSettings.secret)
        let news = openViduSettings.secret.map { _ in
            OpenViduNews(webhook: openViduSettings.webhook, recorder: recorder, door: door)
        }
        let line = settings.rooms.jitsi.flatMap { JitsiLine($0, logger: logger) }
        let meeting = line.flatMap { line in
            settings.rooms.jitsi.map { jitsi in
                var focus = jitsi.focus
                focus.bridge = settings.http.publicBaseURL
                return JitsiMeeting(settings: focus, post: line)
            }
        }
        let directory = RoomDirectory(
            policies: policies, settings: settings.rooms, registry: registry, media: media,
            streaming: streamsInRoom,
            streams: streams, opensTokens: settings.pages.opensTokens, turn: settings.turn,
            recorder: recorder, calls: calls,
            protocols: [
                OpenVidu(limits: OpenViduLimits(settings.rooms.signalling), observer: news)
            ] + (meeting.map { [$0] } ?? []), logger: logger)
        await calls.attach(directory)
        let recordings = OpenViduRecordings(
            control: streams, catalogue: catalogue, notes: notes,
            news: news ?? OpenViduNews(webhook: nil, recorder: recorder, door: door), door: door,
            autostop: openViduSettings.autostop, logger: logger)
        await recordings.attach(directory)
        await directory.observe(by: recordings)
        let openVidu = OpenViduRooms(
            directory: directory, door: door, recordings: recordings, settings: openViduSettings)
        // The recorder ends last, so that it saves what the rooms note while they end.
        var account: [any ServiceLifecycle.Service] = [recorder, sessions, recordings]
        var conferences: [any SignallingEndpoint] = []
        if let line, let jitsi = settings.rooms.jitsi {
            let focus = JitsiFocus(
                settings: jitsi.focus, rooms: directory, post: line, logger: logger)
            await line.attach(focus)
            account.append(line)
            conferences.append(JitsiEndpoint(gateway: ConferenceDoor(focus: focus)))
        }
        try await run(
            gateway: directory, calls: calls,
            signalling: [
                HundredMSEndpoint(gateway: directory),
                OpenViduEndpoint(gateway: openVidu, secret: openViduSettings.secret),
                WHIPEndpoint(.publishing, gateway: directory),
                WHIPEndpoint(.playing, gateway: directory),
            ] + conferences,
            observer: directory, services: account + [directory],
            metrics: [directory, MediaMetrics(media: media)], stoppingOn: signals, guest: guest,
            onRunning: onRunning)
    }

    private func openMedia(on threads: any EventLoopGroup) async throws -> MediaServer {
        do {
            return try await MediaServer.start(
                configuration: MediaServerConfiguration(
                    bindHosts: [settings.udp.host], port: settings.udp.port,
                    advertised: settings.udp.advertisedAddresses.compactMap {
                        TransportAddress($0, port: 0)
                    },
                    tcpPort: settings.tcp.port,
                    tcpAdvertised: settings.tcp.advertisedAddresses.compactMap {
                        TransportAddress($0, port: 0)
                    }, tcpLinksMaximum: settings.tcp.linksMaximum),
                group: threads, logger: logger)
        } catch {
            throw settings.explained(error)
        }
    }

    static func policy(_ settings: Settings) throws -> Policy {
        guard let file = settings.policyFile else { return .standard }
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: file))
        } catch {
            throw SettingsError.invalid(
                key: "policy.file", reason: "\(file) cannot be read: \(error.systemReason)")
        }
        do {
            return try PolicyFile.policy(fromJSON: String(decoding: data, as: UTF8.self))
        } catch {
            throw SettingsError.invalid(key: "policy.file", reason: "\(file): \(error.message)")
        }
    }
}
