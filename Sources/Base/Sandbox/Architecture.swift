/// The processor's architecture, which determines the numbers of system calls.
public enum Architecture: Hashable, Sendable, CaseIterable {
    case x86
    case arm

    /// The architecture of this program; nil if its system calls are not known here.
    public static var current: Architecture? {
        #if arch(x86_64)
            .x86
        #elseif arch(arm64)
            .arm
        #else
            nil
        #endif
    }

    /// AUDIT_ARCH_X86_64 and AUDIT_ARCH_AARCH64: `linux/audit.h`.
    public var auditNumber: UInt32 {
        switch self {
        case .x86: 0xC000_003E
        case .arm: 0xC000_00B7
        }
    }

    /// The first number of another interface to the same calls: x32.
    var foreignNumbers: UInt32? {
        switch self {
        case .x86: 0x4000_0000
        case .arm: nil
        }
    }
}
