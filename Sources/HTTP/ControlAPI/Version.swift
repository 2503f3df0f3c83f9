/// Which Roomcast this is, by Semantic Versioning: `docs/CHANGELOG.md` says what is in it.
public enum Version {
    public static let current = "0.1.0-dev"
}
