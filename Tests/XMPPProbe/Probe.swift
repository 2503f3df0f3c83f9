// A client of XMPP for test_xmpp.py: orders are lines of JSON on standard input, what happens is
// lines of JSON on standard output. It holds any number of clients on one loop.
import ClientConnections
import Foundation
import NIOPosix
import Synchronization
import XML
import XMPP
import XMPPClient

struct ProbeOrder: Decodable, Sendable {
    var client: String
    var order: String
    var server: ProbeServer?
    var xml: [String]?
    var to: String?
    var id: String?
    var kind: String?
    var room: String?
    var nick: String?
    var password: String?
    var timeout: Double?
}

struct ProbeServer: Decodable, Sendable {
    var host: String?
    var port: Int?
    var url: String?
    var domain: String
    var user: String?
    var password: String?
    var authorities: String?
    var plaintext: String?
    var answered: [String]?
    var features: [String]?
    var phase: Double?
    var silence: Double?
    var pingAnswer: Double?
    /// Between two connections, in seconds; nil for one connection only.
    var pause: Double?
    var resumes: Bool?
    /// Whether events wait until the order `read`.
    var isDeaf: Bool?
}

struct ProbeFault: Error {}

@main enum Probe {
    static func main() async throws {
        let (lines, input) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            while let line = readLine() { input.yield(line) }
            input.finish()
        }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        var clients: [String: ProbeClient] = [:]
        for await line in lines {
            let order = try JSONDecoder().decode(ProbeOrder.self, from: Data(line.utf8))
            if let server = order.server {
                clients[order.client] = try ProbeClient(order.client, server, group)
            }
            if order.order == "drop" {
                clients[order.client] = nil
                continue
            }
            guard let client = clients[order.client] else { throw ProbeFault() }
            await client.obey(order)
        }
        exit(0)
    }
}

private let output = Mutex(FileHandle.standardOutput)

func report(_ client: String, _ event: String, _ more: [String: String?] = [:]) {
    var fields = more.compactMapValues(\.self)
    (fields["client"], fields["event"]) = (client, event)
    guard let line = try? JSONEncoder().encode(fields) else { return }
    output.withLock { $0.write(line + [UInt8(ascii: "\n")]) }
}

/// The name of an enumeration's case.
func caseName(_ value: Any) -> String {
    Mirror(reflecting: value).children.first?.label ?? "\(value)"
}
