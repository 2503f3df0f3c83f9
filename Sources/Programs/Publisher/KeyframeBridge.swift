import Codec
import MediaKernel
import RTP

/// Answers a request for a key frame in the middle of a file's group of pictures.
///
/// The pictures from the request to the file's next key frame are encoded again, beginning with a
/// key frame; all others pass unchanged. So a new viewer waits for one picture instead of up to a
/// group, and the work lasts a second at most.
final class KeyframeBridge {
    /// Pictures of a longer group are not kept: the viewer waits for the file's next key frame.
    static let picturesMaximum = 300
    /// The least distance between two requested key frames: several viewers may request them at
    /// once.
    static let distanceMinimum = 10

    private struct Session {
        let decoder: VideoDecoder
        let encoder: VPXEncoder
        var index: Int64 = 0
        var sinceKeyframe = 0
    }

    private let codec: VideoCodecKind
    private let format: VPXEncoder.Format
    private let frameRate: Int
    /// The encoded pictures since the file's last key frame; empty when there are too many.
    private var group: [[UInt8]] = []
    private var session: Session?
    private var isWanted = false

    /// Nil for a codec that cannot be encoded here.
    init?(codec: MediaCodec, frameRate: Double?) {
        switch codec {
        case .vp8: (self.codec, format) = (.vp8, .vp8)
        case .vp9: (self.codec, format) = (.vp9, .vp9)
        default: return nil
        }
        self.frameRate = Int(min(max((frameRate ?? 30).rounded(), 1), 120))
    }

    func request() { isWanted = true }

    /// Notes a picture that is not sent.
    func skip(_ frame: MediaFile.Frame) {
        session = nil
        remember(frame)
    }

    /// The picture to send: the file's own, unless a request is being answered.
    ///
    /// - Throws: `CodecError`; the next picture passes unchanged.
    func pass(_ frame: MediaFile.Frame) throws -> MediaFile.Frame {
        remember(frame)
        if frame.isKeyframe {
            session = nil
            isWanted = false
            return frame
        }
        do {
            return try bridged(frame) ?? frame
        } catch {
            session = nil
            isWanted = false
            throw error
        }
    }

    private func remember(_ frame: MediaFile.Frame) {
        if frame.isKeyframe {
            group = [frame.data]
        } else if !group.isEmpty {
            group.append(frame.data)
            if group.count > Self.picturesMaximum { group = [] }
        }
    }

    /// The re-encoded picture; nil without a request.
    private func bridged(_ frame: MediaFile.Frame) throws -> MediaFile.Frame? {
        var picture: VideoFrame?
        if let session {
            picture = try session.decoder.decode(frame.data, timestamp: 0).last?.frame
        } else if isWanted, !group.isEmpty {
            let decoder = try VideoDecoder(codec: codec)
            for data in group {
                picture = try decoder.decode(data, timestamp: 0).last?.frame ?? picture
            }
            guard let picture else { return nil }
            session = Session(decoder: decoder, encoder: try encoder(for: picture))
        }
        guard let picture, var session else { return nil }
        let isForced =
            session.index == 0 || isWanted && session.sinceKeyframe >= Self.distanceMinimum
        let packets = try session.encoder.encode(
            picture, index: session.index, forceKeyframe: isForced)
        session.index += 1
        session.sinceKeyframe = isForced ? 0 : session.sinceKeyframe + 1
        self.session = session
        if isForced { isWanted = false }
        guard let packet = packets.first else { return nil }
        var result = frame
        result.data = packet.data
        result.isKeyframe = packet.isKeyframe
        return result
    }

    private func encoder(for picture: VideoFrame) throws -> VPXEncoder {
        // 0.15 bit a pixel: 1 Mbit/s for 640x360 at 30 frames/s.
        let rate = picture.width * picture.height * frameRate * 15 / 100
        return try VPXEncoder(
            format,
            VideoEncoderSettings(
                width: picture.width, height: picture.height, frameRate: frameRate,
                bitrate: min(max(rate, 100_000), 10_000_000), keyframeInterval: 3600))
    }
}
