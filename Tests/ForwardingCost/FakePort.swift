import CSockets
import Glibc
import MediaKernel

@testable import Datagrams
@testable import MediaServer

/// A UDP socket whose kernel takes everything.
final class FakePort: SocketSink {
    private let batch = DatagramBatch { _, _, count in CInt(count) }
    /// What was sent while it was kept.
    private(set) var kept: [(bytes: [UInt8], address: TransportAddress)] = []
    var isKeeping = true
    private(set) var sentDatagrams = 0

    var arrivedAt: LocalAddress? { nil }

    func send(_ bytes: [UInt8], to address: TransportAddress, from source: LocalAddress?) {
        sentDatagrams += 1
        if isKeeping { return kept.append((bytes, address)) }
        if !batch.append(bytes, to: address, from: source) {
            flush()
            _ = batch.append(bytes, to: address, from: source)
        }
    }

    func flush() { batch.send(over: -1) { _, _, _ in } }

    func takeKept() -> [(bytes: [UInt8], address: TransportAddress)] {
        defer { kept = [] }
        return kept
    }

    func close() {}
    func steer(to place: Int?) -> String? { nil }
}
