import CSandbox
import Glibc

/// Hides the secrets of a process from other processes of the same user.
public enum ProcessSecrets {
    /// Takes variables out of the environment and overwrites them where they stood: in
    /// `/proc/<pid>/environ` the kernel shows the bytes that a process was started with.
    ///
    /// To be called before there are other threads that may read the environment.
    public static func forget(_ names: Set<String>) {
        guard let variables = roomcast_environment() else { return }
        var index = 0
        while let variable = variables[index] {
            index += 1
            guard let equals = strchr(variable, Int32(UInt8(ascii: "="))) else { continue }
            let name = String(
                decoding: UnsafeRawBufferPointer(start: variable, count: equals - variable),
                as: UTF8.self)
            guard names.contains(name) else { continue }
            let value = equals + 1
            // The value alone: whoever holds on to the pointer finds an empty one.
            memset(value, 0, strlen(value))
        }
        for name in names { unsetenv(name) }
    }

    /// Keeps other processes of the same user from this one's memory and environment. What is in
    /// `/proc/self` is root's from now on, and a crash leaves no image behind. PR_SET_DUMPABLE,
    /// prctl(2).
    ///
    /// - Returns: 0, or the number of the error.
    @discardableResult
    public static func hide() -> Int32 { roomcast_set_dumpable(0) == 0 ? 0 : errno }
}
