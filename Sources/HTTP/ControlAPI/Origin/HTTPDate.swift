import MediaKernel
import NIOCore
import Synchronization

/// A time in header fields, in whole seconds: RFC 9110 sect. 5.6.7.
enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    /// 1970-01-01 was a Thursday.
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let bytesMaximum = 64
    /// Later years are cut to this, which nanoseconds can hold.
    private static let yearMaximum: Int64 = 2200

    /// `Sun, 06 Nov 1994 08:49:37 GMT`; times before 1970, which a file may have, are those of 1970.
    static func text(_ time: UnixTime) -> String {
        let time = max(time, UnixTime(nanoseconds: 0))
        let civil = CivilTime(unixNanoseconds: time.nanoseconds)
        let day = days[Int(time.seconds / 86_400 % 7)]
        let date =
            "\(paddedDecimal(civil.day, digits: 2)) \(months[Int(civil.month) - 1]) "
            + paddedDecimal(civil.year, digits: 4)
        return "\(day), \(date) \(civil.time) GMT"
    }

    /// Reads that form and the two obsolete ones, which recipients must accept; nil for anything
    /// else.
    static func time(_ text: String) -> UnixTime? {
        guard text.utf8.count <= bytesMaximum else { return nil }
        let words = text.split { " ,-:".contains($0) }
        // `Sun Nov  6 08:49:37 1994` has the month first, the year last and no zone.
        let order = words.last == "GMT" ? [1, 2, 3, 4, 5, 6] : [2, 1, 6, 3, 4, 5]
        guard words.count == (words.last == "GMT" ? 8 : 7),
            let month = months.firstIndex(of: String(words[order[1]])),
            let year = number(words[order[2]]), let day = number(words[order[0]]),
            let hour = number(words[order[3]]), let minute = number(words[order[4]]),
            let second = number(words[order[5]]), (1...31).contains(day), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        // Two digits are RFC 850's form.
        let fullYear = words[order[2]].count > 2 ? year : year < 70 ? 2000 + year : 1900 + year
        guard fullYear >= 1970 else { return nil }
        let days = CivilTime.days(
            year: min(fullYear, yearMaximum), month: Int64(month) + 1, day: day)
        return UnixTime(seconds: days * 86_400 + hour * 3600 + minute * 60 + second)
    }

    private static func number(_ text: Substring) -> Int64? {
        guard (1...4).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int64(text)
    }
}

/// The present time's line, with which the head of an answer ends, made once a second.
final class HTTPDateCache: Sendable {
    private let newest = Mutex((seconds: Int64.min, line: ByteBuffer()))

    func line(_ time: UnixTime) -> ByteBuffer {
        newest.withLock { newest in
            if newest.seconds != time.seconds {
                let line = ByteBuffer(string: "Date: \(HTTPDate.text(time))\r\n\r\n")
                newest = (time.seconds, line)
            }
            return newest.line
        }
    }
}
