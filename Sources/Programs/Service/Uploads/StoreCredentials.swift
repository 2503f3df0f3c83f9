import Catalogue
import Foundation
import ObjectStorage
import Synchronization

/// The current credentials. A changed file is read again, so that temporary credentials can be
/// renewed. While the file is unreadable, the last credentials stay in use.
final class StoreCredentials: Sendable {
    /// A credentials file is a few lines.
    private static let bytesMaximum = 1 << 20

    private let path: String?
    private let known: Mutex<(credentials: AWSCredentials, version: FileVersion?)>

    /// - Throws: `SettingsError` for a file without credentials.
    init(_ settings: StoreSettings.Credentials) throws(SettingsError) {
        switch settings {
        case .fixed(let credentials):
            path = nil
            known = Mutex((credentials, nil))
        case .file(let path):
            self.path = path
            let version = FileVersion(path)
            guard let credentials = Self.read(path) else {
                throw .invalid(
                    key: SettingKey.recordingsStoreCredentialsFile.rawValue,
                    reason: "\(path) holds no [default] with aws_access_key_id and "
                        + "aws_secret_access_key, or cannot be read")
            }
            known = Mutex((credentials, version))
        }
    }

    var current: AWSCredentials {
        guard let path else { return known.withLock { $0.credentials } }
        return known.withLock { known in
            let version = FileVersion(path)
            if version != known.version, let credentials = Self.read(path) {
                known = (credentials, version)
            }
            return known.credentials
        }
    }

    private static func read(_ path: String) -> AWSCredentials? {
        guard let data = FileManager.default.contents(atPath: path), data.count <= bytesMaximum
        else { return nil }
        return AWSCredentials(parsing: String(decoding: data, as: UTF8.self))
    }
}
