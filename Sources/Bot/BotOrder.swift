import Foundation
import MediaKernel
public import Recording
public import Stage

/// What a bot's parent wants of it while it runs: one line of standard input.
public enum BotOrder: Hashable, Sendable {
    /// `layout {…}`, the whole layout as the control API writes it.
    case layout(Layout)
    /// `audio {"roles": …}`: the roles that are heard, nil for everybody.
    case roles(Set<String>?)
    /// `recording {"paused": …}`: whether what is shown is left out of the assets.
    case recordingPaused(Bool)
    /// `metadata {…}`: what the playlists list from now on. It is in the stream's log already.
    case metadata(TimedMetadata)

    /// Orders that wait to be carried out; of more, the latest ones count. More than the API takes
    /// at once.
    public static let waitingMaximum = 128

    /// Nil for a line that is no order.
    public init?(line: String) {
        let parts = line.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        let body = Data(parts[1].utf8)
        switch parts[0] {
        case "layout":
            guard let json = try? JSONDecoder().decode(JSONValue.self, from: body) else {
                return nil
            }
            var layout = Layout()
            do throws(LayoutError) {
                try layout.merge(json)
            } catch {
                return nil
            }
            self = .layout(layout)
        case "audio":
            guard let audio = try? JSONDecoder().decode(Audio.self, from: body) else { return nil }
            self = .roles(audio.roles.map(Set.init))
        case "recording":
            guard let recording = try? JSONDecoder().decode(Recording.self, from: body) else {
                return nil
            }
            self = .recordingPaused(recording.paused)
        case "metadata":
            guard let metadata = try? JSONDecoder().decode(TimedMetadata.self, from: body) else {
                return nil
            }
            self = .metadata(metadata)
        default: return nil
        }
    }

    private struct Recording: Decodable {
        let paused: Bool
    }

    private struct Audio: Decodable {
        let roles: [String]?
    }
}
