import MediaKernel
import NIOCore

/// One accepted connection of a `TCPListener`, at the end of its pipeline.
final class TCPLink: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The most bytes waiting for the kernel: a key frame and more. Beyond that, packets are
    /// dropped until half of it is gone.
    static let waitingBytesMaximum = 1 << 20

    let remote: TransportAddress
    private let channel: any Channel
    private let listener: TCPListener
    private var framing = StreamFraming(packetBytesMaximum: DatagramSocket.datagramBytesMaximum)
    /// Whether anything was ever sent on this link.
    private(set) var isKnown = false
    /// Whether anything was sent since `takeUse`.
    private var isUsed = false
    private var isClosed = false
    /// Whether anything waits for `flush`.
    private(set) var hasUnflushed = false
    /// When the link is closed for lack of use; nil until the listener's first check.
    var deadline: Instant?

    init(remote: TransportAddress, channel: any Channel, listener: TCPListener) {
        self.remote = remote
        self.channel = channel
        self.listener = listener
    }

    /// Sends a packet as a whole or not at all, since a partial one would break the stream. Returns
    /// whether it was accepted.
    func send(_ packet: [UInt8]) -> Bool {
        guard channel.isWritable, let count = UInt16(exactly: packet.count) else { return false }
        isKnown = true
        isUsed = true
        hasUnflushed = true
        var buffer = channel.allocator.buffer(
            capacity: StreamFraming.headerBytes + packet.count)
        buffer.writeInteger(count)
        buffer.writeBytes(packet)
        channel.write(buffer, promise: nil)
        return true
    }

    func flush() {
        hasUnflushed = false
        channel.flush()
    }

    func takeUse() -> Bool {
        defer { isUsed = false }
        return isUsed
    }

    func close() {
        isClosed = true
        channel.close(promise: nil)
    }

    // MARK: ChannelInboundHandler

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        framing.append(unwrapInboundIn(data).readableBytesView)
        do throws(StreamFramingError) {
            while !isClosed, let packet = try framing.next() {
                listener.handlers.received(packet, remote)
            }
        } catch {
            close()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) { listener.handlers.batchEnded() }

    func channelInactive(context: ChannelHandlerContext) {
        isClosed = true
        listener.ended(self)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { close() }
}
