import MediaKernel
import Testing

@testable import WebPage

/// When a page is shown, loaded anew, and given up.
@Suite struct PageWatchTests {
    private typealias Watch = PageWatch

    private func at(_ seconds: Double) -> Instant {
        Instant.zero + .milliseconds(Int(seconds * 1000))
    }

    private func loading(_ rules: PageWatch.Rules = PageWatch.Rules()) -> PageWatch {
        PageWatch(rules: rules, at: at(0))
    }

    @Test func aPageIsShownOnceItHasPaintedAndIsQuiet() {
        var watch = loading()
        #expect(watch.handle(.committed, at: at(1)) == nil)
        #expect(watch.handle(.answered(status: 200), at: at(1)) == nil)
        #expect(watch.handle(.quiet, at: at(2)) == nil, "blank pages are quiet too")
        #expect(watch.handle(.painted, at: at(3)) == .show)
        #expect(watch.handle(.quiet, at: at(4)) == nil, "only once")
    }

    @Test func aPageThatNeverStopsLoadingIsShownSomeTimeAfterItsFirstPaint() {
        var watch = loading()
        #expect(watch.handle(.painted, at: at(2)) == nil)
        #expect(watch.nextDeadline == at(12))
        #expect(watch.timePassed(at: at(11.9)) == nil)
        #expect(watch.timePassed(at: at(12)) == .show)
    }

    @Test func aPageThatWasAskedToWaitIsShownWhenItSaysSo() {
        var watch = loading(PageWatch.Rules(awaitsSignal: true))
        #expect(watch.handle(.painted, at: at(1)) == nil)
        #expect(watch.handle(.quiet, at: at(1)) == nil)
        #expect(watch.timePassed(at: at(29)) == nil)
        #expect(watch.handle(.said("START"), at: at(29)) == nil)
        #expect(watch.handle(.said("START_RECORDING"), at: at(29)) == .show)
    }

    @Test func aPageThatDoesNotStartIsLoadedAnewOnceAndThenGivenUpWithWhatWasSeen() {
        var watch = loading(PageWatch.Rules(awaitsSignal: true))
        _ = watch.handle(.committed, at: at(1))
        #expect(watch.timePassed(at: at(30)) == .reload("the page did not start within 30 s"))
        _ = watch.handle(.committed, at: at(31))
        _ = watch.handle(.answered(status: 200), at: at(31))
        _ = watch.handle(.complained("x is not defined"), at: at(32))
        #expect(
            watch.timePassed(at: at(60))
                == .fail(
                    "the page did not start within 30 s, twice (HTTP 200; blank; "
                        + "no START_RECORDING; console: x is not defined)"))
        #expect(watch.nextDeadline == nil && watch.handle(.painted, at: at(61)) == nil)
    }

    @Test func anErrorOfThePagesServerIsTriedOnceMore() {
        var watch = loading()
        #expect(watch.handle(.answered(status: 503), at: at(1)) == nil)
        #expect(watch.handle(.painted, at: at(2)) == nil, "the error is not what is streamed")
        #expect(watch.timePassed(at: at(4)) == .reload("the page's server answers HTTP 503"))
        #expect(
            watch.handle(.answered(status: 404), at: at(5))
                == .fail("the page's server answers HTTP 404 (HTTP 404; blank)"))
    }

    @Test func whatWaitingDoesNotMendIsGivenUpAtOnce() {
        var watch = loading()
        #expect(
            watch.handle(.unreachable("net::ERR_CERT_AUTHORITY_INVALID"), at: at(1))
                == .fail(
                    "the page cannot be loaded: net::ERR_CERT_AUTHORITY_INVALID "
                        + "(no answer from its server; blank)"))
        var refused = loading()
        _ = refused.handle(.refused("127.0.0.2:80 is refused"), at: at(1))
        #expect(
            refused.handle(.unreachable("net::ERR_TUNNEL_CONNECTION_FAILED"), at: at(1))
                == .fail(
                    "the page cannot be loaded: net::ERR_TUNNEL_CONNECTION_FAILED "
                        + "(no answer from its server; blank; 127.0.0.2:80 is refused)"))
        var unreachable = loading()
        #expect(unreachable.handle(.unreachable("net::ERR_CONNECTION_REFUSED"), at: at(1)) == nil)
        #expect(unreachable.timePassed(at: at(4)) != nil, "its server may only be starting")
    }

    @Test func aShownPageThatCrashesIsLoadedAnewAndIsStillTheSamePicture() {
        var watch = loading()
        _ = watch.handle(.quiet, at: at(1))
        #expect(watch.handle(.painted, at: at(1)) == .show)
        for second in [10.0, 20, 30] {
            #expect(watch.handle(.crashed("gone"), at: at(second)) == .reload("gone"))
            _ = watch.handle(.quiet, at: at(second + 1))
            #expect(watch.handle(.painted, at: at(second + 1)) == nil, "it is shown already")
        }
        #expect(
            watch.handle(.crashed("gone"), at: at(40))
                == .fail("gone, 4 times (no answer from its server; painted)"))
    }

    @Test func crashesFarApartAreForgotten() {
        var watch = loading()
        _ = watch.handle(.quiet, at: at(1))
        _ = watch.handle(.painted, at: at(1))
        for hour in 1...8 {
            #expect(watch.handle(.crashed("gone"), at: at(Double(hour) * 3600)) == .reload("gone"))
        }
    }

    @Test func aShownPageThatHangsIsLoadedAnew() {
        var watch = loading()
        _ = watch.handle(.quiet, at: at(1))
        _ = watch.handle(.painted, at: at(1))
        #expect(watch.handle(.alive, at: at(15)) == nil)
        #expect(watch.timePassed(at: at(34)) == nil)
        #expect(
            watch.timePassed(at: at(35)) == .reload("the page has not reacted for 20 s"))
    }

    @Test(arguments: [
        (PageWatch.Fact.said("END_RECORDING"), "the page said END_RECORDING"),
        (.closed, "the page closed itself"),
    ])
    func aPageEndsItsStream(fact: PageWatch.Fact, reason: String) {
        var watch = loading()
        _ = watch.handle(.quiet, at: at(1))
        _ = watch.handle(.painted, at: at(1))
        #expect(watch.handle(fact, at: at(2)) == .end(reason))
        #expect(watch.handle(.crashed("gone"), at: at(3)) == nil)
    }
}
