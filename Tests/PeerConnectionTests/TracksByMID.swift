import MediaKernel
import RTP

@testable import PeerConnection

/// The tests name tracks by their mids.
extension PeerConnection {
    func isWanted(mid: String) -> Bool { outboundStream(mid)?.isWanted ?? false }

    func requestKeyframe(mid: String) {
        guard let section = section(mid: mid) else { return }
        requestKeyframe(in: section)
    }

    func requestRetransmission(of lost: [SequenceNumber], mid: String) {
        guard let section = section(mid: mid) else { return }
        requestRetransmission(of: lost, in: section)
    }

    func sendSenderReport(mid: String, ntp: NTPTime, rtpTimestamp: UInt32) {
        guard let stream = outboundStream(mid) else { return }
        sendSenderReport(on: stream, ntp: ntp, rtpTimestamp: rtpTimestamp)
    }
}
