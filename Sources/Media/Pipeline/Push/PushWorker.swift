import Clocks
import Codec
import Glibc
import MediaKernel
import Streams

/// The body of one output's thread: does what `PushMachine` orders.
final class PushWorker {
    /// How often the figures of a live output are reported.
    private static let reportInterval: Duration = .seconds(2)
    /// How long the thread waits for a packet before it looks around.
    private static let lookInterval: Duration = .milliseconds(500)
    /// How long a server may take for the rest at the end.
    static let restMaximum: Duration = .seconds(2)

    private let output: SecretOutput
    private let hosts: PushHosts
    private let parameters: PushDesk.Parameters
    private let queue: PushQueue
    private let report: (PushReport) -> Void
    private var machine: PushMachine
    private let interrupt = OutputInterrupt()
    private var connection: OutputConnection?
    /// Of earlier connections.
    private var bytesBefore: Int64 = 0
    /// Pictures that were made before the output was first live.
    private var picturesBefore = 0
    private var reported: (PushReport, at: Instant)?
    /// Whether the time for the rest has begun.
    private var isEnding = false

    init(
        _ output: SecretOutput, hosts: PushHosts, parameters: PushDesk.Parameters,
        queue: PushQueue, report: @escaping (PushReport) -> Void
    ) {
        self.output = output
        self.hosts = hosts
        self.parameters = parameters
        self.queue = queue
        self.report = report
        machine = PushMachine(id: output.id)
    }

    func run() {
        while true {
            tell()
            let now = MonotonicClock.now
            switch machine.next(at: now) {
            case .connect:
                if queue.isOver {
                    machine.ended()
                } else {
                    connect()
                }
            case .wait(let end):
                queue.sleep(until: end)
                if queue.isOver { machine.ended() }
            case .send: send()
            case .end:
                hangUp()
                return tell(isLast: true)
            }
        }
    }

    private func connect() {
        do throws(PushProblem) {
            let address = try OutputAddress.resolve(output.target, hosts: hosts)
            interrupt.expire(after: PushMachine.connectMaximum)
            do throws(CodecError) {
                connection = try OutputConnection(
                    to: address.url,
                    options: address.options(bitrate: parameters.bitrate),
                    container: address.container, video: parameters.video,
                    audio: parameters.audio, interrupt: interrupt)
            } catch .partMissing(let part) {
                throw .final("the media libraries offer no \(part)")
            } catch {
                throw .passing(error.description)
            }
            queue.open()
            machine.connected()
        } catch {
            switch error {
            case .passing(let reason): machine.lost(reason, at: MonotonicClock.now)
            case .final(let reason): machine.giveUp(reason)
            }
        }
    }

    private func send() {
        guard let connection else { return machine.lost("", at: MonotonicClock.now) }
        guard let item = queue.next(until: MonotonicClock.now + Self.lookInterval) else {
            if queue.isOver {
                setDeadline()
                connection.finish()
                machine.ended()
            }
            return
        }
        setDeadline()
        do throws(CodecError) {
            switch item {
            case .picture(let packet): try connection.send(picture: packet)
            case .sound(let packet): try connection.send(sound: packet)
            }
            if !machine.wasLive { picturesBefore = queue.picturesDropped }
            machine.sent(at: MonotonicClock.now)
        } catch {
            machine.lost(error.description, at: MonotonicClock.now)
            hangUp()
        }
    }

    /// A packet has its time; once the output has ended, all that is left has it together.
    private func setDeadline() {
        if !queue.isOver {
            interrupt.expire(after: PushMachine.stallMaximum)
        } else if !isEnding {
            isEnding = true
            interrupt.expire(after: Self.restMaximum)
        }
    }

    private func hangUp() {
        bytesBefore += connection?.bytes ?? 0
        connection = nil
        queue.close()
    }

    /// Reports what has changed: states at once, figures from time to time.
    private func tell(isLast: Bool = false) {
        var news = machine.report
        news.bytes = bytesBefore + (connection?.bytes ?? 0)
        news.framesDropped = machine.wasLive ? queue.picturesDropped - picturesBefore : 0
        let now = MonotonicClock.now
        if let (last, time) = reported, !isLast, last.state == news.state,
            last.reason == news.reason, now - time < Self.reportInterval || last == news
        {
            return
        }
        reported = (news, now)
        report(news)
    }
}
