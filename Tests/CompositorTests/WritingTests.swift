import Codec
import Foundation
import Stage
import Testing

@testable import Compositor

/// Text on tiles and slates is readable in every script.
@Suite struct WritingTests {
    /// A name or a word in each script in use today.
    static let scripts: [(script: String, name: String)] = [
        ("Latin", "Zoë Łukasz Nguyễn Ẹ̀kọ́ Ɓaŋ"), ("Greek", "Ναταλία Ἀθηνᾶ"),
        ("Cyrillic", "Вера Ђорђе Әлия Ӷ"),
        ("Armenian", "Արամ Խաչատրյան"), ("Georgian", "ნინო ბერიძე"), ("Hebrew", "דוד בן־גוריון"),
        ("Arabic", "ليلى العلي پرویز ٹیپو"), ("Syriac", "ܣܘܪܝܝܐ"), ("Thaana", "ދިވެހި"),
        ("N'Ko", "ߒߞߏ"), ("Adlam", "𞤀𞤁𞤂𞤃"), ("Ethiopic", "አበበ ቢቂላ"), ("Devanagari", "अनिता देसाई"),
        ("Bengali", "রবীন্দ্রনাথ"), ("Gurmukhi", "ਗੁਰਪ੍ਰੀਤ"), ("Gujarati", "નરેન્દ્ર"), ("Odia", "ଜଗନ୍ନାଥ"),
        ("Tamil", "தமிழ்ச்செல்வி"), ("Telugu", "శ్రీనివాస్"), ("Kannada", "ಕೃಷ್ಣಮೂರ್ತಿ"),
        ("Malayalam", "ശ്രീകുമാർ"), ("Sinhala", "ශ්‍රී ලංකා"), ("Thai", "สมชาย ใจดี"), ("Lao", "ບຸນມີ"),
        ("Khmer", "សុខា ក្រុម"), ("Myanmar", "အောင်ဆန်း"), ("Tibetan", "བསྟན་འཛིན་རྒྱ་མཚོ"),
        ("Mongolian", "ᠮᠣᠩᠭᠣᠯ"), ("Han", "王小明 黃麗華 齋藤 さくら"), ("Kana", "さくら サクラ ｻｸﾗ"),
        ("Hangul", "김민수 박지성 뷁"), ("Jamo", "ㅋㅋㅋ"), ("Bopomofo", "ㄅㄆㄇ"), ("Yi", "ꆈꌠꉙ"),
        ("Cherokee", "ᏣᎳᎩ ꮳꮃꭹ"), ("Canadian", "ᐃᓄᒃᑎᑐᑦ"), ("Tifinagh", "ⵜⵉⴼⵉⵏⴰⵖ"), ("Vai", "ꕙꔤ"),
        ("Bamum", "ꚠꚡꚢ"), ("Lisu", "ꓡꓲꓢꓴ"), ("Miao", "𖼀𖼁𖼂"), ("Ol Chiki", "ᱥᱟᱱᱛᱟᱲᱤ"),
        ("Meetei Mayek", "ꯃꯅꯤꯄꯨꯔ"), ("Chakma", "𑄌𑄋𑄴𑄟𑄳𑄦"), ("Lepcha", "ᰛᰩᰵ"), ("Limbu", "ᤕᤠᤰᤌᤢᤱ"),
        ("Balinese", "ᬩᬮᬶ"), ("Javanese", "ꦗꦮ"), ("Sundanese", "ᮞᮥᮔ᮪ᮓ"), ("Buginese", "ᨒᨚᨈᨑ"),
        ("Batak", "ᯅᯖᯂ᯲"), ("Cham", "ꨌꩌ"), ("Kayah Li", "ꤊꤢꤛꤢ꤭"), ("Tai Le", "ᥖᥭᥰ"),
        ("New Tai Lue", "ᦎᦺᦟᦹᧉ"), ("Tai Tham", "ᨲᩫ᩠ᩅ"), ("Tai Viet", "ꪼꪕ"), ("Saurashtra", "ꢱꣃꢬꢵ"),
        ("Sylheti", "ꠍꠤꠟꠐꠤ"), ("Newa", "𑐣𑐾𑐥𑐵𑐮"), ("Warang Citi", "𑢹𑢺𑢻"), ("Mro", "𖩃𖩓𖩑"),
        ("Osage", "𐓏𐓘𐓻𐓘𐓻𐓟"), ("Rohingya", "𐴌𐴗𐴥"), ("Wancho", "𞋒𞋀𞋉"), ("Hmong", "𞄀𞄄𞄰"),
        ("Gunjala Gondi", "𑵠𑵡𑵢"), ("Masaram Gondi", "𑴀𑴁𑴂"), ("Mandaic", "ࡌࡀࡍ"),
        ("Samaritan", "ࠔࠌࠓ"),
        ("Coptic", "ⲘⲉⲧⲢⲉⲙ"), ("Bassa Vah", "𖫢𖫧𖫳"), ("Pahawh Hmong", "𖬖𖬰𖬝"), ("Sora", "𑃐𑃑𑃒"),
        ("Khojki", "𑈀𑈁𑈂"), ("Pau Cin Hau", "𑫀𑫁𑫂"),
        ("symbols", "★ ♥ ☂ → ∞ ½ № ™ ♫ ⚡ ✓ €₹₿"), ("mathematical letters", "𝓐𝓷𝓷 𝔾 ⓐ"),
        ("emoji", "🎉 👩‍👩‍👧 🇰🇷🏴󠁧󠁢󠁷󠁬󠁳󠁿 👋🏽 👩🏿‍💻 ❤️ 1️⃣"),
    ]

