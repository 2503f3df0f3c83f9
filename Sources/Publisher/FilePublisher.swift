import Clocks
import Logging
import MediaKernel
import PeerConnection
import RTP
import RoomClient

/// Sends a file's frames when their time has come. Lives on the media loop.
final class FilePublisher: ClientMediaObserver {
    static let reportInterval: Duration = .seconds(1)

    /// One track on its way out.
    private struct Lane {
        let trackID: String
        let clockRate: Int
        var packetizer: any Packetizer
        var sequence: SequenceNumber
        let firstTimestamp: UInt32

        func timestamp(_ time: MediaTime) -> UInt32 {
            firstTimestamp
                &+ UInt32(truncatingIfNeeded: time.rescaled(to: Int32(clockRate)).ticks)
        }
    }

    private var file: MediaFile
    private var video: Lane?
    private var audio: Lane?
    private var waiting: MediaFile.Frame?
    private var media: ClientMedia?
    /// When the file's time 0 is. Set when the connection is first up.
    private var origin: Instant?
    private var nextReport = Instant.zero
    private let logger: Logger

    init(file: MediaFile, videoID: String, audioID: String, logger: Logger) {
        self.file = file
        self.logger = logger
        func lane(_ trackID: String, _ codec: MediaCodec) -> Lane {
            Lane(
                trackID: trackID, clockRate: codec.clockRate, packetizer: codec.makePacketizer(),
                sequence: SequenceNumber(.random(in: 0...UInt16.max)),
                firstTimestamp: .random(in: 0...UInt32.max))
        }
        video = file.videoCodec.map { lane(videoID, $0) }
        audio = file.hasAudio ? lane(audioID, .opus) : nil
    }

    func start(_ media: ClientMedia) { self.media = media }

    func stateChanged(
        _ direction: ConnectionDirection, _ state: PeerConnectionState, at now: Instant
    ) {
        if direction == .publish, state == .connected, origin == nil { origin = now }
    }

    func tick(at now: Instant) {
        guard let origin else { return }
        do {
            while let frame = try waiting ?? file.next() {
                let due = origin + .nanoseconds(frame.time.rescaled(to: 1_000_000_000).ticks)
                guard due <= now else {
                    waiting = frame
                    break
                }
                waiting = nil
                send(frame, at: now)
            }
        } catch {
            logger.error("file cannot be read on", metadata: ["error": "\(error)"])
            self.origin = nil
        }
        report(since: origin, at: now)
    }

    private func send(_ frame: MediaFile.Frame, at now: Instant) {
        guard var lane = frame.isVideo ? video : audio else { return }
        let timestamp = lane.timestamp(frame.time)
        let parts = lane.packetizer.packetize(frame: frame.data, isKeyframe: frame.isKeyframe)
        for part in parts {
            let packet = RTPPacket(
                marker: part.marker, payloadType: PayloadType(0), sequenceNumber: lane.sequence,
                timestamp: timestamp, ssrc: SSRC(0), payload: part.payload[...])
            lane.sequence = lane.sequence.advanced(by: 1)
            media?.send(packet, trackID: lane.trackID, at: now)
        }
        if frame.isVideo { video = lane } else { audio = lane }
    }

    /// Ties both tracks to one wall clock, so that receivers can put them together.
    private func report(since origin: Instant, at now: Instant) {
        guard now >= nextReport else { return }
        nextReport = now + Self.reportInterval
        let ntp = NTPTime(unixNanoseconds: MonotonicClock.unixNanoseconds)
        let time = MediaTime(ticks: (now - origin).nanoseconds, timescale: 1_000_000_000)
        for lane in [video, audio].compactMap({ $0 }) {
            media?.sendSenderReport(
                trackID: lane.trackID, ntp: ntp, rtpTimestamp: lane.timestamp(time))
        }
    }

    func received(_ packet: IncomingPacket, of track: IncomingTrack, at now: Instant) {}
    func senderReport(
        of track: IncomingTrack, ntp: NTPTime, rtpTimestamp: UInt32, at now: Instant
    ) {}
    func incomingTracksChanged(_ tracks: [IncomingTrack], at now: Instant) {}
    /// The file's own key frames must do.
    func keyframeRequested(trackID: String, at now: Instant) {}
}
