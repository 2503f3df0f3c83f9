import Catalogue
import ChildProcesses
import Foundation
import MediaKernel
import RecordedStreams
import Recording
import Streams
import Synchronization
import Testing
import Workbench

@testable import Finisher

@Suite struct FinisherTests {
    @Test func allAssetsOfARecordingAreMadeAndListed() throws {
        let world = try FinishedStream()
        try world.stream.record(run: 1_700_000_000_000_000_000, frames: 75, preset: "ultrafast")
        let assets = try world.finish()
        let base = "hls/room/2026-02-03/1770091506"
        #expect(
            assets.map(\.path) == [
                "\(base)/file-recording/Rec-room-1770091506-0.mp4",
                "\(base)/file-recording/Rec-room-1770091506-1.mp4",
                "\(base)/vod/Rec-room-1770091506.zip",
            ])
        #expect(assets.map(\.id) == ["s1-0", "s1-1", "s1-vod"])
        #expect(assets.map(\.kind) == [.roomComposite, .roomComposite, .roomVOD])
        #expect(assets.map(\.layer) == [0, 1, nil] && assets.map(\.layerCount) == [nil, nil, 2])
        #expect(assets.map(\.size?.width) == [320, 192, 320])
        #expect(assets.allSatisfy { $0.duration == .milliseconds(2500) && $0.session == "x" })
        for asset in assets {
            #expect(try Int64(world.bytes(asset.path).count) == asset.byteCount)
        }
        for asset in assets.prefix(2) {
            let facts = try Probe.facts("\(world.recordings)/\(asset.path)")
            #expect(facts.videoDuration == "2.500000" && facts.warnings == "")
        }
        #expect(
            try Program.run("unzip", ["-tqq", "\(world.recordings)/\(assets[2].path)"]).status == 0)
        let manifest = try JSONDocument.decode(
            RecordingManifest.self, from: Data(world.bytes("\(base)/manifest.json")))
        #expect(manifest.assets == assets && manifest.stream == world.file.stream)
    }

    @Test func onlyTheLayersThatAreToBeKeptAreInTheAssets() throws {
        let world = try FinishedStream(keptLayers: [1])
        try world.stream.record(run: 1, frames: 60, preset: "ultrafast")
        let assets = try world.finish()
        #expect(assets.map(\.id) == ["s1-1", "s1-vod"])
        #expect(assets.map(\.size?.width) == [192, 192] && assets.map(\.layerCount) == [nil, 1])
        let directory = "\(world.recordings)/hls/room/2026-02-03/1770091506/vod"
        let master = try String(contentsOfFile: "\(directory)/master.m3u8", encoding: .utf8)
        #expect(master.contains("stream_1/stream.m3u8") && !master.contains("stream_0"))
        #expect(!FileManager.default.fileExists(atPath: "\(directory)/stream_0"))
        let listed = try Program.run("unzip", ["-Z1", "\(world.recordings)/\(assets[1].path)"])
        #expect(listed.status == 0)
    }

    @Test func theChatIsAnAssetUpToItsLastWholeLine() throws {
        let world = try FinishedStream()
        try world.stream.record(run: 1, frames: 30, preset: "ultrafast")
        let line = "p,Ann,u,[],2026-02-03T04:05:06.789Z,chat,\"two\nlines\"\r\n"
        let whole = Array((ChatRecord.header + line).utf8)
        try world.stream.write(whole + Array("p,Ann,u,[],\"torn\r\n".utf8), to: ChatFile.name)
        let chat = try #require(try world.finish().last)
        #expect(chat.id == "s1-chat" && chat.kind == .chat && chat.duration == nil)
        #expect(chat.path == "chat/room/2026-02-03/Rec-room-1770091506.csv")
        #expect(try world.bytes(chat.path) == whole && chat.byteCount == Int64(whole.count))
        #expect(try world.finish().last == chat)
    }

    private static func line(_ text: String) -> String {
        "p,Ann,u,[],2026-02-03T04:05:06.789Z,chat,\(text)\r\n"
    }

    /// Lines of chat that arrived after all assets were made, after none or one that was in time.
    @Test(arguments: [[], ["in time"]] as [[String]])
    func chatThatCameLateIsMadeAnewAndNothingElse(first: [String]) throws {
        let world = try FinishedStream()
        try world.stream.record(run: 1, frames: 30, preset: "ultrafast")
        let early = ([ChatRecord.header] + first.map(Self.line)).joined()
        try world.stream.write(Array(early.utf8), to: ChatFile.name)
        let before = try world.finish()
        let others = before.filter { $0.kind != .chat }
        #expect(others.count == 3 && before.count == 3 + first.count)
        let inodes = try others.map { try world.inode("\(world.recordings)/\($0.path)") }
        let whole = Array((early + Self.line("late")).utf8)
        try world.stream.write(whole, to: ChatFile.name)
        let after = try world.finish()
        let chat = try #require(after.last)
        #expect(Array(after.dropLast()) == others && chat.kind == .chat && chat.id == "s1-chat")
        #expect(chat.byteCount == Int64(whole.count) && chat.createdAt == others[0].createdAt)
        #expect(try world.bytes(chat.path) == whole)
        #expect(try others.map { try world.inode("\(world.recordings)/\($0.path)") } == inodes)
        let directory = "\(world.recordings)/hls/room/2026-02-03/1770091506"
        #expect(RecordingManifest.read(directory)?.assets == after)
        #expect(try world.finish() == after)
    }

    /// The process that renewed it was killed before the manifest was written.
    @Test func aChatThatIsLongerThanItIsSaidToBeCostsNothingElse() throws {
        let world = try FinishedStream()
        try world.stream.record(run: 1, frames: 30, preset: "ultrafast")
        let early = ChatRecord.header + Self.line("in time")
        try world.stream.write(Array(early.utf8), to: ChatFile.name)
        let before = try world.finish()
        let whole = Array((early + Self.line("late")).utf8)
        try world.stream.write(whole, to: ChatFile.name)
        let chat = try #require(before.last)
        try Data(whole).write(to: URL(filePath: "\(world.recordings)/\(chat.path)"))
        let inode = try world.inode("\(world.recordings)/\(before[0].path)")
        let after = try world.finish()
        #expect(try world.inode("\(world.recordings)/\(after[0].path)") == inode)
        #expect(after.last?.byteCount == Int64(whole.count))
    }

    @Test func aChatThatIsOverStaysSo() throws {
        let world = try FinishedStream()
        try world.stream.record(run: 1, frames: 30, preset: "ultrafast")
        let early = ChatRecord.header + Self.line("in time")
        try world.stream.write(Array(early.utf8), to: ChatFile.name)
        _ = try world.finish()
        let path = "\(world.recordings)/hls/room/2026-02-03/1770091506"
        var manifest = try #require(RecordingManifest.read(path))
        manifest.assets[3].status = .expired
        try Data(manifest.encoded).write(
            to: URL(filePath: "\(path)/\(RecordingManifest.fileName)"))
        try FileManager.default.removeItem(
            atPath: "\(world.recordings)/\(manifest.assets[3].path)")
        try world.stream.write(Array((early + Self.line("late")).utf8), to: ChatFile.name)
        #expect(try world.finish() == manifest.assets)
    }

    /// The chat comes last, when all other assets exist.
    @Test func whatWasMadeBeforeTheDiskWasFullIsTakenBack() throws {
        let world = try FinishedStream()
        try world.stream.record(run: 1, frames: 30, preset: "ultrafast")
        let chat = "p,Ann,u,[],2026-02-03T04:05:06.789Z,chat,hello\r\n"
        try world.stream.write(Array((ChatRecord.header + chat).utf8), to: ChatFile.name)
        let directory = "\(world.recordings)/chat/room/2026-02-03"
        let full = "\(directory)/.part-Rec-room-1770091506.csv"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: full, withDestinationPath: "/dev/full")
        let error = #expect(throws: FinisherError.self) { try world.finish() }
        #expect(error?.isForWantOfRoom == true)
        let left = FileManager.default.enumerator(atPath: "\(world.recordings)/hls")?
            .compactMap { $0 as? String }.filter { $0.contains(".") }
        #expect(left == [])
        try? FileManager.default.removeItem(atPath: full)
        #expect(try world.finish().count == 4)
    }

    @Test func theVODCanBePlayedAndItsSegmentsTakeNoRoom() throws {
        let world = try FinishedStream()
        try world.stream.record(run: 1, frames: 60, preset: "ultrafast")
        _ = try world.finish()
        let vod = "hls/room/2026-02-03/1770091506/vod"
        let facts = try Program.run(
            "ffprobe",
            [
                "-v", "error", "-count_frames", "-select_streams", "v:0", "-show_entries",
                "stream=nb_read_frames", "-of", "csv=p=0",
                "\(world.recordings)/\(vod)/master.m3u8",
            ])
        #expect(facts.output.contains("60"))
        for name in ["stream_0/segment_000001.ts", "stream_1/segment_000000.ts"] {
            #expect(
                try world.inode("\(world.stream.path)/\(name)")
                    == world.inode("\(world.recordings)/\(vod)/\(name)"))
        }
    }

    @Test func onlyWhatWasOrderedIsMade() throws {
        for (vod, files) in [(true, false), (false, true), (false, false)] {
            let world = try FinishedStream(hlsVOD: vod, singleFilePerLayer: files)
            try world.stream.record(run: 1, frames: 30, preset: "ultrafast")
            #expect(try world.finish().count == (vod ? 1 : 0) + (files ? 2 : 0))
            let base = "\(world.recordings)/hls/room/2026-02-03/1770091506"
            #expect(FileManager.default.fileExists(atPath: "\(base)/vod") == vod)
            #expect(FileManager.default.fileExists(atPath: "\(base)/file-recording") == files)
        }
    }

    @Test func aRecordingWithoutAStreamIsOneFileBesideThoseOfItsDay() throws {
        let world = try FinishedStream(hlsVOD: false, kind: .recording, layers: 1)
        try world.stream.record(run: 1, frames: 30, preset: "ultrafast")
        let day = "beam/room/2026-02-03"
        // Another stream is being finished, and an earlier attempt at this one was killed.
        let others =
            "\(world.recordings)/\(day)/\(AssetFile.temporaryPrefix)Rec-room-17700915067.mp4"
        let own = "\(world.recordings)/\(day)/\(AssetFile.temporaryPrefix)Rec-room-1770091506.mp4"
        try FileManager.default.createDirectory(
            atPath: "\(world.recordings)/\(day)", withIntermediateDirectories: true)
        for path in [others, own] { try Data([1]).write(to: URL(filePath: path)) }
        let assets = try world.finish()
        #expect(assets.map(\.path) == ["\(day)/Rec-room-1770091506.mp4"])
        #expect(assets.map(\.layer) == [nil] && assets.map(\.kind) == [.roomComposite])
        let facts = try Probe.facts("\(world.recordings)/\(assets[0].path)")
        #expect(facts.videoDuration == "1.000000" && facts.warnings == "")
        #expect(FileManager.default.fileExists(atPath: others))
        #expect(!FileManager.default.fileExists(atPath: own))
        #expect(
            FileManager.default.fileExists(
                atPath: "\(world.recordings)/\(day)/1770091506/manifest.json"))
    }

    @Test func finishingAgainChangesNothing() throws {
        let world = try FinishedStream()
        try world.stream.record(run: 1, frames: 30, preset: "ultrafast")
        let assets = try world.finish()
        let before = try assets.map { try world.inode("\(world.recordings)/\($0.path)") }
        #expect(try world.finish() == assets)
        #expect(try assets.map { try world.inode("\(world.recordings)/\($0.path)") } == before)
    }

    @Test func whatAKilledRunLeftIsMadeAnew() throws {
        let world = try FinishedStream()
        try world.stream.record(run: 1, frames: 30, preset: "ultrafast")
        let assets = try world.finish()
        let base = "\(world.recordings)/hls/room/2026-02-03/1770091506"
        // No manifest, one file that is only begun, and one that differs from the manifest's.
        try FileManager.default.removeItem(atPath: "\(base)/manifest.json")
        try FileManager.default.removeItem(atPath: "\(world.recordings)/\(assets[0].path)")
        let part = "\(base)/file-recording/.part-Rec-room-1770091506-7.mp4"
        try Data([1]).write(to: URL(filePath: part))
        try Data([1]).write(to: URL(filePath: "\(world.recordings)/\(assets[2].path)"))
        #expect(try world.finish().map(\.byteCount) == assets.map(\.byteCount))
        #expect(!FileManager.default.fileExists(atPath: part))
        // With a manifest that lists more than exists.
        try FileManager.default.removeItem(atPath: "\(world.recordings)/\(assets[1].path)")
        #expect(try world.finish().map(\.byteCount) == assets.map(\.byteCount))
        #expect(try Int64(world.bytes(assets[1].path).count) == assets[1].byteCount)
    }

    @Test func aDamagedSegmentIsLeftOutAndNamed() throws {
        let world = try FinishedStream()
        try world.stream.record(run: 1, frames: 90, preset: "ultrafast")
        var bytes = try world.stream.bytes("stream_1/segment_000001.ts")
        bytes[200] ^= 1
        try world.stream.write(bytes, to: "stream_1/segment_000001.ts")
        let assets = try world.finish()
        #expect(assets.allSatisfy { $0.duration == .seconds(2) } && assets.count == 3)
        #expect(world.events.contains(.leftOut(layer: 1, segment: 1)))
    }

    /// They are searched once, not one per attempt.
    @Test func damagedSegmentsAreLeftOutHoweverManyThereAre() throws {
        let world = try FinishedStream()
        try world.stream.record(run: 1, frames: 210, preset: "ultrafast")
        for number in 1...5 {
            let name = "stream_\(number % 2)/segment_00000\(number).ts"
            var bytes = try world.stream.bytes(name)
            bytes[200] ^= 1
            try world.stream.write(bytes, to: name)
        }
        let assets = try world.finish()
        #expect(assets.allSatisfy { $0.duration == .seconds(2) } && assets.count == 3)
        for number in 1...5 {
            #expect(world.events.contains(.leftOut(layer: number % 2, segment: number)))
        }
    }

    @Test func theWayIsTold() throws {
        let world = try FinishedStream()
        try world.stream.record(run: 1, frames: 60, preset: "ultrafast")
        _ = try world.finish()
        #expect(world.events.last == .progress(1000))
        let steps = world.events.compactMap { event in
            if case .progress(let permille) = event { permille } else { nil }
        }
        #expect(steps == steps.sorted() && Set(steps).count == steps.count)
    }
}

