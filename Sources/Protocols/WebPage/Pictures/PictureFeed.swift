import Clocks
import Foundation
import Glibc
import MediaClient
import MediaKernel
import Synchronization

/// Reads the browser's pictures on a thread of its own and hands them on, each as soon as it is
/// there.
final class PictureFeed: Sendable {
    /// How often to look for a picture: a quarter of the time between two, so that few are late. A
    /// look without a picture costs a microsecond.
    private static let interval: UInt32 = 8000  // µs
    /// How long the keeper may take to find the file, which lies there before it is asked for.
    static let patience: Duration = .seconds(10)
    /// How old a picture may be; an older one's time is of another clock.
    private static let ageMaximum: Duration = .seconds(5)

    enum Event: Sendable {
        case picture(RawPicture)
        case failed(String)
    }

    /// For one reader, which may be behind by two pictures.
    let events: AsyncStream<Event>
    private let isOver = Mutex(false)

    /// - Parameters:
    ///   - socket: over which the keeper hands the file; closed then.
    ///   - frameRate: of the stream: pictures that come much faster are left out.
    init(socket: CInt, ring: PictureRing, frameRate: Int) {
        let (events, sink) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingNewest(2))
        self.events = events
        let thread = Thread { [self] in
            do throws(PictureReader.Failure) {
                // Twice as many as the stream has, for those that come late and together.
                let pause = max(Self.interval, 500_000 / UInt32(max(1, frameRate)))
                try read(from: socket, ring, pause) { sink.yield(.picture($0)) }
            } catch {
                sink.yield(.failed("\(error)"))
            }
            sink.finish()
        }
        thread.name = "pictures"
        thread.start()
    }

    func stop() { isOver.withLock { $0 = true } }

    private func read(
        from socket: CInt, _ ring: PictureRing, _ pause: UInt32, _ handOn: (RawPicture) -> Void
    ) throws(PictureReader.Failure) {
        guard let file = try take(from: socket) else { return }
        var reader = try PictureReader(file, ring)
        while !isOver.withLock({ $0 }) {
            guard let picture = try reader.next() else {
                usleep(Self.interval)
                continue
            }
            handOn(Self.dated(picture, at: MonotonicClock.now, UnixTime.now))
            usleep(pause)
        }
    }

    /// - Returns: nil if there is no use for it any more.
    private func take(from socket: CInt) throws(PictureReader.Failure) -> CInt? {
        defer { close(socket) }
        let begin = MonotonicClock.now
        while !isOver.withLock({ $0 }) {
            if let file = try PictureFile.take(from: socket) { return file }
            guard MonotonicClock.now - begin < Self.patience else { throw .notGiven }
            usleep(Self.interval)
        }
        return nil
    }

    /// The browser's clock is the machine's monotonic one; nothing but experience says so.
    static func dated(
        _ picture: PictureReader.Picture, at now: Instant, _ unix: UnixTime
    ) -> RawPicture {
        let said = Instant(nanoseconds: picture.microseconds &* 1000)
        let isOurs = said <= now && said >= now - ageMaximum
        let taken = isOurs ? said : now
        let age = (now - taken).nanoseconds
        return RawPicture(
            width: picture.width, height: picture.height, pixels: picture.pixels, taken: taken,
            takenUnix: UnixTime(nanoseconds: unix.nanoseconds - age))
    }
}
