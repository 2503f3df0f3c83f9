import ArgumentParser
import AsyncHTTPClient
import Clocks
import Foundation
import MediaClient
import MediaKernel
import NIOCore
import NIOPosix

/// Fills one room with peers, all in this process, and measures the received media: latency, loss,
/// joining time, and the server's CPU. Peers that send all the time are on one event loop and
/// listeners on another. One more peer, which is silent, has its own loop and measures latency.
@main
struct LoadRooms: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load-rooms",
        abstract: "Fill a room of Roomcast or Janus with peers and measure what they receive.")

    @Option(help: "Roomcast's origin, or http://host:port/janus.")
    var endpoint: String

    @Option(help: "A room token of Roomcast; without one the server is a Janus.")
    var token: String?

    @Option(help: "The room of a Janus.")
    var room = 1234

    @Option(help: "Peers, each with a microphone.")
    var peers = 10

    @Option(help: "How many of them speak; the others are silent, with DTX.")
    var speaking = 3

    @Option(help: "How many of them have a camera, in three layers.")
    var cameras = 0

    @Option(help: "Seconds that are measured, once all have joined.")
    var seconds = 10

    // Does not divide the duration of a packet or a picture: so they begin at different times.
    @Option(help: "Milliseconds from one join to the next.")
    var pause = 47

    @Option(help: "The server's process.")
    var server: Int32

    private static let crowdNiceness: Int32 = 10

    private func party(of members: Range<Int>, http: HTTPClient) -> Party {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let attendance: any Attendance =
            if let token {
                RoomcastAttendance(endpoint: endpoint, token: token, group: group)
            } else {
                JanusAttendance(endpoint: endpoint, room: room, group: group, http: http)
            }
        return Party(members: members, attendance: attendance, loop: group.next())
    }

    func run() async throws {
        let load = Load(peers: peers, speaking: speaking, cameras: cameras)
        var settings = HTTPClient.Configuration()
        settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = (peers + 1) * 2
        let http = HTTPClient(configuration: settings)
        let senders = load.senders
        let crowd = [0..<senders, senders..<peers].filter { !$0.isEmpty }
            .map { party(of: $0, http: http) }
        // If cores are scarce, the server and the observer take precedence over the crowd.
        for party in crowd {
            try await party.loop.submit {
                // Applies to this thread alone: setpriority(2), "C library/kernel differences".
                _ = setpriority(Int32(PRIO_PROCESS.rawValue), 0, Self.crowdNiceness)
            }.get()
        }
        let report = try await Rehearsal(
            load: load, crowd: crowd, observer: party(of: peers..<peers + 1, http: http),
            server: server, pause: .milliseconds(pause), length: .seconds(seconds)
        ).run()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        print(String(decoding: try encoder.encode(report), as: UTF8.self))
        // The connections have been closed; the process' end cleans up the rest.
        LoadRooms.exit()
    }
}
