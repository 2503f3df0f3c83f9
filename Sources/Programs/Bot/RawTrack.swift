import MediaClient
import MediaKernel
import Pipeline

/// A video track that comes as pixels, a picture whenever it changes.
///
/// A picture that stands still is passed on again once a second, and when a taker asks: one that
/// came later, or left the last one out, would wait for the next change, which may never come.
struct RawTrack {
    static let repeatInterval: Duration = .seconds(1)
    private static let reportInterval: Duration = .seconds(1)

    /// What a taker gets: a frame and, now and then, to what time its timestamp belongs.
    struct Delivery {
        var frame: IncomingFrame
        var ntp: NTPTime?
    }

    private var picture: RawPicture
    /// When it came.
    private var arrival: Instant
    private var delivered: Instant
    private var reported: Instant?

    init(_ picture: RawPicture, at now: Instant) {
        self.picture = picture
        arrival = now
        delivered = now
    }

    mutating func take(_ picture: RawPicture, at now: Instant) -> Delivery {
        self.picture = picture
        arrival = now
        return deliver(at: now)
    }

    /// The last picture as if it had been taken just now. Nil while there is no need.
    mutating func again(isWished: Bool, at now: Instant) -> Delivery? {
        guard isWished || now - delivered >= Self.repeatInterval else { return nil }
        return deliver(at: now)
    }

    /// A repeated picture is as old when it is delivered as it was when it came.
    private mutating func deliver(at now: Instant) -> Delivery {
        let later = now - arrival
        let taken = picture.taken + later
        var frame = IncomingFrame(
            data: picture.pixels, timestamp: Self.ticks(taken), isKeyframe: true,
            size: IncomingFrame.Size(width: picture.width, height: picture.height), arrival: now)
        frame.isRaw = true
        delivered = now
        var ntp: NTPTime?
        if reported.map({ now - $0 >= Self.reportInterval }) ?? true {
            reported = now
            let unix = picture.takenUnix.nanoseconds + later.nanoseconds
            ntp = NTPTime(unixNanoseconds: unix)
        }
        return Delivery(frame: frame, ntp: ntp)
    }

    /// Of the clock of video, 90 kHz.
    private static func ticks(_ instant: Instant) -> Int64 { instant.nanoseconds * 9 / 100_000 }
}
