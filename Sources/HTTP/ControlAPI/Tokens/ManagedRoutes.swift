import Hummingbird
import MediaKernel
import Tokens

extension RouterMethods {
    /// A group of routes of the control API: they need a management token, and know their queries.
    ///
    /// - Parameter isOpen: whether requests without a token are admitted too.
    func managed(
        _ path: RouterPath, by authority: TokenAuthority, isOpen: Bool = false,
        clock: @escaping @Sendable () -> UnixTime
    ) -> RouterGroup<Context> {
        group(path)
            .add(middleware: ManagementGuard(authority: authority, isOpen: isOpen, clock: clock))
            .add(middleware: QueryCheck())
    }
}
