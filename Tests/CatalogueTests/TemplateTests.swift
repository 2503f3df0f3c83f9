import GRDB
import MediaKernel
import Testing

@testable import Catalogue

/// The templates of rooms' policies, which exist only in the catalogue.
@Suite struct TemplateTests {
    private func template(_ index: Int) -> CatalogueTemplate {
        CatalogueTemplate(
            id: "id\(index)", name: "Class \(index)", document: #"{"n":\#(index)}"#,
            createdAt: UnixTime(seconds: 1_770_000_000 + Int64(index)))
    }

    @discardableResult
    private func make(_ indices: Range<Int>, in catalogue: Catalogue) async throws -> Catalogue {
        for index in indices {
            #expect(try await catalogue.createTemplate(template(index)) == template(index))
        }
        return catalogue
    }

    @Test func aTemplateIsThereAfterOpeningAnew() async throws {
        let place = try Place()
        try await make(0..<2, in: place.open())
        let again = try place.open()
        #expect(try await again.template("id1") == template(1))
        #expect(try await again.template("id2") == nil)
    }

    @Test func aNamesakeInWhicheverCaseIsOverwritten() async throws {
        let place = try Place()
        let catalogue = try await make(0..<2, in: place.open())
        var namesake = template(7)
        namesake.name = "cLASS 1"
        var expected = namesake
        expected.id = "id1"
        expected.createdAt = template(1).createdAt
        #expect(try await catalogue.createTemplate(namesake) == expected)
        #expect(try await catalogue.template("id1") == expected)
        #expect(try await catalogue.template("id7") == nil)
        #expect(try await catalogue.template("id0") == template(0))
    }

    @Test func namesAreTakenInWhicheverCase() async throws {
        let place = try Place()
        let catalogue = try await make(0..<2, in: place.open())
        let update: TemplateUpdate<Never> = try await catalogue.updateTemplate(
            "id0", at: UnixTime(seconds: 1_780_000_000)
        ) { template in
            template.name = "CLASS 1"
            return nil
        }
        guard case .nameTaken(by: "id1") = update else {
            Issue.record("the name was not taken: \(update)")
            return
        }
        #expect(try await catalogue.template("id0") == template(0))
    }

    @Test func aChangeIsWrittenOrRefused() async throws {
        let place = try Place()
        let catalogue = try await make(0..<1, in: place.open())
        let now = UnixTime(seconds: 1_780_000_000)
        for refusal in ["no", nil] {
            let update = try await catalogue.updateTemplate("id0", at: now) { template in
                template.name = "Other"
                template.document = "{}"
                return refusal
            }
            switch update {
            case .refused(let reason):
                #expect(reason == "no")
                #expect(try await catalogue.template("id0") == template(0))
            case .updated(let changed):
                #expect(refusal == nil && changed.updatedAt == now)
                #expect(changed.name == "Other" && changed.createdAt == template(0).createdAt)
                #expect(try await catalogue.template("id0") == changed)
            default: Issue.record("\(update)")
            }
        }
        let none: TemplateUpdate<Never> = try await catalogue.updateTemplate("x", at: now) { _ in
            nil
        }
        guard case .unknown = none else {
            Issue.record("\(none)")
            return
        }
    }

    @Test func aRoomHasTheTemplateThatItNames() async throws {
        let place = try Place()
        let catalogue = try await make(0..<1, in: place.open())
        #expect(try await catalogue.template(of: "hall") == .standard)
        for (name, expected) in [
            (nil, RoomTemplate.standard), ("id0", .written(template(0))),
            ("gone", .missing("gone")),
        ] as [(String?, RoomTemplate)] {
            let room = CatalogueRoom(
                id: "hall", name: "hall", template: name,
                createdAt: UnixTime(seconds: 1_770_000_000))
            _ = try await catalogue.registerRoom(room, otherName: "x")
            _ = try await catalogue.updateRoom("hall", at: room.createdAt) {
                $0.template = name
                return true
            }
            #expect(try await catalogue.room("hall")?.template == name)
            #expect(try await catalogue.template(of: "hall") == expected)
        }
    }

    @Test func aPageReadsNoOtherRows() async throws {
        let place = try Place()
        let catalogue = try await make(0..<25, in: place.open())
        let first = try await catalogue.templates(start: nil, limit: 10)
        #expect(first.records == (15..<25).reversed().map(template) && first.last == "id15")
        let rest = try await catalogue.templates(start: "id15", limit: 20)
        #expect(rest.records == (0..<15).reversed().map(template) && rest.last == nil)
        let plan = try await catalogue.read { database in
            try Row.fetchAll(
                database,
                sql: "EXPLAIN QUERY PLAN "
                    + PageStatement(table: "template", filters: [], start: "id15", limit: 10).sql,
                arguments: ["id15"]
            ).map { $0["detail"] as String }
        }
        #expect(plan.contains { $0.contains("templateByTime") })
        #expect(!plan.contains { $0.contains("TEMP B-TREE") })
    }
}
