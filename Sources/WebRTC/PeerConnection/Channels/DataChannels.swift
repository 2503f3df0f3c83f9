public import DataChannel

/// A data channel of a connection, from the request to its closing.
public struct ChannelHandle: Hashable, Sendable {
    public let rawValue: Int

    init(_ rawValue: Int) { self.rawValue = rawValue }
}

/// The parameters agreed when a data channel is opened. RFC 8832 sect. 5.1.
public struct ChannelFormat: Hashable, Sendable {
    public var label: String
    public var `protocol`: String
    public var isOrdered: Bool
    public var reliability: ChannelReliability

    public init(
        label: String, protocol: String = "", isOrdered: Bool = true,
        reliability: ChannelReliability = .reliable
    ) {
        self.label = label
        self.protocol = `protocol`
        self.isOrdered = isOrdered
        self.reliability = reliability
    }
}

/// One message on a data channel. RFC 8831 sect. 6.6.
public enum ChannelMessage: Hashable, Sendable {
    case text(String)
    case binary([UInt8])
}

/// The data channels of one connection, both open and waiting for the association.
struct DataChannels {
    struct Entry {
        let handle: ChannelHandle
        let format: ChannelFormat
        /// Nil while the channel waits.
        var id: ChannelID?
    }

    /// The association that carries them; nil while there is none.
    var transport: DataChannelTransport?
    /// Both sides have set the association up.
    var isAssociated = false
    private(set) var entries: [Entry] = []
    private var nextHandle = 0

    var isFull: Bool { entries.count >= DataChannelTransport.channelsMaximum }

    mutating func add(_ format: ChannelFormat, id: ChannelID? = nil) -> ChannelHandle {
        let handle = ChannelHandle(nextHandle)
        nextHandle += 1
        entries.append(Entry(handle: handle, format: format, id: id))
        return handle
    }

    mutating func bind(_ handle: ChannelHandle, to id: ChannelID?) {
        guard let index = entries.firstIndex(where: { $0.handle == handle }) else { return }
        entries[index].id = id
    }

    mutating func remove(_ id: ChannelID) -> ChannelHandle? {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return nil }
        return entries.remove(at: index).handle
    }

    mutating func remove(_ handle: ChannelHandle) { entries.removeAll { $0.handle == handle } }

    func entry(_ id: ChannelID) -> Entry? { entries.first { $0.id == id } }
    func id(of handle: ChannelHandle) -> ChannelID? {
        entries.first { $0.handle == handle }?.id
    }

    /// Opens the channels that wait for the association. Returns those that it refuses, which are
    /// closed.
    mutating func openWaiting() -> [ChannelHandle] {
        guard let transport else { return [] }
        var refused: [ChannelHandle] = []
        for entry in entries where entry.id == nil {
            let format = entry.format
            let id = try? transport.open(
                label: format.label, protocol: format.protocol, isOrdered: format.isOrdered,
                reliability: format.reliability)
            if let id {
                bind(entry.handle, to: id)
            } else {
                remove(entry.handle)
                refused.append(entry.handle)
            }
        }
        return refused
    }

    /// What the owner of the connection hears of an event of a channel.
    mutating func output(
        of event: DataChannelTransport.Output
    ) -> PeerConnection.Output? {
        switch event {
        case .opened(let id, let label, let name, let isRemote):
            let handle =
                isRemote
                ? add(ChannelFormat(label: label, protocol: name), id: id) : entry(id)?.handle
            return handle.map { .channelOpened($0, label: label, protocol: name) }
        case .text(let id, let text):
            return entry(id).map { .channelMessage($0.handle, .text(text)) }
        case .binary(let id, let bytes):
            return entry(id).map { .channelMessage($0.handle, .binary(bytes)) }
        case .closed(let id):
            return remove(id).map { .channelClosed($0) }
        case .transmit, .connected, .failed:
            return nil
        }
    }
}
