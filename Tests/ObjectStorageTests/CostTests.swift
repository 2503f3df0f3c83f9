import Testing
import Workbench

@testable import ObjectStorage

/// A store's answers are untrusted bytes.
@Suite struct CostTests {
    @Test(arguments: ["<Key>", "<Key>x</Key>", "</Key>", "<Ke", "&amp;", "<Key><Key>"])
    func ofAnAnswer(piece: String) {
        let growth = Growth.of(200) {
            String(repeating: piece, count: $0)
        } body: {
            #expect(XMLText.values(of: "Key", in: Array($0.utf8)[...]).count <= 1000)
        }
        #expect(growth < Growth.tolerated)
    }
}
