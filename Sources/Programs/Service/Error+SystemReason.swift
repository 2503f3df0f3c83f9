import Foundation

extension Error {
    /// The kernel's message, if the error is the kernel's: `Permission denied`.
    var systemReason: String {
        if let systemCode { return String(cString: strerror(systemCode)) }
        let error = self as? CocoaError
        if error?.code == .fileWriteFileExists { return "a file with this name is in the way" }
        return localizedDescription
    }

    /// Whether a disk is full.
    var isForWantOfRoom: Bool { systemCode == ENOSPC || systemCode == EDQUOT }

    private var systemCode: Int32? {
        let error = self as? CocoaError
        if error?.code == .fileWriteOutOfSpace { return ENOSPC }
        if error?.code == .fileWriteFileExists { return nil }
        return (error?.underlying as? POSIXError)?.code.rawValue
    }
}
