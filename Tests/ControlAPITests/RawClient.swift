import Foundation
import NIOCore
import NIOPosix

/// A TCP client that sends exactly the given bytes, for input that no proper client would send.
struct RawClient: Sendable {
    private let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// Connects, runs the body and closes. `answer` reads until it has seen the expected text.
    ///
    /// - Parameter resets: whether the end is a reset, so that the server loses the connection.
    static func connect<T: Sendable>(
        port: Int, resets: Bool = false, _ body: @Sendable (inout Conversation) async throws -> T
    ) async throws -> T {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            if resets, let socket = channel.channel as? any SocketOptionProvider {
                try await socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
            }
            var conversation = Conversation(
                inbound: inbound.makeAsyncIterator(), outbound: outbound, channel: channel.channel)
            return try await body(&conversation)
        }
    }

    struct Conversation {
        var inbound: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
        let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
        fileprivate let channel: any Channel
        var received: [UInt8] = []

        func send(_ text: String) async throws {
            try await outbound.write(ByteBuffer(string: text))
        }

        func send(_ bytes: [UInt8]) async throws {
            try await outbound.write(ByteBuffer(bytes: bytes))
        }

        /// Closes its side: nothing more will be sent.
        func endSending() async throws { try await channel.close(mode: .output) }

        /// Reads one HTTP answer, including its body if it states a length.
        mutating func response() async throws -> String {
            while true {
                if let end = received.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound {
                    let head = String(decoding: received[..<end], as: UTF8.self)
                    let length =
                        head.lowercased().split(separator: "\r\n")
                        .first { $0.hasPrefix("content-length:") }
                        .flatMap { Int($0.dropFirst(15).filter { $0 != " " }) } ?? 0
                    if received.count >= end + length {
                        let text = String(decoding: received[..<(end + length)], as: UTF8.self)
                        received.removeFirst(end + length)
                        return text
                    }
                }
                guard try await more() else { return String(decoding: received, as: UTF8.self) }
            }
        }

        /// Reads until the server has closed the connection.
        mutating func ending() async throws -> String {
            while try await more() {}
            return String(decoding: received, as: UTF8.self)
        }

        /// Reads one WebSocket frame; nil once the connection has ended.
        mutating func frame() async throws -> (opcode: UInt8, payload: [UInt8])? {
            while true {
                if received.count >= 2 {
                    var length = Int(received[1] & 0x7f)
                    var start = 2
                    if length == 126, received.count >= 4 {
                        (length, start) = (Int(received[2]) << 8 | Int(received[3]), 4)
                    } else if length == 127, received.count >= 10 {
                        length = received[2..<10].reduce(0) { $0 << 8 | Int($1) }
                        start = 10
                    }
                    if length < 126 || start > 2, received.count >= start + length {
                        let opcode = received[0] & 0x0f
                        let payload = Array(received[start..<start + length])
                        received.removeFirst(start + length)
                        return (opcode, payload)
                    }
                }
                guard try await more() else { return nil }
            }
        }

        /// Reads a close frame's code, skipping all frames before it.
        mutating func closeCode() async throws -> Int? {
            while let frame = try await frame() {
                guard frame.opcode == 8 else { continue }
                return frame.payload.count < 2
                    ? nil : Int(frame.payload[0]) << 8 | Int(frame.payload[1])
            }
            return nil
        }

        mutating func upgrade(_ path: String) async throws -> String {
            try await send(RawClient.handshake(path))
            return try await response()
        }

        private mutating func more() async throws -> Bool {
            guard let buffer = try await inbound.next() else { return false }
            received += buffer.readableBytesView
            return true
        }
    }

    static func handshake(_ path: String, extra: String = "") -> String {
        "GET \(path) HTTP/1.1\r\nHost: rooms.test:8443\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            + "\(extra)\r\n"
    }

    /// A client's frame, masked unless specified otherwise. RFC 6455 sect. 5.2.
    static func frame(
        _ opcode: UInt8, _ payload: [UInt8], fin: Bool = true, masked: Bool = true,
        reserved: UInt8 = 0
    ) -> [UInt8] {
        var bytes: [UInt8] = [(fin ? 0x80 : 0) | reserved << 4 | opcode]
        let bit: UInt8 = masked ? 0x80 : 0
        switch payload.count {
        case ..<126: bytes.append(bit | UInt8(payload.count))
        case ..<65_536:
            bytes += [bit | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xff)]
        default:
            bytes.append(bit | 127)
            bytes += stride(from: 56, through: 0, by: -8).map {
                UInt8(truncatingIfNeeded: payload.count >> $0)
            }
        }
        guard masked else { return bytes + payload }
        let key: [UInt8] = [1, 2, 3, 4]
        return bytes + key + payload.enumerated().map { $1 ^ key[$0 & 3] }
    }

    static func text(_ text: String) -> [UInt8] { frame(1, Array(text.utf8)) }
}
