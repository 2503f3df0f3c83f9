import Foundation
import Logging
import MediaKernel
import NIOCore
import RoomClient
import Signalling

/// A peer of a Roomcast room.
struct RoomcastAttendance: Attendance {
    let endpoint: String
    let token: String
    let group: any EventLoopGroup

    func attend(
        _ member: Member, makeObserver: @escaping @Sendable () -> any ClientMediaObserver,
        joined: @escaping @Sendable () -> Void
    ) async throws {
        var logger = Logger(label: "load-rooms")
        logger.logLevel = .warning
        let client = RoomClient(
            configuration: RoomClient.Configuration(
                endpoint: endpoint, token: token, peer: PeerID(UUID().uuidString.lowercased()),
                name: "Peer \(member.index)"),
            group: group, logger: logger, makeObserver: makeObserver)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await client.run() }
            tasks.addTask {
                for await event in client.events {
                    switch event {
                    case .joined: try await client.publish(member.tracks)
                    case .signalling(.answered): joined()
                    case .signalling, .trackLayers, .receiving: break
                    }
                }
            }
            try await tasks.next()
            tasks.cancelAll()
        }
    }
}
