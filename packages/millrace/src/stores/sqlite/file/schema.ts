import type { Connection, Row, Statement } from './connection.ts'
import type { Migration } from './migrate.ts'
import { bytesAt, numberAt, partPlace, sumOf } from './columns.ts'

/** Checksum of a part whose bytes were already damaged. Valid checksums are not negative, so that reading the part reports the damage. */
const noSum = -1

/** Bytes of an older file. Damage is not an error here: one damaged session must not keep the others from being opened. */
interface OldBytes {
  readonly bytes: Uint8Array
  readonly isWhole: boolean
}

/**
 * Converts sessions to the schema with parts: the summary becomes the head, the record the only part of `record`, and each conversation a
 * part of `conversations`.
 */
function convertRecords(connection: Connection): void {
  connection.exec(
    'INSERT INTO heads (session, tail, sum, body) SELECT session, tail, sum, summary FROM records',
  )
  const insert =
    connection.prepare(`INSERT INTO parts (session, collection, number, frame, sum, body)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)`)
  const addPart = (
    session: number,
    place: Parameters<typeof partPlace>[1],
    { bytes, isWhole }: OldBytes,
  ): void => {
    const sum = isWhole ? sumOf(bytes, partPlace(session, place)) : noSum
    insert.run(session, place.collection, place.number, place.frame, sum, bytes)
  }
  const findPart = connection.prepare(
    'SELECT sum, body FROM record_parts WHERE key = ((?1 << 32) | ?2)',
  )
  forEachRow(connection, 'records', 'session, tail, parts', (row) => {
    const [session, frame] = [numberAt(row, 1), numberAt(row, 2)]
    const bytes = joinRecord(findPart, session, numberAt(row, 3))
    addPart(session, { collection: 'record', number: 1, frame }, bytes)
  })
  forEachRow(connection, 'conversations', 'session, number, sum, body', (row) => {
    const place = { collection: 'conversations', number: numberAt(row, 2), frame: 0 }
    addPart(numberAt(row, 1), place, oldBytesAt(row, 4))
  })
  connection.exec('DROP TABLE record_parts; DROP TABLE records; DROP TABLE conversations')
}

/** Visits each row of a table. The first column is the rowid. */
function forEachRow(
  connection: Connection,
  table: string,
  columns: string,
  visit: (row: Row) => void,
): void {
  const next = connection.prepare(
    `SELECT rowid, ${columns} FROM ${table} WHERE rowid > ?1 ORDER BY rowid LIMIT 1`,
  )
  for (let row = next.get(0); row !== undefined; row = next.get(numberAt(row, 0))) visit(row)
}

function joinRecord(findPart: Statement, session: number, count: number): OldBytes {
  const rows = Array.from({ length: count }, (_, index) => findPart.get(session, index + 1))
  const parts = rows.map((row) =>
    row ? oldBytesAt(row, 1) : { bytes: new Uint8Array(), isWhole: false },
  )
  return {
    bytes: Buffer.concat(parts.map(({ bytes }) => bytes)),
    isWhole: parts.every(({ isWhole }) => isWhole),
  }
}

function oldBytesAt(row: Row, column: number): OldBytes {
  const bytes = bytesAt(row, column)
  return { bytes, isWhole: sumOf(bytes) === numberAt(row, column - 1) }
}

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
