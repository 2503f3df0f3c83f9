/// What a connection has to say and its owner has not polled yet.
struct OutputQueue {
    private var outputs: [PeerConnection.Output] = []
    /// The place of the next one.
    private var index = 0

    mutating func append(_ output: PeerConnection.Output) { outputs.append(output) }

    mutating func popFirst() -> PeerConnection.Output? {
        guard index < outputs.count - 1 else {
            // The last one, which is mostly the only one, is handed out without being copied.
            let last = outputs.popLast()
            if index > 0 { outputs.removeAll(keepingCapacity: true) }
            index = 0
            return last
        }
        defer { index += 1 }
        return outputs[index]
    }
}
