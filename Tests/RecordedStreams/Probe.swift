import Foundation
import Testing
import Workbench

/// Facts about a file according to FFmpeg's own programs.
public enum Probe {
    public struct Facts: Sendable {
        public var warnings = ""
        public var format = ""
        public var formatDuration = ""
        public var videoDuration = ""
        public var frameRate = ""
        public var size: [Int] = []
        /// In seconds, in presentation order.
        public var pictureTimes: [Double] = []
        public var soundTimes: [Double] = []
    }

    public static func facts(_ path: String) throws -> Facts {
        var facts = Facts()
        let result = try Program.run(
            "ffprobe",
            [
                "-v", "warning", "-show_entries",
                "format=format_name,duration:stream=codec_type,duration,r_frame_rate,width,height",
                "-of", "json", path,
            ])
        facts.warnings = result.errors
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        let format = try #require(json["format"] as? [String: Any])
        facts.format = format["format_name"] as? String ?? ""
        facts.formatDuration = format["duration"] as? String ?? ""
        for stream in json["streams"] as? [[String: Any]] ?? []
        where stream["codec_type"] as? String == "video" {
            facts.videoDuration = stream["duration"] as? String ?? ""
            facts.frameRate = stream["r_frame_rate"] as? String ?? ""
            facts.size = [stream["width"] as? Int ?? 0, stream["height"] as? Int ?? 0]
        }
        // Decoding the whole file finds more than reading headers.
        facts.pictureTimes = try times(path, "v", &facts.warnings)
        facts.soundTimes = try times(path, "a", &facts.warnings)
        return facts
    }

    private static func times(
        _ path: String, _ kind: String, _ warnings: inout String
    ) throws -> [Double] {
        let result = try Program.run(
            "ffprobe",
            [
                "-v", "warning", "-select_streams", kind, "-show_entries", "frame=pts_time", "-of",
                "csv=p=0", path,
            ])
        warnings += result.errors
        return result.output.split(whereSeparator: \.isNewline).compactMap {
            Double($0.split(separator: ",").first ?? "")
        }
    }

    /// The packets' offsets in the file, in decoding order.
    public static func packetOffsets(_ path: String) throws -> [Int] {
        let result = try Program.run(
            "ffprobe", ["-v", "error", "-show_entries", "packet=pos", "-of", "csv=p=0", path])
        return result.output.split(whereSeparator: \.isNewline).compactMap {
            Int($0.split(separator: ",").first ?? "")
        }
    }
}
