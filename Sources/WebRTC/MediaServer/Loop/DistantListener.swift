import Datagrams
import MediaKernel

/// A TCP listener of another media loop, for connections of this loop that use it.
final class DistantListener: LinkSink {
    private let inbox: LoopInbox
    private let index: Int

    /// - Parameters:
    ///   - inbox: the inbox of the listener's loop.
    ///   - index: the listener's index there.
    init(inbox: LoopInbox, index: Int) {
        self.inbox = inbox
        self.index = index
    }

    func send(_ bytes: [UInt8], to address: TransportAddress, from source: LocalAddress?) {
        inbox.put(.send(bytes, to: address, listener: index))
    }

    func close(_ address: TransportAddress) { inbox.put(.close(address, listener: index)) }
}
