import Testing

@testable import ControlAPI

@Suite struct OriginPathTests {
    @Test(arguments: [
        ("demo/abc/master.m3u8", OriginPath.Kind.playlist),
        ("demo/abc/stream_0/stream.m3u8", .playlist),
        ("demo/abc/stream_0/segment_000001.ts", .transportStream),
        ("demo/abc/stream_0/init.mp4", .initialization),
        ("demo/abc/stream_0/segment_1.m4s", .fragment),
        ("demo/abc/subtitles/output00001.vtt", .subtitles),
        ("demo%5Fx/abc/master.m3u8", .playlist),
    ])
    func whatStreamsMakeIsServable(path: String, kind: OriginPath.Kind) {
        #expect(OriginPath(encoded: path)?.kind == kind)
    }

    @Test(arguments: [
        "", "/", "demo", "demo/", "/demo/master.m3u8", "demo//master.m3u8",
        "../etc/passwd.ts", "demo/../../secret.ts", "demo/./master.m3u8",
        "%2e%2e/%2e%2e/secret.ts", "%2E%2E/secret.ts", "..%2fsecret.ts", "demo%2f..%2fx.ts",
        "%252e%252e/secret.ts", "demo/a%00.ts", "demo/master.m3u8%00.html", "demo/a%0a.ts",
        "demo\\..\\secret.ts", "demo%5c..%5csecret.ts", "demo/.hidden.ts", ".tmp/master.m3u8",
        "demo/abc/.master.m3u8", "demo/abc/master.m3u8.tmp", "demo/abc/.bot.json",
        "demo/abc/bot.json", "demo/abc/master", "demo/abc/master.", "demo/abc/.m3u8",
        "demo/abc/master.M3U8", "demo/abc/a b.ts", "demo/abc/ä.ts", "demo/abc/%c3%a4.ts",
        "demo/abc/%ff%fe.ts", "demo/abc/%.ts", "demo/abc/%2.ts", "demo/abc/%zz.ts",
        "demo/abc/chat.csv", "demo/abc/x.zip", "demo/abc/x.m4a", "a/b/c/d/e/f/g.ts",
        "demo/abc/master.m3u8/",
        "demo/abc/~x.ts", "C:/x.ts",
    ])
    func nothingElseIs(path: String) {
        #expect(OriginPath(encoded: path) == nil)
    }

    @Test func longNamesAreRefused() {
        let name = String(repeating: "a", count: OriginPath.componentBytesMaximum - 3)
        #expect(OriginPath(encoded: "\(name).ts") != nil)
        #expect(OriginPath(encoded: "\(name)a.ts") == nil)
        #expect(OriginPath(encoded: String(repeating: "a/", count: 100_000) + "x.ts") == nil)
    }
}

@Suite struct ByteRangeTests {
    @Test(
        arguments: [
            (nil, ByteRange.whole), ("bytes=0-99", .part(0..<100)), ("bytes=0-0", .part(0..<1)),
            ("bytes=10-", .part(10..<100)), ("bytes=-10", .part(90..<100)),
            ("bytes=-1000", .part(0..<100)), ("bytes=50-1000", .part(50..<100)),
            ("bytes=99-", .part(99..<100)), ("BYTES=1-2", .part(1..<3)),
            ("bytes= 1-2", .part(1..<3)),
            ("bytes=100-", .unsatisfiable), ("bytes=100-200", .unsatisfiable),
            ("bytes=-0", .unsatisfiable),
            ("bytes=0-1,5-6", .whole), ("bytes=5-4", .whole), ("bytes=", .whole),
            ("bytes=-", .whole),
            ("bytes=a-b", .whole), ("bytes=1-2-3", .whole), ("items=0-1", .whole),
            ("bytes", .whole),
            ("bytes=999999999999999999-", .unsatisfiable), ("bytes=99999999999999999999-", .whole),
            ("bytes=0-999999999999999999", .part(0..<100)), ("bytes=--5", .whole),
        ] as [(String?, ByteRange)])
    func aRangeIsReadAsRFC9110Says(header: String?, range: ByteRange) {
        #expect(ByteRange(header: header, length: 100) == range)
    }

    @Test func nothingOfAnEmptyFileCanBeAskedFor() {
        #expect(ByteRange(header: "bytes=0-", length: 0) == .unsatisfiable)
        #expect(ByteRange(header: "bytes=-1", length: 0) == .unsatisfiable)
        #expect(ByteRange(header: nil, length: 0) == .whole)
    }
}

@Suite struct AcceptEncodingTests {
    @Test(
        arguments: [
            ([], false), (["gzip"], true), (["gzip, deflate, br"], true), (["br", "x-gzip"], true),
            (["gzip;q=0"], false), (["gzip; q=0.5"], true), (["*"], true), (["*;q=0"], false),
            (["*, gzip;q=0"], false), (["identity"], false), (["GZIP"], true),
            (["gzip;q=x"], false),
        ] as [([String], Bool)])
    func gzipIsUsedOnlyWhenItIsWanted(header: [String], isWanted: Bool) {
        #expect(AcceptEncoding.allowsGzip(header) == isWanted)
    }
}
