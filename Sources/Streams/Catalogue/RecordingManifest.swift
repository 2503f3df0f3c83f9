import Foundation
import MediaKernel

/// The last file that a finisher writes to a recording's directory: the recording is complete.
public struct RecordingManifest: Hashable, Sendable, Codable {
    public static let fileName = "manifest.json"

    public var stream: CatalogueStream
    public var assets: [CatalogueAsset]

    public init(stream: CatalogueStream, assets: [CatalogueAsset]) {
        self.stream = stream
        self.assets = assets
    }

    /// The text of the file.
    public var encoded: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else {
            preconditionFailure("a manifest holds texts and numbers, which always encode")
        }
        return Array(data) + [10]
    }

    /// Reads the manifest of a recording.
    ///
    /// - Parameter directory: the directory of the recording.
    /// - Returns: nil if there is no readable manifest.
    public static func read(_ directory: String) -> RecordingManifest? {
        FileManager.default.contents(atPath: "\(directory)/\(fileName)").flatMap {
            try? JSONDocument.decode(RecordingManifest.self, from: $0, limits: .own)
        }
    }
}
