import Codec
import MediaKernel
import Streams
import Synchronization

/// The outputs of one stream: each on a thread of its own, fed by its layer.
///
/// Methods may be called from any thread, and never wait for a server.
final class PushDesk: Sendable {
    /// How long the end of the stream waits for servers to take the rest, and for the goodbye.
    static let endingTime = PushWorker.restMaximum + OutputConnection.closingMaximum

    /// What a server is told of a layer's packets.
    struct Parameters: Hashable, Sendable {
        var video: VideoStreamParameters
        var audio: AudioStreamParameters
        /// Of video and audio, in bits a second.
        var bitrate: Int
    }

    private struct Running {
        var layer: Int
        var queue: PushQueue
        var thread: MediaThread
    }

    private struct State {
        var layers: [Int: Parameters] = [:]
        var running: [String: Running] = [:]
        var hasEnded = false
    }

    private let state = Mutex(State())
    private let hosts: PushHosts
    private let report: @Sendable (PushReport) -> Void

    init(hosts: PushHosts, report: @escaping @Sendable (PushReport) -> Void) {
        self.hosts = hosts
        self.report = report
    }

    /// Makes a layer known, before outputs of it are added.
    func declare(layer: Int, _ parameters: Parameters) {
        state.withLock { $0.layers[layer] = parameters }
    }

    /// An output of an unknown layer fails; one that is already there goes on.
    func add(_ output: SecretOutput) {
        state.withLock { state in
            guard !state.hasEnded, state.running[output.id] == nil else { return }
            guard let parameters = state.layers[output.layer] else {
                return report(
                    PushReport(id: output.id, state: .failed, reason: "there is no such layer"))
            }
            let queue = PushQueue()
            let thread = MediaThread(name: "push \(output.id)") { [hosts, report] in
                PushWorker(
                    output, hosts: hosts, parameters: parameters, queue: queue, report: report
                ).run()
            }
            state.running[output.id] = Running(
                layer: output.layer, queue: queue, thread: thread)
        }
    }

    /// What the output has not sent yet is sent first, if its server takes it soon.
    func remove(_ id: String) {
        state.withLock { $0.running.removeValue(forKey: id) }?.queue.end()
    }

    func take(picture packet: EncodedPacket, ofLayer layer: Int) {
        state.withLock { state in
            for output in state.running.values where output.layer == layer {
                output.queue.append(picture: packet)
            }
        }
    }

    func take(sound packets: [EncodedPacket], ofLayer layer: Int) {
        state.withLock { state in
            for output in state.running.values where output.layer == layer {
                output.queue.append(sound: packets)
            }
        }
    }

    /// No more packets of the layer come.
    func end(layer: Int) {
        state.withLock { state in
            for output in state.running.values where output.layer == layer { output.queue.end() }
        }
    }

    /// Ends all outputs and waits for them, but not for a server that does not answer.
    func finish() async {
        let threads = state.withLock { state in
            state.hasEnded = true
            for output in state.running.values { output.queue.end() }
            return state.running.values.map(\.thread)
        }
        guard !threads.isEmpty else { return }
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { for thread in threads { await thread.join() } }
            tasks.addTask { try? await Task.sleep(for: Self.endingTime) }
            await tasks.next()
            tasks.cancelAll()
        }
    }
}

/// Hands one layer's packets to the outputs.
final class PushSink: PacketSink {
    private let layer: Int
    private let desk: PushDesk

    init(layer: Int, desk: PushDesk) {
        self.layer = layer
        self.desk = desk
    }

    func take(picture packet: EncodedPacket) { desk.take(picture: packet, ofLayer: layer) }

    func take(sound packets: [EncodedPacket]) { desk.take(sound: packets, ofLayer: layer) }

    /// The timestamps show the gap.
    func leaveOut(from end: Int64, to next: Int64) {}

    func finish(end: Int64) { desk.end(layer: layer) }
}
