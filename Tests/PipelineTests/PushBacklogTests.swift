import Codec
import MediaKernel
import Testing

@testable import Pipeline

@Suite("The packets that wait for an output")
struct PushBacklogTests {
    /// A picture at a time in milliseconds.
    private func picture(_ time: Int64, key: Bool = false) -> EncodedPacket {
        packet(time, isKeyframe: key, length: 40)
    }

    private func sound(_ time: Int64) -> EncodedPacket {
        packet(time, isKeyframe: true, length: 20)
    }

    private func packet(_ time: Int64, isKeyframe: Bool, length: Int64) -> EncodedPacket {
        let time = MediaTime(ticks: time, timescale: 1000)
        return EncodedPacket(
            data: [1], pts: time, dts: time, duration: MediaTime(ticks: length, timescale: 1000),
            isKeyframe: isKeyframe)
    }

    private func drain(_ backlog: inout PushBacklog) -> [String] {
        var words: [String] = []
        while let item = backlog.popFirst() {
            switch item {
            case .picture(let packet):
                words.append("\(packet.isKeyframe ? "K" : "P")\(packet.dts.ticks)")
            case .sound(let packet): words.append("s\(packet.dts.ticks)")
            }
        }
        return words
    }

    @Test("A connection begins with a key frame and the sound from its time on")
    func beginsWithKeyframe() {
        var backlog = PushBacklog()
        backlog.append(sound: sound(0))
        backlog.append(sound: sound(2000))
        backlog.append(picture: picture(0, key: true))
        #expect(backlog.popFirst() == nil)
        backlog.open()
        backlog.append(picture: picture(40))
        #expect(backlog.isEmpty)
        backlog.append(sound: sound(2020))
        backlog.append(picture: picture(2000, key: true))
        backlog.append(picture: picture(2040))
        #expect(drain(&backlog) == ["K2000", "s2000", "s2020", "P2040"])
        #expect(backlog.picturesDropped == 2)
    }

    @Test("Sound that nobody takes is forgotten")
    func soundIsBounded() {
        var backlog = PushBacklog()
        for time in stride(from: Int64(0), through: 60_000, by: 20) {
            backlog.append(sound: sound(time))
        }
        backlog.open()
        for time in stride(from: Int64(60_020), through: 120_000, by: 20) {
            backlog.append(sound: sound(time))
        }
        backlog.append(picture: picture(0, key: true))
        let words = drain(&backlog)
        #expect(words.count == 152 && words[1] == "s117000")
    }

    @Test("A slow connection loses what comes before the latest key frame")
    func slowConnectionCatchesUp() {
        var backlog = PushBacklog()
        backlog.open()
        for time in stride(from: Int64(0), through: 3000, by: 100) {
            backlog.append(picture: picture(time, key: time.isMultiple(of: 2000)))
            backlog.append(sound: sound(time))
        }
        #expect(backlog.picturesDropped == 0)
        backlog.append(picture: picture(3100))
        #expect(backlog.picturesDropped == 20)
        let words = drain(&backlog)
        #expect(words.first == "K2000" && words.last == "P3100")
        #expect(words.contains("s2000") && !words.contains("s1900"))
    }

    @Test("Without a later key frame it waits for the next one")
    func longSegmentsWait() {
        var backlog = PushBacklog()
        backlog.open()
        for time in stride(from: Int64(0), through: 3100, by: 100) {
            backlog.append(picture: picture(time, key: time == 0))
        }
        #expect(backlog.isEmpty && backlog.picturesDropped == 32)
        backlog.append(picture: picture(3200))
        #expect(backlog.isEmpty)
        backlog.append(picture: picture(10_000, key: true))
        #expect(drain(&backlog) == ["K10000"])
    }

    @Test("What a broken connection has not taken is dropped, and the next begins anew")
    func closes() {
        var backlog = PushBacklog()
        backlog.open()
        backlog.append(picture: picture(0, key: true))
        backlog.append(picture: picture(40))
        backlog.close()
        #expect(backlog.isEmpty && backlog.picturesDropped == 2)
        backlog.open()
        backlog.append(picture: picture(80))
        backlog.append(picture: picture(120, key: true))
        #expect(drain(&backlog) == ["K120"])
    }
}
