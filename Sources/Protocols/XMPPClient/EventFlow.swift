public import NIOCore

/// Reads on when the program has taken its events.
public final class EventFlow: NIOAsyncSequenceProducerDelegate {
    /// Does not keep the client, whose events end with it.
    private struct Source {
        weak var link: ClientLink?
    }

    private let loop: any EventLoop
    private let source: NIOLoopBoundBox<Source>

    init(_ loop: any EventLoop) {
        self.loop = loop
        source = NIOLoopBoundBox.makeBoxSendingValue(Source(), eventLoop: loop)
    }

    func follow(_ link: ClientLink) { source.value.link = link }

    public func produceMore() {
        loop.execute { [source] in source.value.link?.reads(true) }
    }

    /// Nobody will read events any more: they are dropped.
    public func didTerminate() { produceMore() }
}
