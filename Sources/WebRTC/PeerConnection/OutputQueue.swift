/// Outputs of a connection that its owner has not polled yet.
struct OutputQueue {
    private var outputs: [PeerConnection.Output] = []
    /// The index of the next output.
    private var index = 0

    mutating func append(_ output: PeerConnection.Output) { outputs.append(output) }

    mutating func popFirst() -> PeerConnection.Output? {
        guard index < outputs.count - 1 else {
            // The last output, which is mostly the only one, is returned without a copy.
            let last = outputs.popLast()
            if index > 0 { outputs.removeAll(keepingCapacity: true) }
            index = 0
            return last
        }
        defer { index += 1 }
        return outputs[index]
    }
}
