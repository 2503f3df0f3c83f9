import MediaKernel

/// Messages waiting for SCTP: before the association is up, while its buffer is full, or while a
/// channel waits for its reset. A full queue refuses messages.
struct SendQueue {
    private var messages: BoundedQueue<SCTPAssociation.Message>
    private let bytesMaximum: Int
    private(set) var bytes = 0
    /// The number of the first message in the queue. Messages are numbered from 0 in order.
    private(set) var firstNumber: UInt64 = 0

    init(messagesMaximum: Int, bytesMaximum: Int) {
        messages = .init(maximum: messagesMaximum)
        self.bytesMaximum = bytesMaximum
    }

    var first: SCTPAssociation.Message? { messages.first }
    /// The number of the next message to be added.
    var nextNumber: UInt64 { firstNumber + UInt64(messages.count) }

    /// An empty queue accepts any message, so that the largest can be sent. An answer required by
    /// the protocol is limited only by the number of messages.
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
