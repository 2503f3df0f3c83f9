import ChildProcesses
import Foundation
import HLS
import MediaKernel
import Stage
import Streams
import Testing
import Workbench

/// The file with which the server configures a bot's stream.
@Suite struct BotConfigurationTests {
    private static let configuration = BotConfiguration(
        room: "demo", stream: "s1",
        plan: StreamPlan(
            variant: LiveStreamVariant(meetingURL: "http://h/rooms/demo", metadata: "m"),
            recording: LiveStreamRecording(hlsVOD: true), destination: "main",
            audio: LiveStreamAudio(roles: ["host"], only: true),
            segmentDuration: .milliseconds(1500), playlist: .live(window: 6),
            layout: Layout(name: .speaker, gap: 8),
            pictureHosts: WebHosts(["example.org", "*.example.net:8443"], allowsHTTP: true)
                ?? WebHosts(),
            preset: "sharp", encoder: "auto"),
        isRecorded: true, isRecordingPaused: true, logLevel: "debug", logFormat: "json")

    /// The required fields of a file.
    private static let least = [
        "room_id": #""demo""#, "stream_id": #""s1""#, "segment_seconds": "2",
        "playlist": #"{"mode":"event"}"#, "preset": #""fast""#, "encoder": #""x264""#,
        "ladder": #"[{"width":320,"height":180,"frame_rate":30,"video_bitrate":200000,"#
            + #""audio_bitrate":64000}]"#,
    ]

    private func read(_ fields: [String: String]) throws -> BotConfiguration {
        let text = fields.map { #""\#($0)":\#($1)"# }.joined(separator: ",")
        let scratch = try Scratch()
        return try BotConfiguration.read(scratch.write("{\(text)}".utf8, to: "bot.json"))
    }

    @Test func whatIsWrittenIsRead() throws {
        let scratch = try Scratch()
        let path = try Self.configuration.write(to: scratch.path)
        #expect(try BotConfiguration.read(path) == Self.configuration)
        var other = Self.configuration
        other.plan.playlist = .event
        other.plan.audio.roles = nil
        other.plan.recording = nil
        other.isRecorded = false
        other.picturesDirectory = "/srv/streams/.pictures"
        #expect(try BotConfiguration.read(other.write(to: scratch.path)) == other)
    }

    @Test func itIsOneJSONObject() throws {
        let ladder = try Ladder(validating: [
            Layer(width: 640, height: 360, videoBitrate: 500_000, audioBitrate: 64_000)
        ])
        var configuration = Self.configuration
        configuration.plan.ladder = ladder
        configuration.plan.layout = Layout()
        let scratch = try Scratch()
        let text = try String(
            contentsOfFile: configuration.write(to: scratch.path), encoding: .utf8)
        let layout = try BotOrder.layout(Layout()).line().dropFirst("layout ".count)
        let expected: [String] = [
            #"{"audio":{"only":true,"roles":["host"]},"destination":"main","encoder":"auto","#,
            #""ladder":[{"audio_bitrate":64000,"frame_rate":30,"height":360,"#,
            #""video_bitrate":500000,"width":640}],"layout":"#, String(layout),
            #","log_format":"json","log_level":"debug","meeting_url":"http://h/rooms/demo","#,
            #""metadata":"m","#,
            #""picture_hosts":["example.org","*.example.net:8443"],"picture_http":true,"#,
            #""playlist":{"mode":"live","window":6},"preset":"sharp","recorded":true,"#,
            #""recording":{"hls_vod":true,"single_file_per_layer":false},"#,
            #""recording_paused":true,"room_id":"demo","segment_seconds":1.5,"stream_id":"s1"}"#,
        ]
        #expect(text == expected.joined())
    }

    @Test func itsOwnerAloneMayReadIt() throws {
        let scratch = try Scratch()
        let path = try Self.configuration.write(to: scratch.path)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test func whatIsLeftOutIsAsUsual() throws {
        let read = try read(Self.least)
        #expect(read.plan.layout == Layout() && read.plan.audio == LiveStreamAudio())
        #expect(read.plan.pictureHosts == WebHosts())
        #expect(!read.isRecorded && !read.isRecordingPaused)
        #expect(read.logLevel == "info" && read.logFormat == "logfmt")
    }

    @Test(arguments: BotConfigurationTests.least.keys.sorted())
    func whatNothingCanStandForIsNeeded(key: String) {
        #expect(throws: BotConfigurationError.self) {
            try read(Self.least.filter { $0.key != key })
        }
    }

    @Test(arguments: [
        ("playlist", #"{"mode":"vod"}"#, "mode 'vod' is not known"),
        ("playlist", #"{"mode":"live"}"#, "mode 'live' is not known"),
        ("playlist", #"{"mode":"live","window":0}"#, "mode 'live' is not known"),
        ("ladder", "[]", "a ladder needs at least one layer"),
        ("layout", #"{"gap":"wide"}"#, "layout.gap must be"),
        ("picture_hosts", #"["https://a.org"]"#, "are not hosts"),
    ])
    func whatCannotBeMeantIsRefused(key: String, value: String, reason: String) throws {
        let error = #expect(throws: BotConfigurationError.self) {
            try read(Self.least.merging([key: value]) { $1 })
        }
        #expect(error?.description.contains(reason) == true, "\(String(describing: error))")
    }
}
