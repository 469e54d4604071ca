-- The schema in SQLite's words; postgres.go translates it.
CREATE TABLE calls (
	id           TEXT PRIMARY KEY,
	mode         TEXT NOT NULL,
	context      TEXT NOT NULL,
	tenant       TEXT NOT NULL,
	policy       TEXT NOT NULL,
	strategy     TEXT NOT NULL,
	reason       TEXT NOT NULL,
	rate         REAL NOT NULL,
	estimated    REAL,
	missing      INTEGER NOT NULL,
	timestamp_ms INTEGER NOT NULL,
	added_ms     INTEGER NOT NULL,           -- 0: only its readings have arrived
	ended        BOOLEAN NOT NULL,           -- the END has arrived
	place        INTEGER NOT NULL,           -- a hash, the order in which calls are read
	needed       INTEGER NOT NULL,           -- annotators that should read it
	red_team     BOOLEAN NOT NULL,
	annotations  INTEGER NOT NULL DEFAULT 0, -- readings that are done
	adjudicated  INTEGER NOT NULL DEFAULT 0,
	judged       INTEGER NOT NULL DEFAULT 0,
	unsure       INTEGER NOT NULL DEFAULT 0, -- marks that annotators are unsure of
	expired      BOOLEAN NOT NULL DEFAULT FALSE  -- the text is gone
) WITHOUT ROWID;
CREATE INDEX calls_by_place ON calls (place);

CREATE TABLE utterances (
	call_id TEXT NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
	seq     INTEGER NOT NULL,
	speaker TEXT NOT NULL,
	text    TEXT NOT NULL,
	raw     TEXT NOT NULL,
	masks   TEXT NOT NULL, -- JSON
	PRIMARY KEY (call_id, seq)
) WITHOUT ROWID;

-- A reading may arrive from the topic before its call.
CREATE TABLE readings (
	call_id   TEXT NOT NULL,
	kind      TEXT NOT NULL,
	annotator TEXT NOT NULL,
	revision  INTEGER NOT NULL,
	sent      INTEGER NOT NULL, -- the revision that the topic has
	done      BOOLEAN NOT NULL,
	score     INTEGER NOT NULL, -- not used, 0
	body      TEXT NOT NULL,    -- JSON
	updated_ms INTEGER NOT NULL,
	unsure     INTEGER NOT NULL DEFAULT 0, -- marks that the annotator is unsure of
	PRIMARY KEY (call_id, kind, annotator)
) WITHOUT ROWID;
CREATE INDEX readings_unsent ON readings (call_id) WHERE sent < revision;

-- Who has opened which call, so that the queue gives it to nobody else.
CREATE TABLE claims (
	call_id   TEXT NOT NULL REFERENCES calls (id) ON DELETE CASCADE,
	kind      TEXT NOT NULL,
	annotator TEXT NOT NULL,
	at_ms     INTEGER NOT NULL,
	PRIMARY KEY (call_id, kind, annotator)
) WITHOUT ROWID;

-- Calls that were erased, by a hash of their ID, and whose readings the topic may still have.
CREATE TABLE erased (id_hash BLOB PRIMARY KEY, at_ms INTEGER NOT NULL, sent BOOLEAN NOT NULL) WITHOUT ROWID;
CREATE TABLE tombstones (call_id TEXT, kind TEXT, annotator TEXT, PRIMARY KEY (call_id, kind, annotator)) WITHOUT ROWID;

-- Who did what. No text of a call.
CREATE TABLE trail (
	id      INTEGER PRIMARY KEY,
	at_ms   INTEGER NOT NULL,
	who     TEXT NOT NULL,
	action  TEXT NOT NULL,
	call_id TEXT NOT NULL
);

CREATE TABLE sessions (
	id_hash BLOB PRIMARY KEY,
	who     TEXT NOT NULL,
	role    TEXT NOT NULL,                   -- not used, ''
	began_ms INTEGER NOT NULL,
	seen_ms  INTEGER NOT NULL
) WITHOUT ROWID;

-- How far topics have been read.
CREATE TABLE positions (
	topic     TEXT NOT NULL,
	partition INTEGER NOT NULL,
	next      INTEGER NOT NULL,
	PRIMARY KEY (topic, partition)
) WITHOUT ROWID;
