import CSandbox
import Glibc

/// Hides the secrets of a process from other processes of the same user.
public enum ProcessSecrets {
    /// Removes variables from the environment and overwrites their values in place: in
    /// `/proc/<pid>/environ` the kernel shows the bytes that a process was started with.
    ///
    /// Call it before other threads may read the environment.
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
            // Only the value: code that kept the pointer finds an empty string.
            memset(value, 0, strlen(value))
        }
        for name in names { unsetenv(name) }
    }

    /// Protects this process's memory and environment from other processes of the same user. Root
    /// then owns `/proc/self`, and a crash leaves no core file. PR_SET_DUMPABLE, prctl(2).
    ///
    /// - Returns: 0, or the error number.
    @discardableResult
    public static func hide() -> Int32 { roomcast_set_dumpable(0) == 0 ? 0 : errno }
}
