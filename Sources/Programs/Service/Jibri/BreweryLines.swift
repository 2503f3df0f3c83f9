import ClientConnections
import Jibri
import Logging
import NIOCore

/// The connections of all slots, each to each of its links: Jicofo knows a session by the occupant
/// that records it.
struct BreweryLines: BreweryPost {
    /// By slot, then by link.
    private let lines: [[BreweryLine]]

    /// - Throws: NIOSSL's error.
    init(
        slots: Int, links: [BreweryLink], on group: any EventLoopGroup, logger: Logger
    ) throws {
        let trusting = try TLSClient(.anyone)
        let checking = try TLSClient(.machine)
        lines = (0..<slots).map { slot in
            links.indices.map { link in
                let isTrusting = links[link].environment.isTrusting
                return BreweryLine(
                    links[link], slot: slot, link: link, tls: isTrusting ? trusting : checking,
                    on: group.next(), logger: logger)
            }
        }
    }

    func post(_ message: BreweryMessage, slot: Int, link: Int) {
        lines[slot][link].post(message)
    }

    /// Runs until all have left.
    func run(_ desk: JibriDesk) async {
        await withDiscardingTaskGroup { group in
            for line in lines.joined() { group.addTask { await line.run(desk) } }
        }
    }

    /// Leaves the breweries; `run` then returns.
    func leave() { for line in lines.joined() { line.leave() } }
}
