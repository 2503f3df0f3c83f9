import DataChannel
import ICE
public import MediaKernel
import SDP
import SecureTransport

/// The layers below: bringing their outputs out, and what they amount to together.
extension PeerConnection {
    func settleICE(at now: Instant) {
        while let output = agent.poll() {
            switch output {
            case .transmit(let bytes, let address): emit(.transmit(bytes, to: address))
            case .selected, .state: break
            }
        }
        releaseHeldBack()
        if selectedAddress != nil, let dtls, !hasStartedDTLS {
            hasStartedDTLS = true
            dtls.start(at: now)
            settleDTLS(at: now)
        }
        updateState()
    }

    /// Gives whether something came that only the remote side could have sent.
    @discardableResult
    func settleDTLS(at now: Instant) -> Bool {
        guard let dtls else { return false }
        var isAuthentic = false
        releaseHeldBack()
        while let output = dtls.poll() {
            switch output {
            case .transmit(let bytes):
                if let address = selectedAddress { emitHandshake(bytes, to: address) }
            case .connected:
                isAuthentic = true
                nextReport = now + Self.reportInterval
                openChannels(at: now)
            case .applicationData(let bytes):
                isAuthentic = true
                channels?.handle(bytes)
                exchangeWithChannels()
            case .closed:
                channels = nil
                change(to: .closed)
            case .failed:
                hasTransportFailed = true
            }
        }
        updateState()
        return isAuthentic
    }

    /// Begins SCTP once both the handshake is over and a data section is agreed upon, whichever
    /// comes last.
    func openChannels(at now: Instant) {
        guard dtls?.isConnected == true, channels == nil,
            let section = sections.first(where: { $0.kind == .application && !$0.isRejected })
        else { return }
        channels = try? DataChannelTransport(
            isDTLSClient: dtlsRole == .client, remotePort: section.remoteSCTPPort,
            remoteMaximumMessageBytes: section.remoteMaximumMessageBytes)
        channels?.connect()
        exchangeWithChannels()
    }

    /// Whether `settleChannels` would be worth its while.
    public var hasChannelWork: Bool { channels?.hasWork ?? false }

    /// Brings channel events out. Call on every tick, or on those when `hasChannelWork` says so,
    /// since SCTP's timers run beside us.
    public func settleChannels(at now: Instant) {
        exchangeWithChannels()
        settleDTLS(at: now)
    }

    /// Takes what the channels have to say. What they send waits in the DTLS transport, for
    /// `settleDTLS`.
    private func exchangeWithChannels() {
        guard let channels, let dtls else { return }
        while let output = channels.poll() {
            switch output {
            case .transmit(let bytes):
                dtls.send(bytes)
            case .connected:
                hasAssociation = true
                openWaitingChannels()
            case .opened, .text, .binary, .closed:
                channelEvent(output)
            case .failed:
                // Media goes on without the channels.
                self.channels = nil
                hasAssociation = false
            }
        }
    }

    func updateState() {
        guard state != .closed else { return }
        if hasTransportFailed { return change(to: .failed) }
        switch agent.state {
        case .new: break
        case .checking: change(to: .connecting)
        case .connected: change(to: dtls?.isConnected == true ? .connected : .connecting)
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