/// The server kills a silent finisher, so one that is working must report.
@Suite struct FinisherSilenceTests {
    private func progress(_ world: FinishedStream) -> [Int] {
        world.events.compactMap { if case .progress(let permille) = $0 { permille } else { nil } }
    }

    @Test func whatGoesOnSlowlyIsToldEveryTenSeconds() {
        let second = Mutex(Int64(0))
        let told = Mutex<[FinisherReport]>([])
        let meter = ProgressMeter(
            now: { UnixTime(seconds: second.withLock { $0 }) },
            report: { event in told.withLock { $0.append(event) } })
        meter.begin(jobs: 2)
        for done in 1...25 {
            second.withLock { $0 += 1 }
            meter.reached(done, of: 10_000, job: 0)
        }
        #expect(told.withLock { $0 } == [.progress(0), .progress(1)])
        meter.reached(1, of: 50, job: 1)
        #expect(told.withLock { $0.last } == .progress(11))
        // The wall clock is set back by an hour.
        second.withLock { $0 -= 3600 }
        meter.goesOn()
        #expect(told.withLock { $0.count } == 4)
        // Once more, without damaged segments.
        meter.begin(jobs: 2)
        second.withLock { $0 += 10 }
        meter.goesOn()
        #expect(told.withLock { $0.last } == .progress(11))
    }

