extension BotReport {
    /// A line of the bot's log, for the operator's page. The log itself is on standard error.
    public struct LogLine: Hashable, Sendable, Codable {
        /// In Unicode scalars: a line of a report has to hold them all.
        public static let messageMaximum = 1000
        public static let valueMaximum = 300
        static let nameMaximum = 60
        public static let fieldsMaximum = 16

        public var logger: String
        public var level: String
        public var message: String
        public var fields: [Field]

        public struct Field: Hashable, Sendable, Codable {
            public var name: String
            public var value: String

            public init(name: String, value: String) {
                self.name = name
                self.value = value
            }
        }

        /// Longer texts are cut, more fields left out.
        public init(
            logger: String, level: String, message: String, fields: [(name: String, value: String)]
        ) {
            self.logger = BotReport.cut(logger, Self.nameMaximum)
            self.level = level
            self.message = BotReport.cut(message, Self.messageMaximum)
            self.fields = fields.prefix(Self.fieldsMaximum).map {
                Field(
                    name: BotReport.cut($0.name, Self.nameMaximum),
                    value: BotReport.cut($0.value, Self.valueMaximum))
            }
        }
    }
}
