/**
 * What makes each version of the schema from the one before it. A file says in `user_version` how many were applied:
 * add to this list, never change what stands in it.
 *
 * The newest messages of all sessions stand in `journal`, a row for each commit, because a commit costs what it
 * touches: one place, not one for each session. Now and then they move to `pages`, where a row holds many messages
 * of one session. A key is the number of the session, shifted by 32 bits, with the id of the last message in the row.
 */
export const migrations: readonly string[] = [
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
]
