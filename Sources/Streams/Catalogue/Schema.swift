import GRDB

/// The tables, and the migrations from earlier versions.
///
/// A released migration is never changed; a new one follows it.
enum Schema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 streams, assets, deliveries") { database in
            try database.execute(sql: streams)
            try database.execute(sql: assets)
            try database.execute(sql: deliveries)
        }
        migrator.registerMigration("2 open sessions") { database in
            try database.execute(sql: sessions)
        }
        migrator.registerMigration("3 object storage") { database in
            try database.execute(sql: uploads)
        }
        migrator.registerMigration("4 kinds of streams") { database in
            try database.execute(sql: kinds)
        }
        migrator.registerMigration("5 thumbnails") { database in
            try database.execute(sql: "ALTER TABLE asset ADD COLUMN thumbnails TEXT")
        }
        migrator.registerMigration("6 rooms") { database in
            try database.execute(sql: rooms)
        }
        migrator.registerMigration("7 room codes") { database in
            try database.execute(sql: roomCodes)
        }
        migrator.registerMigration("8 templates") { database in
            try database.execute(sql: templates)
        }
        migrator.registerMigration("9 lines of deliveries") { database in
            try database.execute(sql: deliveryLines)
        }
        migrator.registerMigration("10 past deliveries") { database in
            try database.execute(sql: pastDeliveries)
        }
        migrator.registerMigration("11 several room codes of a role") { database in
            try database.execute(sql: severalRoomCodes)
        }
        migrator.registerMigration("12 rooms of a template") { database in
            try database.execute(sql: roomsOfTemplate)
        }
        migrator.registerMigration("13 webhooks of rooms") { database in
            try database.execute(sql: "ALTER TABLE room ADD COLUMN webhook TEXT")
        }
        migrator.registerMigration("14 sessions that are over") { database in
            try database.execute(sql: pastSessions)
        }
        migrator.registerMigration("15 ends of streams") { database in
            try database.execute(sql: ends)
        }
        migrator.registerMigration("16 tracks") { database in
            try database.execute(sql: "ALTER TABLE asset ADD COLUMN track TEXT")
        }
        migrator.registerMigration("17 transcripts") { database in
            try database.execute(sql: "ALTER TABLE asset ADD COLUMN transcript TEXT")
        }
        migrator.registerMigration("18 group calls") { database in
            try database.execute(sql: groupCalls)
        }
        migrator.registerMigration("19 labels of recordings") { database in
            try database.execute(sql: labels)
        }
        migrator.registerMigration("20 receivers of deliveries") { database in
            try database.execute(sql: "ALTER TABLE delivery ADD COLUMN receiver TEXT")
        }
        migrator.registerMigration("21 backlogs of receivers") { database in
            try database.execute(sql: backlogs)
        }
        migrator.registerMigration("22 notes on recordings") { database in
            try database.execute(sql: recordingNotes)
        }
        return migrator
    }

    // Each list is sorted by (created, id), newest first, with at most one filter column before
    // them. So a page reads only its own rows, however many there are.

    private static let streams = """
        CREATE TABLE stream (
            id TEXT PRIMARY KEY NOT NULL, room TEXT NOT NULL, session TEXT, status TEXT NOT NULL,
            reason TEXT, created INTEGER NOT NULL, updated INTEGER NOT NULL, stopped INTEGER,
            directory TEXT NOT NULL, assetDirectory TEXT, details TEXT NOT NULL
        ) STRICT;
        CREATE INDEX streamByTime ON stream (created, id);
        CREATE INDEX streamByRoom ON stream (room, created, id);
        CREATE INDEX streamBySession ON stream (session, created, id);
        CREATE INDEX streamByStatus ON stream (status, created, id);
        CREATE INDEX streamRecorded ON stream (created, id) WHERE assetDirectory IS NOT NULL;
        """

    /// A server can have many more recordings than live streams; lists of live streams must not
    /// walk them.
    private static let kinds = """
        ALTER TABLE stream ADD COLUMN kind TEXT NOT NULL DEFAULT 'hls';
        CREATE INDEX liveByTime ON stream (created, id) WHERE kind = 'hls';
        CREATE INDEX liveByRoom ON stream (room, created, id) WHERE kind = 'hls';
        CREATE INDEX liveBySession ON stream (session, created, id) WHERE kind = 'hls';
        CREATE INDEX liveByStatus ON stream (status, created, id) WHERE kind = 'hls';
        """

    /// Recordings that an application knows by ids of its own, in the order of the ids and in that of
    /// their beginnings.
    private static let labels = """
        ALTER TABLE stream ADD COLUMN label TEXT;
        CREATE INDEX streamByLabel ON stream (label, created, id) WHERE label IS NOT NULL;
        CREATE INDEX streamLabelled ON stream (created, id) WHERE label IS NOT NULL;
        """

    /// Earlier versions stored the reason of a stream's end in words only, with a prefix for
    /// failures.
    private static let ends = """
        ALTER TABLE stream RENAME COLUMN reason TO endDetail;
        ALTER TABLE stream ADD COLUMN endCode TEXT;
        UPDATE stream SET endCode = CASE endDetail
            WHEN 'client request' THEN 'stopped'
            WHEN 'last peer left' THEN 'last_peer_left'
            WHEN 'nothing published' THEN 'nothing_published'
            WHEN 'max duration reached' THEN 'duration_reached'
            WHEN 'room ended' THEN 'room_ended'
            WHEN 'server shutdown' THEN 'server_stopped'
            WHEN 'another variant cannot be started' THEN 'variant_refused'
            WHEN 'failure: the server was restarted' THEN 'server_restarted'
            ELSE iif(endDetail LIKE 'failure: %', 'failed', 'bot_left') END
            WHERE endDetail IS NOT NULL;
        UPDATE stream SET endDetail = CASE
            WHEN endCode = 'bot_left' THEN endDetail
            WHEN endDetail LIKE 'failure: %' THEN substr(endDetail, 10) END
            WHERE endDetail IS NOT NULL;
        """

    private static let assets = """
        CREATE TABLE asset (
            id TEXT PRIMARY KEY NOT NULL, stream TEXT NOT NULL, room TEXT NOT NULL, session TEXT,
            kind TEXT NOT NULL, status TEXT NOT NULL, path TEXT NOT NULL, bytes INTEGER NOT NULL,
            duration INTEGER, created INTEGER NOT NULL, expires INTEGER, width INTEGER,
            height INTEGER, layer INTEGER, layers INTEGER
        ) STRICT;
        CREATE INDEX assetByTime ON asset (created, id);
        CREATE INDEX assetByRoom ON asset (room, created, id);
        CREATE INDEX assetBySession ON asset (session, created, id);
        CREATE INDEX assetByStatus ON asset (status, created, id);
        CREATE INDEX assetByStream ON asset (stream, created, id);
        CREATE INDEX assetByExpiry ON asset (expires) WHERE status = 'completed';
        """

    private static let deliveries = """
        CREATE TABLE delivery (
            number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, line TEXT NOT NULL,
            room TEXT NOT NULL, kind TEXT NOT NULL, terminal INTEGER NOT NULL,
            body BLOB NOT NULL,
            created INTEGER NOT NULL, status TEXT NOT NULL, attempts INTEGER NOT NULL,
            due INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX deliveryByStatus ON delivery (status, number);
        CREATE INDEX deliveryByRoom ON delivery (room, number);
        CREATE INDEX deliveryByLine ON delivery (line, number);
        CREATE UNIQUE INDEX deliveryTerminal ON delivery (line) WHERE terminal = 1;
        """

    /// Finds pending deliveries: the first one of each line, and its successors.
    private static let deliveryLines = """
        CREATE INDEX deliveryPending ON delivery (line, number, due) WHERE status = 'pending';
        """

    /// For ended deliveries, `due` is the time of the end.
    private static let pastDeliveries = """
        CREATE INDEX deliveryPast ON delivery (due) WHERE status IN ('delivered', 'failed');
        """

    /// What waits for the receivers that have names, by room: it is limited, and adding it up anew
    /// for each event would cost as much as there is. `keeping` is 3 for 100ms' events, which have
    /// a history; of others nothing is kept once they have ended, or only the id. The 512 bytes are
    /// those of a row without its body.
    private static let backlogs = """
        ALTER TABLE delivery ADD COLUMN keeping INTEGER NOT NULL DEFAULT 3;
        UPDATE delivery SET keeping = CASE kind
            WHEN 'signalSent' THEN 0 WHEN 'recordingStatusChanged' THEN 2 ELSE 1 END
            WHERE receiver IS NOT NULL;
        DELETE FROM delivery WHERE keeping < 2 AND status <> 'pending';
        UPDATE delivery SET body = x'' WHERE keeping = 2 AND status <> 'pending';
        CREATE INDEX deliveryBacklog ON delivery (receiver, room, keeping, number)
            WHERE receiver IS NOT NULL AND status = 'pending';
        CREATE TABLE backlog (
            receiver TEXT NOT NULL, room TEXT NOT NULL, bytes INTEGER NOT NULL,
            PRIMARY KEY (receiver, room)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO backlog SELECT receiver, room, sum(length(body) + 512) FROM delivery
            WHERE receiver IS NOT NULL AND status = 'pending' GROUP BY receiver, room;
        CREATE TRIGGER deliveryWaits AFTER INSERT ON delivery
            WHEN NEW.receiver IS NOT NULL AND NEW.status = 'pending' BEGIN
            INSERT OR IGNORE INTO backlog VALUES (NEW.receiver, NEW.room, 0);
            UPDATE backlog SET bytes = bytes + length(NEW.body) + 512
                WHERE receiver = NEW.receiver AND room = NEW.room;
        END;
        CREATE TRIGGER deliveryEnds AFTER UPDATE OF status ON delivery
            WHEN OLD.receiver IS NOT NULL AND OLD.status = 'pending' AND NEW.status <> 'pending'
            BEGIN
            UPDATE backlog SET bytes = bytes - length(OLD.body) - 512
                WHERE receiver = OLD.receiver AND room = OLD.room;
            DELETE FROM backlog
                WHERE receiver = OLD.receiver AND room = OLD.room AND bytes <= 0;
        END;
        CREATE TRIGGER deliveryGoes AFTER DELETE ON delivery
            WHEN OLD.receiver IS NOT NULL AND OLD.status = 'pending' BEGIN
            UPDATE backlog SET bytes = bytes - length(OLD.body) - 512
                WHERE receiver = OLD.receiver AND room = OLD.room;
            DELETE FROM backlog
                WHERE receiver = OLD.receiver AND room = OLD.room AND bytes <= 0;
        END;
        """

    /// Names of recordings, in the form of searches too, and the times of deletions.
    private static let recordingNotes = """
        CREATE TABLE recordingNote (
            id TEXT PRIMARY KEY NOT NULL, name TEXT, nameKey TEXT, deleted INTEGER
        ) STRICT;
        """

    private static let sessions = """
        CREATE TABLE openSession (
            id TEXT PRIMARY KEY NOT NULL, room TEXT NOT NULL, roomName TEXT NOT NULL,
            template TEXT NOT NULL, started INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE attendee (
            session TEXT NOT NULL, number INTEGER NOT NULL, peer TEXT NOT NULL,
            user TEXT NOT NULL, name TEXT NOT NULL, data TEXT NOT NULL, role TEXT NOT NULL,
            joined INTEGER NOT NULL, PRIMARY KEY (session, number)
        ) STRICT;
        """

    /// A current session has no end, and neither have the stays of present attendees. They are few
    /// rows, with indexes of their own.
    private static let pastSessions = """
        CREATE TABLE session (
            id TEXT PRIMARY KEY NOT NULL, room TEXT NOT NULL, roomName TEXT NOT NULL,
            template TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL,
            ended INTEGER
        ) STRICT;
        CREATE TABLE stay (
            session TEXT NOT NULL, number INTEGER NOT NULL, peer TEXT NOT NULL,
            user TEXT NOT NULL, name TEXT NOT NULL, data TEXT NOT NULL, role TEXT NOT NULL,
            joined INTEGER NOT NULL, ended INTEGER, PRIMARY KEY (session, number)
        ) STRICT;
        INSERT INTO session SELECT id, room, roomName, template, started, started, NULL
            FROM openSession;
        INSERT INTO stay SELECT session, number, peer, user, name, data, role, joined, NULL
            FROM attendee;
        DROP TABLE openSession;
        DROP TABLE attendee;
        CREATE INDEX sessionByTime ON session (created, id);
        CREATE INDEX sessionByRoom ON session (room, created, id);
        CREATE INDEX sessionOpen ON session (created, id) WHERE ended IS NULL;
        CREATE INDEX sessionOver ON session (created, id) WHERE ended IS NOT NULL;
        CREATE INDEX sessionByEnd ON session (ended) WHERE ended IS NOT NULL;
        CREATE INDEX stayOpen ON stay (session, number) WHERE ended IS NULL;
        """

    /// The two indexes contain only pending work, which is little.
    private static let uploads = """
        ALTER TABLE asset ADD COLUMN location TEXT;
        CREATE INDEX assetToUpload ON asset (created, id)
            WHERE status = 'completed' AND location IS NULL;
        CREATE INDEX assetToRemove ON asset (created, id)
            WHERE status = 'expired' AND location IS NOT NULL;
        CREATE TABLE upload (
            asset TEXT PRIMARY KEY NOT NULL, progress TEXT NOT NULL, bytes INTEGER NOT NULL,
            failures INTEGER NOT NULL, reason TEXT
        ) STRICT;
        """

    /// `nameKey` is the name in lower case.
    private static let rooms = """
        CREATE TABLE room (
            id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, nameKey TEXT NOT NULL UNIQUE,
            description TEXT NOT NULL, enabled INTEGER NOT NULL, size INTEGER NOT NULL,
            large INTEGER NOT NULL, maxSeconds INTEGER, created INTEGER NOT NULL,
            updated INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX roomByTime ON room (created, id);
        CREATE INDEX roomByState ON room (enabled, created, id);
        """

    /// The code is the id.
    private static let roomCodes = """
        CREATE TABLE roomCode (
            id TEXT PRIMARY KEY NOT NULL, room TEXT NOT NULL, role TEXT NOT NULL,
            enabled INTEGER NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL,
            UNIQUE (room, role)
        ) STRICT;
        CREATE INDEX roomCodeByRoom ON roomCode (room, created, id);
        """

    /// A room without a template uses the policy file.
    private static let templates = """
        CREATE TABLE template (
            id TEXT PRIMARY KEY NOT NULL, name TEXT NOT NULL, nameKey TEXT NOT NULL UNIQUE,
            document TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX templateByTime ON template (created, id);
        ALTER TABLE room ADD COLUMN template TEXT;
        """

    /// SQLite can only drop a constraint together with its table.
    private static let severalRoomCodes = """
        CREATE TABLE newRoomCode (
            id TEXT PRIMARY KEY NOT NULL, room TEXT NOT NULL, role TEXT NOT NULL,
            enabled INTEGER NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL
        ) STRICT;
        INSERT INTO newRoomCode (id, room, role, enabled, created, updated)
            SELECT id, room, role, enabled, created, updated FROM roomCode;
        DROP TABLE roomCode;
        ALTER TABLE newRoomCode RENAME TO roomCode;
        CREATE INDEX roomCodeByRoom ON roomCode (room, created, id);
        """

    /// Lists by template also filter by state.
    private static let roomsOfTemplate = """
        CREATE INDEX roomByTemplate ON room (template, enabled, created, id);
        """

    /// A group call has the id of its room.
    private static let groupCalls = """
        CREATE TABLE groupCall (
            id TEXT PRIMARY KEY NOT NULL, type TEXT NOT NULL, state TEXT NOT NULL,
            items TEXT NOT NULL, itemsVersion INTEGER NOT NULL, creator TEXT NOT NULL,
            image TEXT, created INTEGER NOT NULL, deleted INTEGER, deleter TEXT
        ) STRICT;
        CREATE INDEX groupCallByTime ON groupCall (created, id);
        CREATE INDEX groupCallByState ON groupCall (state, created, id);
        CREATE INDEX groupCallByCreator ON groupCall (creator, created, id);
        CREATE TABLE invitation (
            id TEXT PRIMARY KEY NOT NULL, room TEXT NOT NULL, inviter TEXT,
            invitee TEXT NOT NULL, role TEXT NOT NULL, created INTEGER NOT NULL,
            expires INTEGER NOT NULL, state TEXT NOT NULL
        ) STRICT;
        CREATE INDEX invitationByRoom ON invitation (room, created, id);
        CREATE INDEX invitationPending ON invitation (room, expires) WHERE state = 'pending';
        CREATE INDEX invitationByExpiry ON invitation (expires);
        """
}
