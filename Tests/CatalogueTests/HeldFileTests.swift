import Foundation
import Glibc
import MediaKernel
import Testing
import Workbench

@testable import Catalogue

@Suite struct HeldFileTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func file(_ name: String) throws -> HeldFile {
        let path = "\(scratch.path)/\(name)"
        try Data("x".utf8).write(to: URL(filePath: path))
        return try #require(HeldFile(path))
    }

    @Test func aFileThatIsDeletedIsLostUntilItIsBack() throws {
        let file = try file("a")
        #expect(file.loss == nil)
        rename(file.path, "\(file.path).away")
        #expect(file.loss == .deleted)
        rename("\(file.path).away", file.path)
        #expect(file.loss == nil)
        unlink(file.path)
        #expect(file.loss == .deleted)
    }

    @Test func aFileInItsPlaceIsAnother() throws {
        let held = try file("a")
        // Its inode is kept, so no new file can get its number.
        for _ in 0..<8 {
            unlink(held.path)
            _ = try file("a")
            #expect(held.loss == .replaced)
        }
    }

    @Test func directoriesAreHeldAlike() throws {
        let path = "\(scratch.path)/d"
        mkdir(path, 0o755)
        let held = try #require(HeldFile(path))
        rmdir(path)
        #expect(held.loss == .deleted)
        mkdir(path, 0o755)
        #expect(held.loss == .replaced)
        #expect(HeldFile("\(path)/none") == nil)
    }

    @Test func aFileBelowAFileIsGoneAndALoopCannotBeLookedAt() throws {
        mkdir("\(scratch.path)/d", 0o755)
        let held = try file("d/a")
        rename("\(scratch.path)/d", "\(scratch.path)/e")
        _ = try file("d")
        #expect(held.loss == .deleted)
        unlink("\(scratch.path)/d")
        symlink("d", "\(scratch.path)/d")
        #expect(held.loss == .unreachable(ELOOP))
    }

    @Test(arguments: ["", "-wal", "-shm"])
    func aCatalogueThatIsDeletedTakesNothingMore(suffix: String) async throws {
        let path = "\(scratch.path)/catalogue.sqlite"
        let catalogue = try Catalogue(path: path)
        #expect(catalogue.files.count == 3)
        try await catalogue.checkWritable()
        rename(path + suffix, "\(path).away")
        await #expect(throws: CatalogueError.lost(.deleted)) {
            try await catalogue.checkWritable()
        }
        let room = CatalogueRoom(id: "hall", name: "hall", createdAt: UnixTime(seconds: 1))
        await #expect(throws: CatalogueError.lost(.deleted)) {
            try await catalogue.registerRoom(room, otherName: "hall.1")
        }
        // Known facts can still be read.
        #expect(try await catalogue.room("hall") == nil)
        rename("\(path).away", path + suffix)
        try await catalogue.checkWritable()
    }
}
