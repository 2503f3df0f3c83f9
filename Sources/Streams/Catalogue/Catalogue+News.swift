import GRDB

/// News of changes, so that readers need not look again and again.
extension Catalogue {
    /// What may change.
    public enum Subject: Sendable { case deliveries, assets }

    /// Calls `body` after each of this process's transactions that has changed the subject, until
    /// the result is released. It is called on the writer's thread, and must be quick.
    public func watch(
        _ subject: Subject, _ body: @escaping @Sendable () -> Void
    ) -> CatalogueWatch {
        let table =
            switch subject {
            case .deliveries: CatalogueDelivery.table
            case .assets: CatalogueAsset.table
            }
        return CatalogueWatch(
            DatabaseRegionObservation(tracking: Table(table)).start(
                in: pool, onError: { _ in }, onChange: { _ in body() }))
    }
}

/// An observation of changes. It ends when this value is released.
public final class CatalogueWatch: Sendable {
    private let observation: AnyDatabaseCancellable

    init(_ observation: AnyDatabaseCancellable) { self.observation = observation }
}
