import ClientConnections
import Jibri
import Logging
import NIOCore

/// The connections of all slots, each to each of its servers: Jicofo knows a session by the occupant
/// that records it.
struct SlotConnections: BreweryPost {
    /// By slot, then by server.
    private let connections: [[SlotConnection]]

    /// - Throws: NIOSSL's error.
    init(
        slots: Int, servers: [BreweryServer], on group: any EventLoopGroup, logger: Logger
    ) throws {
        let trusting = try TLSClient(.anyone)
        let checking = try TLSClient(.machine)
        connections = (0..<slots).map { slot in
            servers.indices.map { server in
                let isTrusting = servers[server].environment.isTrusting
                return SlotConnection(
                    servers[server], slot: slot, server: server,
                    tls: isTrusting ? trusting : checking,
                    on: group.next(), logger: logger)
            }
        }
    }

    func post(_ message: BreweryMessage, slot: Int, server: Int) {
        connections[slot][server].post(message)
    }

    /// Runs until all have left.
    func run(_ desk: JibriDesk) async {
        await withDiscardingTaskGroup { group in
            for connection in connections.joined() {
                group.addTask { await connection.run(desk) }
            }
        }
    }

    /// Leaves the breweries; `run` then returns.
    func leave() { for connection in connections.joined() { connection.leave() } }
}
