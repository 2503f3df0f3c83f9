import Foundation
import Sandbox
import Subprocess

/// What bots and finishers have in common as processes.
enum ChildProcess {
    /// What ends a report. Not Unicode's other line breaks: they stand unescaped in JSON, such as in
    /// the name of a peer.
    static let lineEnd = SubprocessOutputSequence.StringSequence<UTF8>.Separator
        .unicodeScalarSequence(["\n"])

    /// The variables that are handed on when the server has them: where libraries look for what
    /// they need, language and zone, and what an operator may set to examine memory or graphics.
    /// Never what looks like somebody's credentials.
    static let variables: Set<String> = [
        "PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TZ", "LANG", "LANGUAGE", "LD_LIBRARY_PATH",
        "LD_PRELOAD", "SSL_CERT_FILE", "SSL_CERT_DIR", "XDG_DATA_HOME", "XDG_DATA_DIRS",
        "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "GLIBC_TUNABLES", "OPENSSL_CONF",
    ]

    /// Families of such variables, by what they begin with.
    static let variablePrefixes = [
        "LC_", "FONTCONFIG_", "PANGO_", "LIBVA_", "LIBGL_", "MESA_", "DRI_", "CUDA_", "NVIDIA_",
        "MFX_", "ONEVPL_", "MALLOC_", "ASAN_", "TSAN_", "UBSAN_", "LSAN_", "LLVM_PROFILE_",
        "SWIFT_BACKTRACE",
    ]

    /// What tells a child whom to become.
    static func arguments(as user: SystemUser?) -> [String] {
        user.map { ["--user", "\($0)"] } ?? []
    }

    static func isHandedOn(_ variable: String) -> Bool {
        variables.contains(variable)
            || variablePrefixes.contains { variable.hasPrefix($0) }
    }

    /// What of the server's environment its children get.
    ///
    /// - Parameter values: what the child is given beside it.
    static func environment(
        of server: [String: String] = ProcessInfo.processInfo.environment,
        adding values: [Environment.Key: String] = [:]
    ) -> Environment {
        var handed = values
        for (name, value) in server where isHandedOn(name) {
            handed[Environment.Key(stringLiteral: name)] = value
        }
        return .custom(handed)
    }
}
