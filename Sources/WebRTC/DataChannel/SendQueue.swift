import MediaKernel

/// Messages that SCTP has not taken yet: before the association is up, while its buffer is full,
/// or while a channel waits to be reset. A full queue refuses.
struct SendQueue {
    private var messages: BoundedQueue<SCTPAssociation.Message>
    private let bytesMaximum: Int
    private(set) var bytes = 0
    /// The number of the first message still here; they are counted from 0 as they come.
    private(set) var firstNumber: UInt64 = 0

    init(messagesMaximum: Int, bytesMaximum: Int) {
        messages = .init(maximum: messagesMaximum)
        self.bytesMaximum = bytesMaximum
    }

    var first: SCTPAssociation.Message? { messages.first }
    /// The number that the next message will get.
    var nextNumber: UInt64 { firstNumber + UInt64(messages.count) }

    /// An empty queue takes any message, so that the largest always has its chance; and an
    /// answer that the protocol demands is measured by the number of messages alone.
    mutating func append(
        _ message: SCTPAssociation.Message, isAnswer: Bool = false
    ) throws(DataChannelError) {
        let total = bytes + message.bytes.count
        guard isAnswer || messages.isEmpty || total <= bytesMaximum, messages.append(message)
        else { throw .queueFull(bytes: total, maximum: bytesMaximum) }
        bytes = total
    }

    mutating func removeFirst() {
        guard let message = messages.popFirst() else { return }
        bytes -= message.bytes.count
        firstNumber += 1
    }

    mutating func removeAll() {
        firstNumber = nextNumber
        messages.removeAll()
        bytes = 0
    }
}
