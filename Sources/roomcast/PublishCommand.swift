import ArgumentParser
import Foundation
import HundredMS
import Logging
import NIOPosix
import Publisher
import RemoteRoom
import Service
import WHIP

struct PublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Join a room as a participant who shows a media file in a loop.",
        discussion: """
            With --whip the file goes to any server that speaks WHIP (RFC 9725), such as \
            http://127.0.0.1:8080/whip/ROOM.
            """)

    @Option(help: "Origin of the server: http://127.0.0.1:8080")
    var endpoint = "http://127.0.0.1:8080"

    @Option(
        help: ArgumentHelp(
            "A WHIP endpoint to publish to, in place of a room at --endpoint.", valueName: "url"))
    var whip: String?

    @Option(
        help: ArgumentHelp(
            """
            A room token, as `roomcast token room` makes them, or the bearer token of a WHIP \
            endpoint; without it the variable ROOMCAST_TOKEN is read, which other users of the \
            machine do not see.
            """))
    var token: String?

    @Option(help: "The name that the others see.")
    var name = "Publisher"

    @Option(help: "The participant's metadata, such as {\"picture\": \"https://…\"}.")
    var metadata = ""

    @Option(
        name: .customLong("layer"),
        help: ArgumentHelp(
            "The same video smaller, sent beside FILE as a simulcast layer. Twice at most.",
            valueName: "file"))
    var layers: [String] = []

    @Option(
        help: ArgumentHelp(
            "A file whose video is shared as a screen beside FILE.", valueName: "file"))
    var screen: String?

    @OptionGroup(title: "Conditions, for tests")
    var conditions: PublishConditionOptions

    @Argument(help: "A file with VP8, VP9, AV1 or H.264 pictures and any sound.")
    var file: String

    private static let tokenVariable = "ROOMCAST_TOKEN"

    func run() async throws {
        let token = token ?? ProcessInfo.processInfo.environment[Self.tokenVariable]
        if let whip {
            try await publish(in: WHIPAddress(endpoint: whip, token: token), called: whip)
        } else if let token {
            let room = HundredMSAddress(endpoint: endpoint, token: token)
            try await publish(in: room, called: endpoint)
        } else {
            throw ValidationError("--token or \(Self.tokenVariable) must be given")
        }
    }

    private func publish<Address: RoomAddress>(
        in address: Address, called endpoint: String
    ) async throws where Address.Room: PublishingRoom {
        let logger = Logger.roomcast("roomcast.publish", level: LogLevel(.info), format: .logfmt)
        logger.info(
            "waiting for the server's answer, for 10 s at most",
            metadata: ["endpoint": "\(endpoint)"])
        let signals = StopSignals()
        try await PublisherRunner(
            options: PublisherRunner.Options(
                name: name, metadata: metadata, path: file, layers: layers, screen: screen,
                conditions: conditions.conditions()),
            logger: logger
        ).run(
            in: address, group: MultiThreadedEventLoopGroup.singleton, stop: signals.reasons
        ) {
            logger.info("published", metadata: ["file": "\(file)"])
        }
    }
}
