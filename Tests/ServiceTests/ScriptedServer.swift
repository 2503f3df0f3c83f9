import NIOCore
import NIOPosix
import Synchronization

/// An HTTP server on this machine that sends a test's script, byte by byte, and records its
/// requests.
final class ScriptedServer: Sendable {
    /// Its response to a request, given the request's head.
    typealias Script = @Sendable (NIOAsyncChannelOutboundWriter<ByteBuffer>) async throws -> Void

    private struct State {
        var requests: [String] = []
    }

    let port: Int
    private let state = Mutex(State())

    /// Runs while `body` does.
    static func run<T: Sendable>(
        _ script: @escaping Script, _ body: @Sendable (ScriptedServer) async throws -> T
    ) async throws -> T {
        // Until somebody serves it, a connection is only a channel: a link that nobody serves to its
        // end would end this process.
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.autoRead, value: false)
            .bind(host: "127.0.0.1", port: 0) { $0.eventLoop.makeSucceededFuture($0) }
        let server = ScriptedServer(port: channel.channel.localAddress?.port ?? 0)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await channel.executeThenClose { connections in
                    try await withThrowingDiscardingTaskGroup { group in
                        for try await connection in connections {
                            group.addTask { await server.serve(connection, script) }
                        }
                    }
                }
            }
            defer { group.cancelAll() }
            return try await body(server)
        }
    }

    private init(port: Int) { self.port = port }

    /// Heads and bodies as they came.
    var requests: [String] { state.withLock { $0.requests } }

    private func serve(_ channel: any Channel, _ script: Script) async {
        let connection = try? await channel.eventLoop.submit {
            let connection = try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                wrappingChannelSynchronously: channel)
            channel.setOption(.autoRead, value: true).whenFailure { _ in channel.close(promise: nil)
            }
            return connection
        }.get()
        try? await connection?.executeThenClose { inbound, outbound in
            var text = ""
            for try await buffer in inbound {
                text += String(buffer: buffer)
                guard text.contains("\r\n\r\n") else { continue }
                state.withLock { $0.requests.append(text) }
                try await script(outbound)
                return
            }
        }
    }

    static func text(_ text: String) -> Script {
        { try await $0.write(ByteBuffer(string: text)) }
    }

    static let accepting = text("HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")

    static func redirecting(to port: Int) -> Script {
        text(
            "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:\(port)/\r\n"
                + "content-length: 0\r\nconnection: close\r\n\r\n")
    }

    /// Accepts the request and stays silent until the client has gone.
    static let silent: Script = { _ in try await Task.sleep(for: .seconds(3600)) }

    /// A response that continues as long as the client reads it.
    static let endless: Script = { outbound in
        try await outbound.write(
            ByteBuffer(string: "HTTP/1.1 200 OK\r\ncontent-length: \(1 << 40)\r\n\r\n"))
        let chunk = ByteBuffer(repeating: 0x20, count: 64 * 1024)
        while !Task.isCancelled { try await outbound.write(chunk) }
    }
}
