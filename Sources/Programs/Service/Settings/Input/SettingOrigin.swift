/// Where a setting's value comes from.
enum SettingOrigin: Hashable, CustomStringConvertible {
    /// Of the command line: `--port`.
    case option(String)
    case variable(String)
    case file(String, line: Int)

    var description: String {
        switch self {
        case .option(let name), .variable(let name): name
        case .file(let file, let line): "\(file):\(line)"
        }
    }
}
