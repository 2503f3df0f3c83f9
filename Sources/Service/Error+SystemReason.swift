import Foundation

extension Error {
    /// What the kernel said, where it was the kernel: `Permission denied`.
    var systemReason: String {
        let error = self as? CocoaError
        if error?.code == .fileWriteOutOfSpace { return String(cString: strerror(ENOSPC)) }
        if error?.code == .fileWriteFileExists { return "a file with this name is in the way" }
        guard let cause = error?.underlying as? POSIXError else { return localizedDescription }
        return String(cString: strerror(cause.code.rawValue))
    }
}
