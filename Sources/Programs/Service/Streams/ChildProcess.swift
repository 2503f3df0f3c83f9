import Foundation
import Sandbox
import Subprocess

/// The common parts of bots and finishers as processes.
enum ChildProcess {
    /// The end of a report. Excludes Unicode's other line breaks: they appear unescaped in JSON,
    /// e.g. in the name of a peer.
    static let lineEnd = SubprocessOutputSequence.StringSequence<UTF8>.Separator
        .unicodeScalarSequence(["\n"])

    /// The variables to pass on if the server has them: search paths of libraries, language and
    /// time zone, and an operator's variables for debugging memory or graphics. Never anything that
    /// looks like credentials.
    static let variables: Set<String> = [
        "PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TZ", "LANG", "LANGUAGE", "LD_LIBRARY_PATH",
        "LD_PRELOAD", "SSL_CERT_FILE", "SSL_CERT_DIR", "XDG_DATA_HOME", "XDG_DATA_DIRS",
        "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "GLIBC_TUNABLES", "OPENSSL_CONF",
    ]

    /// The prefixes of further such variables.
    static let variablePrefixes = [
        "LC_", "FONTCONFIG_", "PANGO_", "LIBVA_", "LIBGL_", "MESA_", "DRI_", "CUDA_", "NVIDIA_",
        "MFX_", "ONEVPL_", "MALLOC_", "ASAN_", "TSAN_", "UBSAN_", "LSAN_", "LLVM_PROFILE_",
        "SWIFT_BACKTRACE",
    ]

    /// The arguments that name the user to switch to.
    static func arguments(as user: SystemUser?) -> [String] {
        user.map { ["--user", "\($0)"] } ?? []
    }

    static func isHandedOn(_ variable: String) -> Bool {
        variables.contains(variable)
            || variablePrefixes.contains { variable.hasPrefix($0) }
    }

    /// The environment of child processes.
    ///
    /// - Parameter values: additional variables for the child.
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
