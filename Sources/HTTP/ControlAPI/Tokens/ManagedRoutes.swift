import Hummingbird
import MediaKernel
import Tokens

extension RouterMethods {
    /// A group of routes of the control API: they need a management token, and know their queries.
    ///
    /// - Parameters:
    ///   - isOpen: whether requests without a token are admitted too.
    ///   - isForReaders: whether a token for looking at recordings is enough to read.
    func managed(
        _ path: RouterPath, by authority: TokenAuthority, isOpen: Bool = false,
        isForReaders: Bool = false, clock: @escaping @Sendable () -> UnixTime
    ) -> RouterGroup<Context> {
        group(path)
            .add(
                middleware: ManagementGuard(
                    authority: authority, isOpen: isOpen, isForReaders: isForReaders, clock: clock)
            )
            .add(middleware: QueryCheck())
    }
}
