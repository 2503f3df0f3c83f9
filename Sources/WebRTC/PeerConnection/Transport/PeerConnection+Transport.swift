import DataChannel
import ICE
public import MediaKernel
import SDP
import SecureTransport

/// Forwards the outputs of the lower layers and combines their states.
extension PeerConnection {
    func settleICE(at now: Instant) {
        while let output = connectivity.agent.poll() {
            switch output {
            case .transmit(let bytes, let address): emit(.transmit(bytes, to: address))
            case .selected, .state: break
            }
        }
        if connectivity.takeMove() { sending.routeChanged() }
        releaseHeldBack()
        if connectivity.selectedAddress != nil, let dtls = security.dtls, !security.hasStarted {
            security.hasStarted = true
            dtls.start(at: now)
            settleDTLS(at: now)
        }
        updateState()
    }

    /// Sends the held-back datagrams that may be sent now.
    private func releaseHeldBack() {
        guard let address = connectivity.selectedAddress else { return }
        while let next = connectivity.popHeldBack() { emit(.transmit(next, to: address)) }
    }

    /// Returns whether authenticated data arrived.
    @discardableResult
    func settleDTLS(at now: Instant) -> Bool {
        guard let dtls = security.dtls else { return false }
        var isAuthentic = false
        releaseHeldBack()
        while let output = dtls.poll() {
            switch output {
            case .transmit(let bytes):
                if let address = connectivity.selectedAddress,
                    connectivity.admits(handshake: bytes)
                {
                    emit(.transmit(bytes, to: address))
                }
            case .connected:
                isAuthentic = true
                security.isConnected = true
                receiving.nextReport = now + Self.reportInterval
                openChannels(at: now)
            case .applicationData(let bytes):
                isAuthentic = true
                channels.transport?.handle(bytes)
                exchangeWithChannels()
            case .closed:
                security.isConnected = false
                channels.transport = nil
                change(to: .closed)
            case .failed:
                security.isConnected = false
                security.hasFailed = true
            }
        }
        updateState()
        return isAuthentic
    }

    /// Begins SCTP once the handshake is complete and a data section is negotiated, whichever is
    /// later.
    func openChannels(at now: Instant) {
        guard security.isConnected, channels.transport == nil,
            let section = sections.first(where: { $0.kind == .application && !$0.isRejected })
        else { return }
        channels.transport = try? DataChannelTransport(
            isDTLSClient: security.role == .client, remotePort: section.remoteSCTPPort,
            remoteMaximumMessageBytes: section.remoteMaximumMessageBytes)
        channels.transport?.connect()
        exchangeWithChannels()
    }

    /// Whether `settleChannels` has anything to do.
    public var hasChannelWork: Bool { channels.transport?.hasWork ?? false }

    /// Handles channel events. Call on every tick, or whenever `hasChannelWork` says so, since
    /// SCTP's timers run independently.
    public func settleChannels(at now: Instant) {
        exchangeWithChannels()
        settleDTLS(at: now)
    }

    /// Handles the channels' outputs. Data to send waits in the DTLS transport for `settleDTLS`.
    private func exchangeWithChannels() {
        guard let transport = channels.transport, let dtls = security.dtls else { return }
        while let output = transport.poll() {
            switch output {
            case .transmit(let bytes):
                dtls.send(bytes)
            case .connected:
                channels.isAssociated = true
                for handle in channels.openWaiting() { emit(.channelClosed(handle)) }
            case .opened, .text, .binary, .closed:
                if let output = channels.output(of: output) { emit(output) }
            case .failed:
                // Media continues without the channels.
                channels.transport = nil
                channels.isAssociated = false
            }
        }
    }

    func updateState() {
        guard state != .closed else { return }
        if security.hasFailed { return change(to: .failed) }
        switch connectivity.agent.state {
        case .new: break
        case .checking: change(to: .connecting)
        case .connected: change(to: security.isConnected ? .connected : .connecting)
        case .disconnected: change(to: .disconnected)
        case .failed: change(to: .failed)
        }
    }

    func change(to next: PeerConnectionState) {
        guard next != state else { return }
        state = next
        emit(.stateChanged(next))
    }
}
