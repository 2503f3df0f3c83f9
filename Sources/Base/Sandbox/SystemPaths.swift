/// Files that libraries read long after a process has started: plugins, fonts, host names, root
/// certificates, graphics cards. Never all of `/etc`, which has the server's settings.
enum SystemPaths {
    private static let readable = [
        "/usr", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store",
        "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives",
        "/etc/fonts", "/var/cache/fontconfig", "/var/lib/fonts",
        "/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/var/lib/ca-certificates",
        "/etc/crypto-policies",
        "/etc/resolv.conf", "/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager",
        "/etc/hosts", "/etc/host.conf", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/services",
        "/etc/protocols", "/etc/passwd", "/etc/group", "/etc/localtime", "/etc/timezone",
        "/etc/locale.alias", "/etc/glvnd", "/etc/vulkan", "/etc/OpenCL", "/etc/drirc",
        "/etc/vdpau_wrapper.cfg", "/etc/nvidia", "/etc/libva.conf", "/etc/igfx_user_feature.txt",
        // All of it: libdispatch reads its threads' `/proc/<thread>/stat`, and ends the process if
        // it cannot. The kernel denies a process under Landlock the memory and environment of
        // others there.
        "/proc", "/sys",
    ]

    private static let usable = [
        // Thread names and the out-of-memory score are written here.
        "/proc/self",
        "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom",
        "/dev/dri", "/dev/kfd", "/dev/nvidia-caps", "/dev/nvidiactl", "/dev/nvidia-modeset",
        "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", "/dev/mali0",
    ]

    /// The most graphics cards of one make in a machine.
    private static let cardsMaximum = 16

    /// Variables whose values are paths, with colons between them.
    private static let listVariables = [
        "LD_LIBRARY_PATH", "FONTCONFIG_PATH", "FONTCONFIG_FILE", "SSL_CERT_FILE", "SSL_CERT_DIR",
        "XDG_DATA_DIRS", "LIBVA_DRIVERS_PATH", "LIBGL_DRIVERS_PATH", "OPENSSL_CONF",
    ]

    /// Files of libraries in a user's own directory.
    private static let below: [(variable: String, names: [String])] = [
        (
            "HOME",
            [
                ".fonts", ".fonts.conf", ".local/share/fonts", ".config/fontconfig",
                ".cache/fontconfig",
            ]
        ),
        ("XDG_DATA_HOME", ["fonts"]),
        ("XDG_CONFIG_HOME", ["fontconfig"]),
        ("XDG_CACHE_HOME", ["fontconfig"]),
    ]

    static func all(environment: [String: String]) -> [SandboxPlan.Path] {
        var paths = readable.map { SandboxPlan.Path($0, .read) }
        paths += usable.map { SandboxPlan.Path($0, .use) }
        paths += (0..<cardsMaximum).map { SandboxPlan.Path("/dev/nvidia\($0)", .use) }
        for variable in listVariables {
            for path in (environment[variable] ?? "").split(separator: ":")
            where isUsable(path) {
                paths.append(SandboxPlan.Path(String(path), .read))
            }
        }
        for (variable, names) in below {
            guard let home = environment[variable], isUsable(home[...]) else { continue }
            paths += names.map { SandboxPlan.Path("\(home)/\($0)", .read) }
        }
        return paths
    }

    /// Excludes paths that depend on the working directory, or mean everything.
    private static func isUsable(_ path: Substring) -> Bool {
        path.hasPrefix("/") && path.contains { $0 != "/" }
    }
}
