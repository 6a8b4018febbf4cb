import type { Connection } from './connection.ts'
import { convertRecords } from './convert-records.ts'
import type { Migration } from './migrate.ts'

/**
 * Adds the head, parts, inbox and claims of sessions. Parts and commands are too large for index rows: with parts of 1,000 bytes, a table
 * without rowids writes four times as much to SQLite's log. The rowid of a command is its session's number, shifted by 32 bits, plus its
 * place in the inbox.
 */
function toSessionsInParts(connection: Connection): void {
  connection.exec(`
  ALTER TABLE sessions ADD COLUMN inbox INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE heads (
    session INTEGER PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
    tail INTEGER NOT NULL,
    sum INTEGER NOT NULL,
    body BLOB NOT NULL
  );
  CREATE TABLE parts (
    session INTEGER NOT NULL,
    collection TEXT NOT NULL,
    number INTEGER NOT NULL,
    frame INTEGER NOT NULL,
    sum INTEGER NOT NULL,
    body BLOB NOT NULL,
    UNIQUE (session, collection, number)
  );
  CREATE TABLE inbox (
    place INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    key TEXT NOT NULL,
    is_pending INTEGER NOT NULL,
    sum INTEGER NOT NULL,
    body BLOB NOT NULL,
    UNIQUE (session, key)
  );
  CREATE INDEX inbox_pending ON inbox (session) WHERE is_pending = 1;
  CREATE TABLE claims (
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    name TEXT NOT NULL,
    holder TEXT NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (session, name)
  ) WITHOUT ROWID;
  `)
  convertRecords(connection)
}

/**
 * Migrations, each from the schema version before it. `user_version` of a file counts the applied ones: append to this list, never change
 * an entry. The newest frames of all sessions are in `journal`, with one row for each commit, because the cost of a commit depends on the
 * number of places that it changes. Folding moves them to `pages`, where a row holds many frames of one session. Its key is the session's
 * number, shifted by 32 bits, plus the id of the last frame in the row.
 */
export const migrations: readonly Migration[] = [
  `
  CREATE TABLE sessions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    epoch INTEGER NOT NULL,
    tail INTEGER NOT NULL,
    earliest INTEGER NOT NULL,
    written INTEGER NOT NULL,
    written_at INTEGER NOT NULL,
    lease_owner TEXT,
    lease_until INTEGER
  );
  CREATE INDEX sessions_by_write ON sessions (written);
  CREATE INDEX sessions_by_lease ON sessions (lease_until) WHERE lease_owner IS NOT NULL;

  CREATE TABLE journal (
    number INTEGER PRIMARY KEY,
    written_at INTEGER NOT NULL,
    sum INTEGER NOT NULL,
    body BLOB NOT NULL
  );
  CREATE TABLE pages (key INTEGER PRIMARY KEY, sum INTEGER NOT NULL, body BLOB NOT NULL);

  CREATE TABLE records (
    session INTEGER PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
    tail INTEGER NOT NULL,
    parts INTEGER NOT NULL,
    sum INTEGER NOT NULL,
    summary BLOB NOT NULL
  );
  CREATE TABLE record_parts (key INTEGER PRIMARY KEY, sum INTEGER NOT NULL, body BLOB NOT NULL);

  CREATE TABLE conversations (
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    number INTEGER NOT NULL,
    sum INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (session, number)
  );
  CREATE TABLE files (
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    id TEXT NOT NULL,
    media_type TEXT NOT NULL,
    filename BLOB,
    sum INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (session, id)
  );

  CREATE TABLE commands (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    sent_at INTEGER NOT NULL,
    session TEXT NOT NULL,
    command BLOB NOT NULL
  );
  CREATE TABLE pulse (number INTEGER PRIMARY KEY, at INTEGER NOT NULL);
  `,
  // Each log has a random id, and a session counts its logs. `gone` stores removed names for a limited time.
  `
  ALTER TABLE sessions ADD COLUMN log TEXT NOT NULL DEFAULT '';
  ALTER TABLE sessions ADD COLUMN generation INTEGER NOT NULL DEFAULT 1;
  UPDATE sessions SET log = lower(hex(randomblob(6)));
  CREATE TABLE gone (
    name TEXT PRIMARY KEY,
    generation INTEGER NOT NULL,
    removed_at INTEGER NOT NULL
  );
  CREATE INDEX gone_by_time ON gone (removed_at);
  `,
  toSessionsInParts,
  // The parent of a branch, and the last shared frame. A removed session that has branches keeps its row, with a name that no session can
  // have and with `written` 0. Every branch shares files of older versions.
  `
  ALTER TABLE sessions ADD COLUMN parent INTEGER REFERENCES sessions;
  ALTER TABLE sessions ADD COLUMN fork_frame INTEGER;
  ALTER TABLE sessions ADD COLUMN fork_sum INTEGER;
  ALTER TABLE sessions ADD COLUMN parent_name BLOB;
  CREATE INDEX sessions_by_parent ON sessions (parent, fork_frame) WHERE parent IS NOT NULL;
  ALTER TABLE files ADD COLUMN tail INTEGER NOT NULL DEFAULT 0;
  `,
  // The owner of a session, with a checksum that also covers the name: a wrong owner would expose the session to another user.
  `
  ALTER TABLE sessions ADD COLUMN owner BLOB;
  ALTER TABLE sessions ADD COLUMN owner_sum INTEGER;
  CREATE INDEX sessions_by_owner ON sessions (owner, written) WHERE owner IS NOT NULL;
  `,
]