    @Test func segmentsThatAreUnpackedAreTold() throws {
        let world = try FinishedStream(singleFilePerLayer: false)
        try world.stream.record(run: 1, frames: 60, preset: "ultrafast")
        _ = try world.finish(pace: 60)
        // Two parts in the archive, then two segments for each of two layers.
        #expect(progress(world) == [500] + Array(repeating: 1000, count: 5))
    }

    @Test func theSearchForDamagedSegmentsIsTold() throws {
        let world = try FinishedStream(singleFilePerLayer: false)
        try world.stream.record(run: 1, frames: 90, preset: "ultrafast")
        var bytes = try world.stream.bytes("stream_0/segment_000001.ts")
        bytes[200] ^= 1
        try world.stream.write(bytes, to: "stream_0/segment_000001.ts")
        _ = try world.finish(pace: 60)
        #expect(progress(world).prefix(4) == [333, 333, 333, 333])
    }

    @Test func whoWaitsForAnotherFinisherSaysSo() throws {
        let world = try FinishedStream()
        try world.stream.record(run: 1, frames: 30, preset: "ultrafast")
        let other = Mutex(try StreamLock.take(in: world.stream.path))
        let assets = try world.finish(lockTimeout: Finisher.lockTimeout, pace: 120) { look in
            if look == 12 { other.withLock { $0 = nil } }
        }
        #expect(assets.count == 3)
        #expect(progress(world).prefix { $0 == 0 }.count > 3)
    }
}

