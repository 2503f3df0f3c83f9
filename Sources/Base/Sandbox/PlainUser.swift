import CSandbox
import Glibc

/// For a process that runs a foreign program: it has no rights of its own to lose to it.
public enum PlainUser {
    /// Gives up every privilege of this process and of those that it starts.
    ///
    /// - Parameter user: whom to become if this process runs as root; nil to stay.
    /// - Returns: what could not be done.
    public static func enter(_ user: SystemUser?) -> [SandboxGap] {
        var gaps: [SandboxGap] = []
        if SystemUser.mayChange, let user, roomcast_become(user.user, user.group) != 0 {
            gaps.append(.user(user, error: errno))
        }
        if roomcast_keep_capabilities(0) != 0 { gaps.append(.capabilities(error: errno)) }
        if roomcast_refuse_new_privileges() != 0 { gaps.append(.privileges(error: errno)) }
        return gaps
    }
}
