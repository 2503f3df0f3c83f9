/// Roomcast's version, by Semantic Versioning; `docs/CHANGELOG.md` describes it.
public enum Version {
    public static let current = "0.1.0-dev"
}