    @Test(arguments: scripts)
    func aNameIsWrittenInItsScript(script: String, name: String) throws {
        #expect(try line(name)?.text == name, "no font has all of it")
        #expect(try inkedPixels(ofLabel: name) > 40)
    }

    /// In a process of their own: Cairo would end this one.
    @Test func severalThreadsWriteAtOnce() async {
        await #expect(processExitsWith: .success) { WritingTests.writeInThreads(6) }
    }

    private static func writeInThreads(_ count: Int) {
        let ended = DispatchSemaphore(value: 0)
        for thread in 0..<count {
            Thread.detachNewThread {
                for round in 0..<20 {
                    for (index, one) in scripts.enumerated() where index % 2 == round % 2 {
                        let height = 60 + 2 * ((thread * 7 + round * 3 + index) % 40)
                        _ = try? SlateRenderer().slate(width: 160, height: height, room: one.name)
                    }
                }
                ended.signal()
            }
        }
        for _ in 0..<count { ended.wait() }
    }

    @Test(arguments: scripts)
    func nothingIsCutOffAboveOrBelow(script: String, name: String) throws {
        let label = try #require(try label(name))
        for row in [0, label.height - 1] {
            #expect(!label.inked.contains { $0.y == row }, "row \(row) of \(label.height)")
        }
    }

    @Test(arguments: scripts)
    func aRoomsNameIsOnItsSlate(script: String, name: String) throws {
        let slates = SlateRenderer()
        let named = try slates.slate(width: 640, height: 360, room: name)
        let unnamed = try slates.slate(width: 640, height: 360, room: "")
        #expect(brightPixels(named) > brightPixels(unnamed) + 40)
    }

    /// Each is one glyph: drawn one after another, its parts would be wider.
    @Test(arguments: ["👩‍👩‍👧", "🇰🇷", "🏴󠁧󠁢󠁷󠁬󠁳󠁿", "👋🏽", "👩🏿‍💻", "1️⃣"])
    func anEmojiOfSeveralCharactersIsOnePicture(emoji: String) throws {
        let one = try #require(try line("👋")?.width)
        let sequence = try #require(try line(emoji))
        #expect(sequence.text == emoji)
        #expect(sequence.width < one * 1.2)
    }

    /// U+10FFFD is private, U+0378 is not assigned.
    @Test func whatNoFontHasIsAQuestionMark() throws {
        #expect(try line("Ann \u{10FFFD}")?.text == "Ann ?")
        #expect(try line("Ann \u{378} 김")?.text == "Ann ? 김")
        #expect(try line("\u{10FFFD}\u{10FFFD}")?.text == "??")
        #expect(try inkedPixels(ofLabel: "\u{10FFFD}\u{10FFFD}") > 40)
        #expect(try inkedPixels(ofLabel: "\u{378}") > 20)
    }

    private func line(_ text: String) throws -> (text: String, width: Double)? {
        let surface = try DrawingSurface(width: 2, height: 2)
        guard let line = surface.line(text, size: 30, isBold: false, widthMaximum: 2000) else {
            return nil
        }
        return (line.text, line.width)
    }

    private func inkedPixels(ofLabel name: String) throws -> Int {
        try label(name)?.inked.count ?? 0
    }

    /// A label, and the places where its dark ground has bright or coloured pixels.
    private struct Label {
        let height: Int
        let inked: [(x: Int, y: Int)]
    }

    private func label(_ name: String) throws -> Label? {
        let key = LabelRenderer.Key(
            label: TileLabel(name: name, isMuted: false), size: 30, widthMaximum: 640)
        guard let overlay = try LabelRenderer().overlay(key) else { return nil }
        let inked = (0..<overlay.width * overlay.height).filter { overlay.planes[$0] > 110 }
            .map { (x: $0 % overlay.width, y: $0 / overlay.width) }
        return Label(height: overlay.height, inked: inked)
    }

    private func brightPixels(_ frame: VideoFrame) -> Int {
        frame.withPlanes { planes in
            (0..<planes.y.height).reduce(0) { sum, y in
                sum + (0..<planes.y.width).count { planes.y[$0, y] > 100 }
            }
        }
    }
}
