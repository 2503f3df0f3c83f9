import SDP
import Testing

@Suite struct MediaDirectionTests {
    @Test func reversingNamesTheSameAgreementFromTheOtherSide() {
        #expect(MediaDirection.sendOnly.reversed == .receiveOnly)
        #expect(MediaDirection.receiveOnly.reversed == .sendOnly)
        #expect(MediaDirection.sendReceive.reversed == .sendReceive)
        #expect(MediaDirection.inactive.reversed == .inactive)
    }

    @Test(arguments: MediaDirection.allCases)
    func anAnswerNeverClaimsMoreThanTheOfferGrants(offered: MediaDirection) {
        let answer = offered.answer(sends: true, receives: true)
        #expect(answer == offered.reversed)
        #expect(offered.answer(sends: false, receives: false) == .inactive)
        #expect(offered.answer(sends: false, receives: true).receives == offered.sends)
        #expect(!offered.answer(sends: false, receives: true).sends)
    }
}
