import HLS
import Logging
import MediaKernel
import NIOPosix
import Synchronization

/// The newest state of a low-latency stream on air, from which its viewers are answered, and those
/// of them who wait for what comes next.
///
/// Whoever waits is an entry in a list: no task, no timer, no copy. Reports are worked off in their
/// order on the file threads, which make the texts that are waited for and end the waits. Event
/// loops only look texts up, since that of a long playlist takes a while.
final class StreamEdge: Sendable {
    /// Reports whose files have not been read yet. The stream of a disk that hangs is served from
    /// its files alone.
    static let reportsMaximum = 256
    /// A longer part is not kept in memory, nor is a longer segment.
    static let partBytesMaximum = 4 * 1024 * 1024
    static let segmentBytesMaximum = 16 * 1024 * 1024

    /// What a viewer asks for.
    enum Wish: Sendable {
        case playlist(ReloadRequest, isGzip: Bool)
        case file(String)

        /// Whether it names a segment of a playlist.
        var isNamed: Bool {
            guard case .playlist(let request, _) = self else { return false }
            return request.segment != nil
        }
    }

    enum Answer: Sendable {
        case text(EdgeText)
        case file(EdgeFile)
        /// 400.
        case refused(ReloadRequest.Fault)
        /// 404: it was hinted, but will never come.
        case gone
        /// 503: it has not come in time, or its bot has died.
        case late
        /// What is on the disk is the answer.
        case onDisk
    }

    enum Outcome: Sendable {
        case answer(Answer)
        /// The receiver gets the answer, unless it leaves with this number.
        case waits(Int)
    }

    typealias Receiver = @Sendable (Answer) -> Void

    private struct Wait {
        var layer: Int
        var wish: Wish
        var deadline: Instant
        var receiver: Receiver
    }

    private struct State {
        var layers: [LayerEdge]
        /// By their numbers. Each is of a connection of its own, and ends with it.
        var waits: [Int: Wait] = [:]
        var lastWait = 0
        var reports: [@Sendable (StreamEdge) -> Void] = []
        /// Whether somebody waits for a text that can be made.
        var isAsked = false
        var isWorking = false
        var isOver = false
    }

    let shape: LiveEdgeShape
    private let disk: EdgeDisk
    /// Of the layers' playlists. Only the work on reports uses them, one after the other.
    private let readers: Mutex<[PlaylistReader]>
    private let memory: EdgeMemory
    /// Begins the entity tags, so that no other stream or server has them.
    private let tag: String
    private let clock: @Sendable () -> Instant
    private let logger: Logger?
    private let state: Mutex<State>

    init(
        _ shape: LiveEdgeShape, root: String, memory: EdgeMemory, logger: Logger? = nil,
        clock: @escaping @Sendable () -> Instant
    ) {
        self.logger = logger
        self.shape = shape
        disk = EdgeDisk(shape: shape, root: root, memory: memory)
        readers = Mutex(shape.layers.map { _ in PlaylistReader() })
        self.memory = memory
        self.clock = clock
        tag = String(UInt64.random(in: .min ... .max), radix: 36)
        state = Mutex(State(layers: shape.layers.map { LayerEdge(name: $0, shape) }))
    }

    /// How many viewers wait.
    var waitCount: Int { state.withLock { $0.waits.count } }

    /// Whether it has ended, or was given up.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Whether all reports have been worked off.
    var isIdle: Bool { state.withLock { !$0.isWorking } }

    // MARK: Viewers

    /// - Parameters:
    ///   - layer: its number.
    ///   - receiver: called once, on any thread, if there is no answer yet.
    func ask(
        _ wish: Wish, of layer: Int, receiver: @autoclosure () -> Receiver
    ) -> Outcome {
        let now = clock()
        let (outcome, begins) = state.withLock { state in
            let verdict = Self.verdict(on: wish, of: layer, in: state)
            if case .answer(let answer) = verdict { return (Outcome.answer(answer), false) }
            state.lastWait += 1
            state.waits[state.lastWait] = Wait(
                layer: layer, wish: wish, deadline: now + state.layers[layer].waitMaximum,
                receiver: receiver())
            guard case .text = verdict else { return (.waits(state.lastWait), false) }
            state.isAsked = true
            defer { state.isWorking = true }
            return (.waits(state.lastWait), !state.isWorking)
        }
        if begins { NIOThreadPool.singleton.submit { _ in self.work() } }
        return outcome
    }

    /// The viewer has gone. Its receiver is not called any more.
    ///
    /// - Returns: false if it has been called, or soon is.
    @discardableResult
    func leave(_ wait: Int) -> Bool {
        state.withLock { $0.waits.removeValue(forKey: wait) } != nil
    }

    private enum Verdict {
        case answer(Answer)
        /// It has to be made.
        case text(EdgeText.Form)
        case comesLater
    }

    private static func verdict(on wish: Wish, of layer: Int, in state: State) -> Verdict {
        guard !state.isOver, state.layers[layer].isPlayable else { return .answer(.onDisk) }
        switch wish {
        case .file(let name):
            if let file = state.layers[layer][file: name] { return .answer(.file(file)) }
            return state.layers[layer].playlist.hint == name ? .comesLater : .answer(.onDisk)
        case .playlist(let request, let isGzip):
            do throws(ReloadRequest.Fault) {
                guard try state.layers[layer].verdict(request) == .ready else {
                    return .comesLater
                }
            } catch {
                return .answer(.refused(error))
            }
            let form = EdgeText.Form(skip: request.skip, isGzip: isGzip)
            return state.layers[layer].text(form).map { .answer(.text($0)) } ?? .text(form)
        }
    }

    // MARK: Reports

