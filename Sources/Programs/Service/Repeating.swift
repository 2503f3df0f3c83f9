import ServiceLifecycle

/// Repeats work until the server shuts down, which need not wait for the pause between two turns.
func repeating(every pause: Duration, _ work: @escaping @Sendable () async -> Void) async {
    await cancelWhenGracefulShutdown {
        while !Task.isCancelled {
            await work()
            try? await Task.sleep(for: pause)
        }
    }
}