@Suite struct UnfinishedStreamTests {
    @Test func aStreamThatNeverHadASegmentLeavesNothing() throws {
        for layers in 0...1 {
            let world = try FinishedStream()
            // One layer got its first segment, the other did not.
            if layers == 1 {
                try world.stream.record(run: 1, frames: 30, preset: "ultrafast")
                try FileManager.default.removeItem(
                    atPath: "\(world.stream.path)/stream_1/segments.log")
            }
            let base = "\(world.recordings)/hls/room/2026-02-03/1770091506"
            try FileManager.default.createDirectory(
                atPath: base, withIntermediateDirectories: true)
            #expect(try world.finish() == [])
            #expect(!FileManager.default.fileExists(atPath: base))
        }
    }

    @Test func playlistsAreEndedAlsoWhereNothingIsRecorded() throws {
        let world = try FinishedStream(isRecorded: false)
        try world.stream.write(Array("#EXTM3U\na.ts\n".utf8), to: "stream_0/stream.m3u8")
        #expect(try world.finish() == [])
        #expect(
            String(decoding: try world.stream.bytes("stream_0/stream.m3u8"), as: UTF8.self)
                == "#EXTM3U\na.ts\n#EXT-X-ENDLIST\n")
    }

    @Test func aBotThatDiedBeforeItsMasterPlaylistHadOnePrepared() throws {
        let world = try FinishedStream()
        try world.stream.record(run: 1, frames: 30, preset: "ultrafast")
        let master = try world.stream.bytes("master.m3u8")
        try FileManager.default.removeItem(atPath: "\(world.stream.path)/master.m3u8")
        try world.stream.write(master, to: StreamFolder.preparedMasterName)
        #expect(try world.finish().count == 3)
        let made = String(
            decoding: try world.bytes("hls/room/2026-02-03/1770091506/vod/master.m3u8"),
            as: UTF8.self)
        #expect(
            made.split(separator: "\n").filter { !$0.hasPrefix("#") }
                == ["stream_0/stream.m3u8", "stream_1/stream.m3u8"])
    }

    @Test func whoComesWhileABotWritesWaits() throws {
        let world = try FinishedStream()
        try world.stream.record(run: 1, frames: 30, preset: "ultrafast")
        let bot = Mutex(try StreamLock.take(in: world.stream.path))
        #expect(try StreamLock.take(in: world.stream.path) == nil)
        #expect(throws: FinisherError.inUse(world.stream.path)) {
            try world.finish(lockTimeout: .zero)
        }
        let assets = try world.finish { look in
            if look == 3 { bot.withLock { $0 = nil } }
        }
        #expect(assets.count == 3)
    }

    @Test func aDirectoryThatIsNoStreamIsAnError() throws {
        let world = try FinishedStream()
        try world.stream.write(Array("{".utf8), to: "stream.json")
        #expect(throws: FinisherError.unreadable("\(world.stream.path)/stream.json")) {
            try world.finish(writesFile: false)
        }
    }

    @Test func whatDoesNotFitIsNotBegun() throws {
        let world = try FinishedStream()
        try world.stream.record(run: 1, frames: 60, preset: "ultrafast")
        let segments = try ["stream_0", "stream_1"].flatMap { layer in
            try ["segment_000000.ts", "segment_000001.ts"].map {
                try world.stream.bytes("\(layer)/\($0)").count
            }
        }
        // The MP4 files and the archive.
        let byteCount = UInt64(segments.reduce(0, +) * 2)
        let error = #expect(throws: FinisherError.self) {
            try world.finish(freeBytes: byteCount - 1)
        }
        let directory = "\(world.recordings)/hls/room/2026-02-03/1770091506"
        guard case .recording(.file(directory, _, ENOSPC, _)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [])
        #expect(try world.finish(freeBytes: byteCount).count == 3)
    }

    /// For instance two volumes of a container, which are two mounts of one file system.
    @Test func aVODThatTakesNoLinksNeedsRoomOnceMore() throws {
        let world = try FinishedStream(singleFilePerLayer: false, layers: 1)
        try world.stream.record(run: 1, frames: 60, preset: "ultrafast")
        let segments = try ["segment_000000.ts", "segment_000001.ts"].map {
            try world.stream.bytes("stream_0/\($0)").count
        }
        let byteCount = UInt64(segments.reduce(0, +))
        // The archive and its contents.
        let error = #expect(throws: FinisherError.self) {
            try world.finish(freeBytes: byteCount * 2 - 1, takesLinks: false)
        }
        #expect(error?.isForWantOfRoom == true)
        #expect(try world.finish(freeBytes: byteCount * 2, takesLinks: false).count == 1)
    }

    @Test func theKernelIsAskedWhetherThereCanBeLinks() throws {
        let scratch = try Scratch()
        let file = try scratch.write("x".utf8, to: "a/file")
        try scratch.write([], to: "b/other")
        // Left behind by a process that was killed in between.
        try scratch.write([], to: "b/\(AssetFile.temporaryPrefix)link")
        #expect(HardLinks.areTaken(of: file, in: "\(scratch.path)/b"))
        #expect(scratch.names(in: "b") == ["other"])
        #expect(!HardLinks.areTaken(of: file, in: "/proc"))
    }

    @Test func aRootThatCannotBeWrittenIsAnError() throws {
        let world = try FinishedStream(recordings: "/proc/nowhere")
        try world.stream.record(run: 1, frames: 30, preset: "ultrafast")
        let error = #expect(throws: FinisherError.self) { try world.finish() }
        guard case .recording(.file(_, "mkdir", _, _)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
