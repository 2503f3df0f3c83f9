import Testing

@testable import SecureTransport

@Suite("DTLS record framing")
struct RecordFramingTests {
    private func record(type: UInt8 = 23, epoch: UInt8 = 1, body: Int) -> [UInt8] {
        [type, 0xFE, 0xFD, 0, epoch, 0, 0, 0, 0, 0, 9, UInt8(body >> 8), UInt8(body & 255)]
            + [UInt8](repeating: 0x11, count: body)
    }

    private func screen(
        _ datagram: [UInt8], epochs: ClosedRange<UInt16>
    ) -> [Range<Int>] {
        DTLSRecords.screen(datagram, epochs: epochs, encryptedMinimum: 5)
    }

    @Test("A stream of records is cut into datagrams of whole records")
    func datagrams() {
        let records = [600, 500, 100, 1187, 1, 2].map { record(body: $0) }
        let datagrams = DTLSRecords.datagrams(from: Array(records.joined()), maximum: 1200)
        #expect(
            datagrams
                == [
                    records[0] + records[1], records[2], records[3], records[4] + records[5],
                ].map { Array($0) })
        #expect(datagrams.map(\.count) == [1126, 113, 1200, 29])
        #expect(DTLSRecords.datagrams(from: [], maximum: 1200).isEmpty)
    }

    @Test("A record longer than a datagram stays whole")
    func longRecord() {
        let records = [10, 2000, 10].map { record(body: $0) }
        #expect(
            DTLSRecords.datagrams(from: Array(records.joined()), maximum: 1200) == records)
    }

    @Test("Only whole records of a current epoch are shown to OpenSSL")
    func screening() {
        let good = record(body: 5)
        #expect(screen(good, epochs: 1...1) == [0..<18])
        #expect(screen(good + good, epochs: 0...1) == [0..<18, 18..<36])
        #expect(screen(good + [1, 2, 3], epochs: 1...1) == [0..<18])
        #expect(screen(record(type: 99, body: 2) + good, epochs: 1...1) == [15..<33])
        #expect(screen(record(epoch: 2, body: 5), epochs: 0...1).isEmpty)
        #expect(screen(record(epoch: 0, body: 5), epochs: 1...1).isEmpty)
        #expect(screen(record(body: 4), epochs: 1...1).isEmpty)
        #expect(screen(record(body: 0), epochs: 1...1).isEmpty)
        #expect(screen([], epochs: 0...1).isEmpty)
        #expect(screen(record(body: 20_000), epochs: 1...1).isEmpty)
    }

    @Test("Unencrypted data, alerts and cipher changes must look like such")
    func plaintext() {
        let epochs: ClosedRange<UInt16> = 0...1
        func header(_ type: UInt8, _ body: [UInt8]) -> [UInt8] {
            Array(record(type: type, epoch: 0, body: body.count)[..<13]) + body
        }
        #expect(screen(header(23, [1]), epochs: epochs).isEmpty)
        #expect(screen(header(20, [1]), epochs: epochs).count == 1)
        #expect(screen(header(20, [2]), epochs: epochs).isEmpty)
        #expect(screen(header(21, [2, 40]), epochs: epochs).count == 1)
        #expect(screen(header(21, [3, 40]), epochs: epochs).isEmpty)
        #expect(screen(header(21, [2, 40, 0]), epochs: epochs).isEmpty)
        #expect(screen(header(22, [1, 0, 0]), epochs: epochs).isEmpty)
    }
}
