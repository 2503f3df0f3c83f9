import MediaKernel
import Testing

@testable import Streams

@Suite("Push targets")
struct PushTargetTests {
    @Test(
        "An address for people has no user, key, query or passphrase",
        arguments: [
            ("rtmp://a.rtmp.youtube.com/live2/abcd-efgh", "rtmp://a.rtmp.youtube.com/live2"),
            ("rtmps://Live.Example.org:443/rtmp/FB-1?s_bl=1&a=x", "rtmps://live.example.org/rtmp"),
            ("rtmp://ann:pass@h:1936/app/instance/key", "rtmp://h:1936/app/instance"),
            ("rtmp://h/app/key?auth=a/b", "rtmp://h/app"),
            ("srt://h:9000?streamid=#!::r=live/x,m=publish&passphrase=0123456789", "srt://h:9000"),
        ])
    func isRedacted(_ text: String, _ shown: String) throws {
        let target = try PushTarget(text)
        #expect(target.shown == shown)
        #expect("\(target)" == shown)
        #expect(target.text == text)
    }

    @Test("The key is what follows the last slash of the path, with its query")
    func keyIsFound() throws {
        #expect(
            try PushTarget("rtmp://u:p@h/a/b/key?x=1/2").access
                == .rtmp(application: "a/b", key: "key?x=1/2", user: "u:p"))
    }

    @Test("SRT's options are decoded")
    func srtOptions() throws {
        let target = try PushTarget(
            "srt://h:9000?mode=caller&streamid=%23%21%3A%3Ar%3Dx&passphrase=0123456789&latency=200")
        #expect(
            target.access
                == .srt(
                    PushTarget.SRTOptions(
                        streamID: "#!::r=x", passphrase: "0123456789", latency: 200)))
    }

    @Test(
        "Addresses that break a rule are refused with the rule, and without a secret",
        arguments: [
            ("http://h/app/key", "does not begin with"),
            ("rtmp:/h/app/key", "does not begin with"),
            ("rtmp://h/key", "lacks the application"),
            ("rtmp://h/app/", "lacks the application"),
            ("rtmp://h//key", "lacks the application"),
            ("rtmp://h/app?token=secret/key", "lacks the application"),
            ("rtmp:///app/secret", "no host name"),
            ("rtmp://[::1]/app/secret", "no host name"),
            ("rtmp://h_x/app/secret", "no host name"),
            ("rtmp://2130706433/app/secret", "neither a name nor"),
            ("rtmp://127.1/app/secret", "neither a name nor"),
            ("rtmp://h:0/app/secret", "port that is not"),
            ("rtmp://h:65536/app/secret", "port that is not"),
            ("rtmp://h/app/secret key", "percent-encoded"),
            ("rtmp://h/app/secret\"", "percent-encoded"),
            ("rtmp://h/app/secret#x", "fragment"),
            ("rtmp://h/app/\(String(repeating: "s", count: 501))", "a key of more than"),
            ("rtmp://h/app/\(String(repeating: "s", count: 2048))", "2048 bytes"),
            ("srt://h", "no port"),
            ("srt://h:9000/secret", "has a path"),
            ("srt://u:secret@h:9000", "has a user"),
            ("srt://h:9000?mode=listener", "another mode"),
            ("srt://h:9000?passphrase=secret", "10 to 79 bytes"),
            ("srt://h:9000?passphrase=\(String(repeating: "s", count: 80))", "10 to 79 bytes"),
            ("srt://h:9000?streamid=", "streamid of more"),
            ("srt://h:9000?streamid=%0asecret", "valid value"),
            ("srt://h:9000?latency=120000", "20 to 8000 ms"),
            ("srt://h:9000?latency=200&latency=200", "twice"),
            ("srt://h:9000?secret=1", "besides streamid"),
        ])
    func isRefused(_ text: String, _ reason: String) {
        do {
            _ = try PushTarget(text)
            Issue.record("accepted")
        } catch {
            #expect(error.reason.contains(reason), "\(error)")
            #expect(!error.reason.contains("secret"))
        }
    }

    @Test(
        "Only listed hosts may be in private networks",
        arguments: [
            ("rtmp://a.rtmp.youtube.com/live2/k", true), ("rtmp://127.0.0.1/a/k", false),
            ("rtmp://localhost/a/k", false), ("rtmp://10.0.0.5:1935/a/k", true),
            ("rtmp://10.0.0.5:1936/a/k", false), ("srt://x.studio.lan:9000", true),
            ("srt://169.254.169.254:9000", false), ("rtmp://192.168.1.1/a/k", false),
        ])
    func hostsAreJudged(_ text: String, _ isAdmitted: Bool) throws {
        let hosts = try #require(PushHosts(["10.0.0.5:1935", "*.studio.lan"]))
        #expect(hosts.admits(try PushTarget(text)) == isAdmitted)
    }

    @Test("A name that leads into a private network is refused at its address, unless listed")
    func addressesAreJudged() throws {
        let inside = try #require(TransportAddress("10.1.2.3", port: 0))
        let outside = try #require(TransportAddress("93.184.216.34", port: 0))
        let target = try PushTarget("rtmp://live.example.org/a/k")
        #expect(!PushHosts().admits(inside, of: target))
        #expect(PushHosts().admits(outside, of: target))
        #expect(try #require(PushHosts(["live.example.org"])).admits(inside, of: target))
    }

    @Test(
        "Entries that are no hosts are refused", arguments: ["", "a/b", "h:0", "*", "h:x", "a b"])
    func entryIsRefused(_ entry: String) { #expect(PushHosts([entry]) == nil) }

    @Test("A status tells since when, and when it was first live")
    func statusFollowsReports() {
        func time(_ seconds: Int64) -> UnixTime { UnixTime(nanoseconds: seconds * 1_000_000_000) }
        var status = PushStatus(report: PushReport(id: "1"), since: time(1))
        let live = PushReport(id: "1", state: .live, bytes: 10)
        var isNews = status.take(live, at: time(2))
        #expect(isNews)
        isNews = status.take(PushReport(id: "1", state: .live, bytes: 20), at: time(3))
        #expect(!isNews)
        #expect(status.since == time(2) && status.startedAt == time(2))
        #expect(status.report.bytes == 20)
        isNews = status.take(PushReport(id: "1", state: .retrying, reason: "x"), at: time(4))
        #expect(isNews)
        isNews = status.take(live, at: time(5))
        #expect(isNews)
        #expect(status.since == time(5) && status.startedAt == time(2))
    }
}
