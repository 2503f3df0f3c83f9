import Datagrams
import Glibc
import MediaKernel
import NIOCore
import NIOPosix

/// The browser's only way to other machines: a proxy on the loopback that resolves each name,
/// judges each address, and connects to exactly the address that it has judged.
struct GuardProxy: Sendable {
    typealias Resolver = @Sendable (String) async throws -> [TransportAddress]

    /// A browser opens a few dozen.
    static let connectionsMaximum = 256
    static let connectTimeout: TimeAmount = .seconds(10)
    /// The most addresses of a name that are tried.
    private static let attemptsMaximum = 4

    let addresses: AddressGuard
    var resolve: Resolver = NameResolver.addresses
    /// Called with each refusal, in words.
    let refused: @Sendable (String) -> Void

    private typealias Link = NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// A socket on a free port of the loopback, to be called before the process is confined.
    ///
    /// - Returns: the descriptor and the port; nil if there is none.
    static func listen() -> (descriptor: CInt, port: UInt16)? {
        let descriptor = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutableBytes(of: &address) { bytes in
            guard let raw = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else {
                return false
            }
            return bind(descriptor, raw, length) == 0
                && Glibc.listen(descriptor, 128) == 0
                && getsockname(descriptor, raw, &length) == 0
        }
        guard isBound else {
            close(descriptor)
            return nil
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// This machine's networks.
    static func networks() throws -> [AddressGuard.Network] {
        try System.enumerateDevices().compactMap { device in
            guard let address = device.address.flatMap(TransportAddress.init),
                let mask = device.netmask.flatMap(TransportAddress.init)
            else { return nil }
            let bits = mask.ip.reduce(0) { $0 + $1.nonzeroBitCount }
            return AddressGuard.Network(ip: address.ip, prefix: bits)
        }
    }

    /// Serves until cancelled.
    ///
    /// - Parameter descriptor: of ``listen()``; it is closed.
    func run(on group: any EventLoopGroup, listening descriptor: CInt) async throws {
        // A connection is not read before somebody serves it. Until then it is only a channel: a
        // link that nobody serves to its end would end this process.
        let server = try await ServerBootstrap(group: group)
            .childChannelOption(.maxMessagesPerRead, value: 4)
            .childChannelOption(.autoRead, value: false)
            .bind(descriptor) { $0.eventLoop.makeSucceededFuture($0) }
        let count = Counter()
        try await server.executeThenClose { channels in
            try await withThrowingDiscardingTaskGroup { tasks in
                for try await channel in channels {
                    tasks.addTask {
                        if await count.enter() {
                            // A connection that fails is the page's own affair.
                            try? await self.serve(channel, on: group)
                            await count.leave()
                        } else {
                            try? await channel.close()
                        }
                    }
                }
            }
        }
    }

    private func serve(_ channel: any Channel, on group: any EventLoopGroup) async throws {
        let link = try await channel.eventLoop.submit {
            let link = try Link(wrappingChannelSynchronously: channel)
            channel.setOption(.autoRead, value: true).whenFailure { _ in channel.close(promise: nil)
            }
            return link
        }.get()
        try await serve(link, on: group)
    }

    /// Waits until what was written has left: a channel that is closed forgets the rest.
    private static func flush(_ link: Link) async throws {
        let channel = link.channel
        try await withTaskCancellationHandler {
            try await channel.writeAndFlush(ByteBuffer())
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    private actor Counter {
        private var count = 0

        func enter() -> Bool {
            guard count < GuardProxy.connectionsMaximum else { return false }
            count += 1
            return true
        }

        func leave() { count -= 1 }
    }

    private func serve(_ link: Link, on group: any EventLoopGroup) async throws {
        try await link.executeThenClose { inbound, outbound in
            var bytes: [UInt8] = []
            var reader = inbound.makeAsyncIterator()
            var headEnd: Int?
            while headEnd == nil {
                guard let buffer = try await reader.next() else { return }
                let known = bytes.count
                bytes += buffer.readableBytesView
                guard bytes.count <= ProxyRequest.headBytesMaximum else { return }
                headEnd = ProxyRequest.headEnd(in: bytes, after: known)
            }
            let end = headEnd ?? bytes.count
            let upstream: Link
            let request: ProxyRequest
            do {
                request = try ProxyRequest(head: bytes[..<end])
                upstream = try await connect(to: request.target, on: group)
            } catch {
                let refusal =
                    error as? ProxyRequest.Refusal
                    ?? ProxyRequest.Refusal(status: 502, words: "cannot be reached")
                try await outbound.write(ByteBuffer(string: Self.answer(refusal)))
                try await Self.flush(link)
                return
            }
            let rest = Array(bytes[end...])
            try await upstream.executeThenClose { upstreamInbound, upstreamOutbound in
                var left: Int?
                switch request.kind {
                case .tunnel:
                    try await outbound.write(
                        ByteBuffer(string: "HTTP/1.1 200 Connection established\r\n\r\n"))
                    if !rest.isEmpty { try await upstreamOutbound.write(ByteBuffer(bytes: rest)) }
                case .single(let head, let bodyBytes):
                    guard rest.count <= bodyBytes else { return }
                    try await upstreamOutbound.write(ByteBuffer(string: head))
                    if !rest.isEmpty { try await upstreamOutbound.write(ByteBuffer(bytes: rest)) }
                    left = bodyBytes - rest.count
                }
                try await Self.pump(
                    from: reader, left, to: upstreamOutbound, back: upstreamInbound, outbound)
                try await Self.flush(link)
            }
        }
    }

    /// Passes bytes on in both directions until either ends.
    ///
    /// - Parameter left: the bytes that may still come from the browser; nil for any number. More
    ///   would be another request, which may be meant for another host.
    private static func pump(
        from reader: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator, _ left: Int?,
        to upstream: NIOAsyncChannelOutboundWriter<ByteBuffer>,
        back: NIOAsyncChannelInboundStream<ByteBuffer>,
        _ browser: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) async throws {
        nonisolated(unsafe) var reader = reader
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var left = left
                while let buffer = try await reader.next() {
                    if let limit = left {
                        guard buffer.readableBytes <= limit else { return }
                        left = limit - buffer.readableBytes
                    }
                    try await upstream.write(buffer)
                }
            }
            group.addTask {
                for try await buffer in back { try await browser.write(buffer) }
            }
            try await group.next()
            group.cancelAll()
        }
    }

    /// - Throws: `ProxyRequest.Refusal`.
    private func connect(
        to target: AddressGuard.Target, on group: any EventLoopGroup
    ) async throws -> Link {
        let found: [TransportAddress]
        if let literal = TransportAddress(target.host, port: target.port) {
            found = [literal]
        } else {
            found = (try? await resolve(target.host)) ?? []
        }
        guard !found.isEmpty else {
            throw ProxyRequest.Refusal(status: 502, words: "\(target) has no address")
        }
        let allowed = found.filter { addresses.refusal(of: $0, target) == nil }
        if allowed.isEmpty, let words = addresses.refusal(of: found[0], target) {
            refused(words)
            throw ProxyRequest.Refusal(status: 403, words: words)
        }
        for address in allowed.prefix(Self.attemptsMaximum) {
            let socket = try SocketAddress(ipAddress: address.host, port: Int(target.port))
            let link = try? await ClientBootstrap(group: group)
                .connectTimeout(Self.connectTimeout)
                .channelOption(.maxMessagesPerRead, value: 4)
                .connect(to: socket) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try Link(wrappingChannelSynchronously: channel)
                    }
                }
            if let link { return link }
        }
        throw ProxyRequest.Refusal(status: 502, words: "\(target) cannot be reached")
    }

    private static func answer(_ refusal: ProxyRequest.Refusal) -> String {
        let reasons = [400: "Bad Request", 403: "Forbidden", 501: "Not Implemented"]
        let body = refusal.words + "\n"
        return "HTTP/1.1 \(refusal.status) \(reasons[refusal.status] ?? "Bad Gateway")\r\n"
            + "Content-Type: text/plain; charset=utf-8\r\nContent-Length: \(body.utf8.count)\r\n"
            + "Connection: close\r\n\r\n\(body)"
    }
}
