import Foundation
import Glibc
import MediaClient
import MediaKernel
import Testing

@testable import WebPage

/// A file as the browser's worker writes it.
private struct PictureFileWriter: ~Copyable {
    let ring: PictureRing
    let path: String
    let descriptor: CInt

    init(_ ring: PictureRing) throws {
        self.ring = ring
        path =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("pictures-\(UUID().uuidString)").path
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        try #require(ftruncate(descriptor, off_t(ring.fileBytes)) == 0)
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    func reader() throws -> PictureReader { try PictureReader(open(path, O_RDONLY), ring) }

    private func write(_ bytes: [UInt8], at offset: Int) {
        _ = pwrite(descriptor, bytes, bytes.count, off_t(offset))
    }

    private func little(_ number: UInt64, _ count: Int = 8) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
    }

    func put(
        _ number: UInt64, width: Int = 4, height: Int = 2, kind: Int = 1, luma: UInt8 = 7,
        tail: UInt64? = nil, head: UInt64? = nil, isNewest: Bool = true
    ) {
        let offset = ring.offset(ofPicture: number)
        write(little(number * 1000), at: offset + 8)
        write(little(UInt64(width), 4), at: offset + 16)
        write(little(UInt64(height), 4), at: offset + 20)
        write(little(UInt64(kind), 4), at: offset + 24)
        write(Array(repeating: luma, count: PictureRing.pixelBytes(4, 2)), at: offset + 64)
        write(little(head ?? number), at: offset)
        write(little(tail ?? number), at: offset + ring.slotBytes - 8)
        if isNewest { write(little(number), at: PictureRing.newestOffset) }
    }

    func cutOff(at bytes: Int) { ftruncate(descriptor, off_t(bytes)) }
}

@Suite struct PictureReaderTests {
    private let ring = PictureRing(width: 4, height: 2)

    /// The brightness of all pictures that can be read now.
    private func rest(_ reader: inout PictureReader) throws -> [UInt8] {
        var luma: [UInt8] = []
        while let picture = try reader.next() { luma.append(picture.pixels[0]) }
        return luma
    }

    private func failure(_ reader: inout PictureReader) -> PictureReader.Failure? {
        do throws(PictureReader.Failure) {
            _ = try reader.next()
            return nil
        } catch { return error }
    }

    @Test func picturesComeInOrderBeginningWithTheNewest() throws {
        let file = try PictureFileWriter(ring)
        var reader = try file.reader()
        let none = try rest(&reader)
        #expect(none == [])
        file.put(1, luma: 1)
        file.put(2, luma: 2)
        let newest = try reader.next()
        let first = try #require(newest)
        #expect(first.width == 4 && first.height == 2 && first.microseconds == 2000)
        #expect(first.pixels == Array(repeating: 2, count: 12))
        file.put(3, luma: 3)
        file.put(4, luma: 4)
        let later = try rest(&reader)
        #expect(later == [3, 4])
    }

    @Test func aReaderThatIsFarBehindGoesOnWithTheNewest() throws {
        let file = try PictureFileWriter(ring)
        var reader = try file.reader()
        for number in 1...2 as ClosedRange<UInt64> { file.put(number, luma: UInt8(number)) }
        _ = try reader.next()
        for number in 3...9 as ClosedRange<UInt64> { file.put(number, luma: UInt8(number)) }
        let later = try rest(&reader)
        #expect(later == [9])
    }

    @Test func aPictureThatIsOverwrittenIsLeftOut() throws {
        let file = try PictureFileWriter(ring)
        var reader = try file.reader()
        file.put(1)
        _ = try reader.next()
        file.put(2, head: 6)
        file.put(3, luma: 3)
        let whole = try rest(&reader)
        #expect(whole == [3], "the other's beginning is of a third")
        file.put(4, tail: 0)
        let unfinished = try rest(&reader)
        #expect(unfinished == [], "its end is not there yet")
    }

