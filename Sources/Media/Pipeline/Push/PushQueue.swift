import Codec
import MediaKernel

/// One output's packets on their way from the layer's thread to its own. The layer never waits.
final class PushQueue: @unchecked Sendable {
    // Sendable because every access to the stored values is under the monitor's lock.

    private let monitor = Monitor()
    private var backlog = PushBacklog()
    private var hasEnded = false

    func append(picture packet: EncodedPacket) {
        monitor.locked {
            backlog.append(picture: packet)
            monitor.notify()
        }
    }

    func append(sound packets: [EncodedPacket]) {
        monitor.locked {
            for packet in packets { backlog.append(sound: packet) }
            monitor.notify()
        }
    }

    func open() { monitor.locked { backlog.open() } }

    func close() { monitor.locked { backlog.close() } }

    /// Pictures that no connection will get.
    var picturesDropped: Int { monitor.locked { backlog.picturesDropped } }

    /// No more packets come.
    func end() {
        monitor.locked {
            hasEnded = true
            monitor.notify()
        }
    }

    var isOver: Bool { monitor.locked { hasEnded } }

    /// Waits until the instant, or the end.
    func sleep(until deadline: Instant) {
        monitor.locked { while !hasEnded, monitor.wait(until: deadline) {} }
    }

    /// The next packet, for which it waits until the instant; nil when none came.
    func next(until deadline: Instant) -> PushBacklog.Item? {
        monitor.locked {
            while !hasEnded, backlog.isEmpty, monitor.wait(until: deadline) {}
            return backlog.popFirst()
        }
    }
}
