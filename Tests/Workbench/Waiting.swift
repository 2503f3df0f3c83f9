/// Lets others work until the condition holds, but not for ever: a test that waits for what does not
/// come fails, and its run goes on.
///
/// - Parameter limit: more than anything waited for takes on a machine at half its speed.
/// - Returns: whether it came about.
public func comesAbout(
    within limit: Duration = .seconds(30), _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < deadline, !Task.isCancelled else { return false }
        await Task.yield()
    }
    return true
}
