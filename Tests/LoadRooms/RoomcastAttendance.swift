import HundredMS
import Logging
import MediaClient
import NIOCore
import RemoteRoom

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
        let room = HundredMSAddress(endpoint: endpoint, token: token).room(
            for: RoomGuest(name: "Peer \(member.index)"), on: group, logger: logger,
            makeObserver: makeObserver)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await room.run() }
            tasks.addTask {
                for await event in room.events {
                    switch event {
                    case .joined: try await room.publish(member.tracks)
                    case .published: joined()
                    case .roster, .path, .layers, .muteRequested, .activeSpeakers, .message: break
                    }
                }
            }
            try await tasks.next()
            tasks.cancelAll()
        }
    }
}