    func published(_ part: LivePart) {
        report { edge in
            let file = edge.disk.file(part.part.uri, of: part.layer, maximum: Self.partBytesMaximum)
            edge.change { $0.layers[part.layer].published(part, file) }
        }
    }

    func listed(segment: Int, layer: Int) {
        report { edge in
            let newest: MediaPlaylist
            let read = edge.readers.withLock { edge.disk.playlist(of: layer, &$0[layer]) }
            switch read {
            case .read(let playlist): newest = playlist
            // The next one may be read again: files run out for a moment only.
            case .unreadable: return edge.change { $0.layers[layer].missed() }
            case .unusable: return edge.giveUp(because: "a playlist makes no sense")
            }
            // A later segment has a report of its own.
            guard let text = newest.upTo(segment) else { return }
            let file = text.segments.last.flatMap {
                edge.disk.file($0.uri, of: layer, maximum: Self.segmentBytesMaximum)
            }
            let now = edge.clock()
            edge.change { $0.layers[layer].listed(segment, in: text, file, at: now) }
        }
    }

    /// The bot has died: what viewers wait for may never come. They ask again.
    func interrupted() {
        report { edge in
            let receivers = edge.state.withLock { state in
                let late = state.waits.filter { _, wait in
                    guard case .comesLater = Self.verdict(on: wait.wish, of: wait.layer, in: state)
                    else { return false }
                    return true
                }
                for number in late.keys { state.waits[number] = nil }
                for layer in state.layers.indices { state.layers[layer].interrupted() }
                return late.values.map(\.receiver)
            }
            edge.release()
            for receiver in receivers { receiver(.late) }
        }
    }

    /// What is on the disk is all there is, until the next bot begins.
    private func giveUp(because reason: String) {
        logger?.error(
            "a stream goes on without low latency",
            metadata: ["directory": "\(shape.directory)", "reason": "\(reason)"])
        ended()
    }

    /// What is on the disk is final.
    func ended() {
        let receivers = state.withLock { state in
            let receivers = state.waits.values.map(\.receiver)
            state.isOver = true
            // Whoever works off the last report finds no other, and stops.
            (state.waits, state.reports) = ([:], [])
            state.layers = shape.layers.map { LayerEdge(name: $0, shape) }
            return receivers
        }
        for receiver in receivers { receiver(.onDisk) }
    }

    func timePassed(at now: Instant) {
        let receivers = state.withLock { state in
            let late = state.waits.filter { $0.value.deadline <= now }
            for number in late.keys { state.waits[number] = nil }
            return late.values.map(\.receiver)
        }
        for receiver in receivers { receiver(.late) }
    }

    // MARK: Inside

    /// Works reports off one after the other.
    private func report(_ work: @escaping @Sendable (StreamEdge) -> Void) {
        let begins: Bool? = state.withLock { state in
            guard !state.isOver else { return false }
            guard state.reports.count < Self.reportsMaximum else { return nil }
            state.reports.append(work)
            defer { state.isWorking = true }
            return !state.isWorking
        }
        guard let begins else { return giveUp(because: "its disk hangs") }
        if begins { NIOThreadPool.singleton.submit { _ in self.work() } }
    }

    private func work() {
        while true {
            let next = state.withLock { state -> (@Sendable (StreamEdge) -> Void)? in
                if !state.reports.isEmpty { return state.reports.removeFirst() }
                guard state.isAsked else {
                    state.isWorking = false
                    return nil
                }
                return { $0.release() }
            }
            guard let next else { return }
            next(self)
        }
    }

    /// Changes a layer, answers those who waited for it, and gives memory back.
    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            if !state.isOver { body(&state) }
        }
        release()
        // Those who have waited for a file have got it by now.
        state.withLock { state in
            var isEmpty = false
            while memory.isFull, !isEmpty {
                isEmpty = true
                for layer in state.layers.indices where state.layers[layer].dropOldest() {
                    isEmpty = false
                }
            }
        }
    }

    private struct Draft: Hashable {
        let layer: Int
        let form: EdgeText.Form
    }

    /// Makes the texts that are waited for, and answers whoever waits no longer. Only reports change
    /// the layers, one after the other, so that nothing changes meanwhile.
    private func release() {
        let now = clock()
        let (layers, drafts) = state.withLock { state in
            state.isAsked = false
            let drafts = state.waits.values.compactMap { wait -> Draft? in
                guard case .text(let form) = Self.verdict(on: wait.wish, of: wait.layer, in: state)
                else { return nil }
                return Draft(layer: wait.layer, form: form)
            }
            return (state.layers, Set(drafts))
        }
        let texts = drafts.map { ($0, text(of: $0, in: layers, at: now)) }
        let answered = state.withLock { state -> [(Receiver, Answer)] in
            guard !state.isOver else { return [] }
            for (draft, text) in texts { state.layers[draft.layer].keep(text, draft.form) }
            var answered: [(Receiver, Answer)] = []
            for (number, wait) in state.waits {
                guard
                    case .answer(let answer) = Self.verdict(
                        on: wait.wish, of: wait.layer, in: state)
                else { continue }
                state.waits[number] = nil
                // What was hinted and is not there will never come.
                if case (.file, .onDisk) = (wait.wish, answer) {
                    answered.append((wait.receiver, .gone))
                } else {
                    answered.append((wait.receiver, answer))
                }
            }
            return answered
        }
        for (receiver, answer) in answered { receiver(answer) }
    }

    private func text(of draft: Draft, in layers: [LayerEdge], at now: Instant) -> EdgeText {
        let reports = layers.enumerated().compactMap { index, other in
            index == draft.layer
                ? nil : other.playlist.report(uri: "../\(other.name)/\(LiveEdges.playlistName)")
        }
        return layers[draft.layer].rendered(
            draft.form, tag: tag, reports: reports, at: now, in: memory)
    }
}
