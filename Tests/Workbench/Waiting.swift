/// Lets other tasks work until the condition holds, but not for ever: a test that waits in vain
/// fails, and its run continues.
///
/// - Parameter limit: longer than any awaited event takes on a machine at half speed.
/// - Returns: whether the condition came to hold.
public func comesAbout(
    within limit: Duration = .seconds(30), _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < deadline, !Task.isCancelled else { return false }
        // Tests that wait would take the time of those that work, were they to look all the time.
        try? await Task.sleep(for: .milliseconds(1))
    }
    return true
}
