import DataChannel
public import MediaKernel

/// Data channels opened by either side. RFC 8831.
extension PeerConnection {
    /// The longest label and protocol, in bytes.
    public static let channelNameBytesMaximum = 256

    /// Opens a channel, at once or when the association is up. `channelOpened` follows. If no
    /// description has a data section yet, the next offer adds one.
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
            for handle in channels.openWaiting() { emit(.channelClosed(handle)) }
            settleChannels(at: now)
        }
        return handle
    }

    /// Sends a message on a channel. Returns false, and sends nothing, if the channel is not open
    /// or too much data is waiting.
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

    /// Sends text on the channel with that label. Dropped if there is none.
    public func send(_ text: String, on label: String, at now: Instant) {
        let entry = channels.entries.first { $0.format.label == label && $0.id != nil }
        if let entry { send(.text(text), on: entry.handle, at: now) }
    }

    /// Closes a channel after the sent messages have arrived.
    public func closeChannel(_ handle: ChannelHandle, at now: Instant) {
        guard let id = channels.id(of: handle) else { return channels.remove(handle) }
        channels.transport?.close(id)
        settleChannels(at: now)
    }
}
