import ObjectStorage
import Testing
import Workbench

/// A store's answers are untrusted bytes.
@Suite struct CostTests {
    @Test(arguments: [
        "<Upload ", "<Upload>", "<Upload", "<", "<Error>", "</Upload>", "&amp;", "a", " ",
        "<Upload/>", "<Upload><Key>k</Key></Upload>", "<Upload><UploadId>u</UploadId></Upload>",
    ])
    func ofAnAnswer(piece: String) {
        let growth = Growth.of(500) {
            Array("<R>\(String(repeating: piece, count: $0))</R>".utf8)
        } body: {
            let answer = StoreAnswer(status: 400, body: $0)
            _ = (answer.reason, answer.uploadID, answer.uploadIDs(to: "a"))
        }
        #expect(growth < Growth.tolerated)
    }
}