    @Test(arguments: [(5, 2, 1), (4, 3, 1), (0, 2, 1), (4, 2, 0), (4, 2, 2)])
    func whatIsNoPictureOfTheStreamEndsIt(width: Int, height: Int, kind: Int) throws {
        let file = try PictureFileWriter(ring)
        var reader = try file.reader()
        file.put(1, width: width, height: height, kind: kind)
        let failure = self.failure(&reader)
        #expect(failure == (kind == 1 ? .size(width: width, height: height) : .kind(kind)))
    }

    @Test func aFileThatIsCutOffAnywhereIsAnError() throws {
        for bytes in stride(from: 0, to: ring.fileBytes, by: 251) {
            let file = try PictureFileWriter(ring)
            var reader = try file.reader()
            file.put(3)
            file.cutOff(at: bytes)
            let failure = self.failure(&reader)
            let isEnough = bytes >= ring.offset(ofPicture: 3) + ring.slotBytes
            #expect(failure == (isEnough ? nil : .cutOff), "\(bytes)")
        }
    }

    @Test func onlyFilesAreRead() throws {
        var ends: [CInt] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[1]) }
        var failure: PictureReader.Failure?
        do throws(PictureReader.Failure) {
            let reader = try PictureReader(ends[0], ring)
            _ = consume reader
        } catch { failure = error }
        #expect(failure == .notAFile)
        // The reader has closed its own: a second close would hit whatever has got the number since.
        #expect(fcntl(ends[0], F_GETFD) == -1)
    }

    @Test func aPictureIsAsOldAsItsClockSaysUnlessThatIsAbsurd() {
        let now = Instant(nanoseconds: 10_000_000_000)
        let unix = UnixTime(nanoseconds: 1_000_000_000_000)
        func dated(_ microseconds: Int64) -> RawPicture {
            PictureFeed.dated(
                PictureReader.Picture(
                    width: 4, height: 2, pixels: [], microseconds: microseconds), at: now, unix)
        }
        #expect(dated(9_990_000).taken == now - .milliseconds(10))
        #expect(dated(9_990_000).takenUnix.nanoseconds == unix.nanoseconds - 10_000_000)
        for absurd in [
            10_000_001, 4_000_000, 0, -1, .max, .min, .min / 1000, .max / 1000,
        ] as [Int64] {
            #expect(dated(absurd).taken == now && dated(absurd).takenUnix == unix)
        }
    }

    @Test func theKeeperFindsTheFileByItsTitleAndHandsItOver() throws {
        let profile = FileManager.default.temporaryDirectory
            .appendingPathComponent("profile-\(UUID().uuidString)").path
        let place = "\(profile)/Default/File System/000/t/00"
        try FileManager.default.createDirectory(
            atPath: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: profile) }
        #expect(PictureFile.find(in: profile, key: "k1") == nil)
        try Data("roomcast pictures other\0".utf8).write(to: URL(fileURLWithPath: "\(place)/0"))
        try Data("roomcast pictures k1\0rest".utf8).write(to: URL(fileURLWithPath: "\(place)/1"))
        #expect(PictureFile.find(in: profile, key: "k") == nil)
        let file = try #require(PictureFile.find(in: profile, key: "k1"))
        var ends: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { close(ends[0]) }
        let none = try PictureFile.take(from: ends[0])
        #expect(none == nil && PictureFile.isAwaited(over: ends[1]))
        PictureFile.give(file, over: ends[1])
        let given = try PictureFile.take(from: ends[0])
        let taken = try #require(given)
        defer { close(taken) }
        close(ends[1])
        #expect(throws: PictureReader.Failure.notGiven) { try PictureFile.take(from: ends[0]) }
        var bytes = [UInt8](repeating: 0, count: 8)
        #expect(
            pread(taken, &bytes, 8, 9) == 8 && String(decoding: bytes, as: UTF8.self) == "pictures")
    }
}
