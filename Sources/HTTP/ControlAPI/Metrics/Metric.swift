/// One metric for a monitoring system, in Prometheus' terms.
public struct Metric: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable {
        /// Only ever grows, from zero at the start of the process.
        case counter
        /// The present value.
        case gauge
        /// Counters of values up to each bound, of all values, and their sum.
        case histogram
    }

    /// The most samples of a metric that has one for each room or stream. Sums count the others, too.
    public static let sampledMaximum = 100

    public struct Sample: Hashable, Sendable {
        /// Of a histogram, what the sample tells, such as `_sum`; it follows the name.
        public var part: String
        /// Names and values, in the order of output.
        public var labels: [Label]
        public var value: Double

        public init(part: String = "", labels: [Label] = [], value: Double) {
            self.part = part
            self.labels = labels
            self.value = value
        }
    }

    public struct Label: Hashable, Sendable {
        public var name: String
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Letters, digits and `_`, ending with its unit, and for a counter with `_total` after that.
    public var name: String
    /// A sentence for people.
    public var help: String
    public var kind: Kind
    /// One for each combination of labels.
    public var samples: [Sample]

    public init(_ kind: Kind, _ name: String, help: String, samples: [Sample]) {
        self.kind = kind
        self.name = name
        self.help = help
        self.samples = samples
    }

    /// A figure without labels.
    public init(_ kind: Kind, _ name: String, help: String, _ value: Double) {
        self.init(kind, name, help: help, samples: [Sample(value: value)])
    }
}

/// A source of metrics.
public protocol MetricsSource: Sendable {
    func metrics() async -> [Metric]
}
