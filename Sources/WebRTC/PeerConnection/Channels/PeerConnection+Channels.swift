import DataChannel
public import MediaKernel

/// Data channels of either side. RFC 8831.
extension PeerConnection {
    /// Longest label and protocol, in bytes.
    public static let channelNameBytesMaximum = 256

    /// Opens a channel, at once or when the association is up. `channelOpened` follows. Where no
    /// description has a data section yet, the next offer has one.
    public func openChannel(
        _ format: ChannelFormat, at now: Instant
    ) throws(PeerConnectionError) -> ChannelHandle {
        guard !channels.isFull else {
            throw .tooMany(what: "data channels", maximum: DataChannelTransport.channelsMaximum)
        }
        for name in [format.label, format.protocol]
        where name.utf8.count > Self.channelNameBytesMaximum {
            throw .tooMany(
                what: "bytes of a channel's name", maximum: Self.channelNameBytesMaximum)
        }
        let handle = channels.add(format)
        if channels.isAssociated {
            openWaitingChannels()
            settleChannels(at: now)
        }
        return handle
    }

    /// Sends a message on a channel. Gives false, and sends nothing, while the channel is not open
    /// or too much waits.
    @discardableResult
    public func send(_ message: ChannelMessage, on handle: ChannelHandle, at now: Instant) -> Bool {
        guard let transport = channels.transport, let id = channels.id(of: handle) else {
            return false
        }
        do {
            switch message {
            case .text(let text): try transport.send(text, on: id)
            case .binary(let bytes): try transport.send(binary: bytes, on: id)
            }
        } catch {
            return false
        }
        settleChannels(at: now)
        return true
    }

    /// Sends text on the channel of that label. Dropped while there is none.
    public func send(_ text: String, on label: String, at now: Instant) {
        let entry = channels.entries.first { $0.format.label == label && $0.id != nil }
        if let entry { send(.text(text), on: entry.handle, at: now) }
    }

    /// Closes a channel when what was sent on it has arrived.
    public func closeChannel(_ handle: ChannelHandle, at now: Instant) {
        guard let id = channels.id(of: handle) else { return channels.remove(handle) }
        channels.transport?.close(id)
        settleChannels(at: now)
    }

    func openWaitingChannels() {
        guard let transport = channels.transport else { return }
        for entry in channels.entries where entry.id == nil {
            let format = entry.format
            let id = try? transport.open(
                label: format.label, protocol: format.protocol, isOrdered: format.isOrdered,
                reliability: format.reliability)
            guard let id else {
                channels.remove(entry.handle)
                emit(.channelClosed(entry.handle))
                continue
            }
            channels.bind(entry.handle, to: id)
        }
    }

    /// What a channel has to say.
    func channelEvent(_ output: DataChannelTransport.Output) {
        switch output {
        case .opened(let id, let label, let name, let isRemote):
            let handle =
                isRemote
                ? channels.add(ChannelFormat(label: label, protocol: name), id: id)
                : channels.entry(id)?.handle
            if let handle { emit(.channelOpened(handle, label: label, protocol: name)) }
        case .text(let id, let text):
            if let entry = channels.entry(id) {
                emit(.channelMessage(entry.handle, .text(text)))
            }
        case .binary(let id, let bytes):
            if let entry = channels.entry(id) {
                emit(.channelMessage(entry.handle, .binary(bytes)))
            }
        case .closed(let id):
            if let handle = channels.remove(id) { emit(.channelClosed(handle)) }
        case .transmit, .connected, .failed:
            break
        }
    }
}
