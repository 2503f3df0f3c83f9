import Foundation
import MediaKernel

/// The files of the web pages, read into memory when the server starts: other files cannot be
/// requested, so a request's path never reaches the file system.
struct WebFiles: Sendable {
    struct File: Sendable {
        let bytes: [UInt8]
        let mediaType: String
        let entityTag: String

        init(_ bytes: [UInt8], mediaType: String) {
            self.bytes = bytes
            self.mediaType = mediaType
            let sum = String(CRC32.checksum(bytes), radix: 16)
            entityTag = "\"\(String(bytes.count, radix: 16))-\(sum)\""
        }
    }

    /// The pages are a few hundred KiB; more means that other files were included by mistake.
    static let bytesMaximum = 16 * 1024 * 1024
    static let filesMaximum = 500

    /// By their path below the directory, e.g. `assets/room.js`.
    private(set) var files: [String: File] = [:]

    /// - Parameter directory: nil for the built-in pages.
    init(directory: String?) throws(WebFilesError) {
        let directory = directory ?? Self.bundled
        var isDirectory: ObjCBool = false
        // An enumerator of a missing directory is simply empty.
        guard FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory),
            isDirectory.boolValue, let names = FileManager.default.enumerator(atPath: directory)
        else { throw .unreadable(directory) }
        var total = 0
        for case let name as String in names {
            guard let mediaType = Self.mediaType(of: name) else { continue }
            guard let data = FileManager.default.contents(atPath: "\(directory)/\(name)") else {
                throw .unreadable("\(directory)/\(name)")
            }
            total += data.count
            guard total <= Self.bytesMaximum, files.count < Self.filesMaximum else {
                throw .tooLarge(directory)
            }
            files[name] = File(Array(data), mediaType: mediaType)
        }
        try describe(in: directory)
    }

    /// `openapi.json`, made of `openapi.yaml`.
    private mutating func describe(in directory: String) throws(WebFilesError) {
        guard let yaml = files["openapi.yaml"] else { return }
        do {
            let json = try APIDescription.json(yaml: yaml.bytes)
            files["openapi.json"] = File(json, mediaType: "application/json")
        } catch {
            throw .malformed("\(directory)/openapi.yaml")
        }
    }

    init(files: [String: File]) { self.files = files }

    subscript(path: String) -> File? { files[path] }

    /// Next to the executable in an installation, in the build's products otherwise.
    private static var bundled: String {
        let beside = Bundle.main.bundleURL
            .appendingPathComponent("roomcast_ControlAPI.resources/Web").path
        return FileManager.default.fileExists(atPath: beside)
            ? beside : Bundle.module.bundleURL.appendingPathComponent("Web").path
    }

    private static func mediaType(of name: String) -> String? {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        return switch name[name.index(after: dot)...] {
        case "html": "text/html; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "json", "map", "webmanifest": "application/json"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "webp": "image/webp"
        case "ico": "image/x-icon"
        case "woff2": "font/woff2"
        case "txt": "text/plain; charset=utf-8"
        case "yaml": "application/yaml"
        default: nil
        }
    }
}

enum WebFilesError: Error, Hashable, CustomStringConvertible {
    case unreadable(String)
    case tooLarge(String)
    case malformed(String)
    case badTexts(String)

    var description: String {
        switch self {
        case .unreadable(let path): "the web pages cannot be read: \(path)"
        case .tooLarge(let path): "the web pages are larger than expected: \(path)"
        case .malformed(let path): "the description of the API is not YAML: \(path)"
        case .badTexts(let path):
            "the texts of a language are no JSON object, or its name is no language: \(path)"
        }
    }
}
