/**
 * The tables. `logs` has the fence of each session: a narrow row, rewritten by every append, so it stays on its page (`fillfactor`) and its
 * indexes do not change. `minute` is written_at in minutes: the index of the list changes once a minute. Heads have their own table because
 * Postgres rewrites whole rows. No foreign keys: every writer of a log's rows locks its fence.
 */
export const tablesSql = `
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
