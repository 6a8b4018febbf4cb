import { appendSql } from './append.ts'
import { branchesSql } from './branches.ts'
import { inboxSql } from './inbox.ts'
import { sessionsSql } from './sessions.ts'

/**
 * The tables. `logs` has the fence of each session: a narrow row, rewritten by every append, so it stays on its page (`fillfactor`) and its
 * indexes do not change. `minute` is written_at in minutes: the index of the list changes once a minute. Heads have their own table because
 * Postgres rewrites whole rows. No foreign keys: every writer of a log's rows locks its fence.
 */
const tablesSql = `
CREATE TABLE {logs} (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  session text COLLATE "C" NOT NULL UNIQUE,
  id text NOT NULL,
  generation int NOT NULL,
  epoch bigint NOT NULL,
  tail bigint NOT NULL,
  earliest bigint NOT NULL,
  inbox bigint NOT NULL,
  seq bigint NOT NULL,
  pending int NOT NULL,
  token uuid,
  lease_owner text,
  lease_until timestamptz,
  written_at timestamptz NOT NULL,
  minute int NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX "{prefix}logs_by_write" ON {logs} (minute);
CREATE INDEX "{prefix}logs_by_lease" ON {logs} (lease_until) WHERE lease_owner IS NOT NULL;
CREATE INDEX "{prefix}logs_pending" ON {logs} (number) WHERE pending > 0 AND lease_owner IS NULL;

CREATE TABLE {heads} (log bigint PRIMARY KEY, body bytea NOT NULL) WITH (fillfactor = 70);

CREATE TABLE {frames} (
  log bigint NOT NULL,
  last bigint NOT NULL,
  first bigint NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (log, last)
);

CREATE TABLE {parts} (
  log bigint NOT NULL,
  collection text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  frame bigint NOT NULL,
  body bytea NOT NULL,
  PRIMARY KEY (log, collection, number)
);

CREATE TABLE {commands} (
  log bigint NOT NULL,
  key bytea NOT NULL,
  seq bigint NOT NULL,
  pending boolean NOT NULL,
  token uuid,
  body bytea NOT NULL,
  PRIMARY KEY (log, key)
);
CREATE INDEX "{prefix}commands_pending" ON {commands} (log, seq) WHERE pending;

CREATE TABLE {claims} (
  log bigint NOT NULL,
  name bytea NOT NULL,
  holder bytea NOT NULL,
  until timestamptz NOT NULL,
  PRIMARY KEY (log, name)
);

CREATE TABLE {files} (
  log bigint NOT NULL,
  id bytea NOT NULL,
  media_type bytea NOT NULL,
  filename bytea,
  body bytea NOT NULL,
  PRIMARY KEY (log, id)
);
ALTER TABLE {files} ALTER body SET STORAGE EXTERNAL;

CREATE TABLE {gone} (
  session text COLLATE "C" PRIMARY KEY,
  generation int NOT NULL,
  token uuid NOT NULL,
  removed_at timestamptz NOT NULL
);
CREATE INDEX "{prefix}gone_by_time" ON {gone} (removed_at);

CREATE TABLE {meta} (version int NOT NULL, store uuid NOT NULL, probed_at timestamptz NOT NULL);
`

/**
 * Version 2 of the tables. A branch has the number of its parent's log and the last frame that it shares (`base`), which is always above
 * the base of the parent. A removed session keeps its row, without `session` and with its name in `former`, if branches share its log. A
 * file has the tail of the log when it was stored; a file of version 1 has 0, so every branch shares it.
 */
const branchColumnsSql = `
ALTER TABLE {logs} ALTER session DROP NOT NULL,
  ADD parent bigint, ADD base bigint, ADD former text COLLATE "C";
CREATE INDEX "{prefix}logs_by_parent" ON {logs} (parent, base) WHERE parent IS NOT NULL;
ALTER TABLE {files} ADD tail bigint NOT NULL DEFAULT 0;
`

/** Version 3 of the tables: the owner of a session, null for none. Its index changes once a minute, like that of the list of all sessions. */
const ownerColumnsSql = `
ALTER TABLE {logs} ADD owner text COLLATE "C";
CREATE INDEX "{prefix}logs_by_owner" ON {logs} (owner, minute) WHERE owner IS NOT NULL AND session IS NOT NULL;
`

/**
 * Migrations, each from the schema version before it, with names in braces. Append to this list, never change an entry. A change of
 * functions needs a new entry too.
 */
export const migrations: readonly string[] = [
  tablesSql,
  branchColumnsSql,
  ownerColumnsSql,
  // Quiet appends: only functions change.
  '',
  // Conditional removals and forks with a lease: only functions change.
  '',
]

/** Functions of the newest version. They replace those of earlier versions. */
export const functionsSql = appendSql + sessionsSql + inboxSql + branchesSql
