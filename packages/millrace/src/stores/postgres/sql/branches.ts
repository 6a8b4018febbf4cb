import { OWN_COLLECTION } from '../../port/index.ts'
import { infoColumns, infoFrom, infoTypes } from './sessions.ts'

/**
 * Functions that create branches, trim logs, and delete rows that no branch shares. A parent has a lower number than its branches, and rows
 * are locked in the order of numbers.
 *
 * A fork locks only the row of its source: the source's shared rows exist as long as the source.
 */
export const branchesSql = `
CREATE FUNCTION {fork}(
  name text, asked_id text, asked_frame bigint, branch text, most int, asked uuid, drawn text, remembered double precision,
  asked_head bytea, collections text[], numbers bigint[], frames bigint[], bodies bytea[], asked_owner text,
  asked_holder text, ms double precision
) RETURNS TABLE (outcome text, now_id text, now_tail bigint, now_earliest bigint, ancestors int, owner_id text, ${infoTypes})
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  source {logs};
  owner_log {logs};
  ancestor bigint;
  made bigint;
BEGIN
  SELECT * INTO source FROM {logs} WHERE session = name FOR NO KEY UPDATE;
  -- A repeated call, whose answer was lost. The source may have changed since.
  RETURN QUERY SELECT 'ok', source.id, source.tail, source.earliest, 0, source.id, ${infoColumns}
    FROM ${infoFrom} WHERE l.session = branch AND l.token = asked;
  IF FOUND OR source.number IS NULL THEN
    RETURN;
  END IF;
  now_id := source.id;
  now_tail := source.tail;
  now_earliest := source.earliest;
  IF source.id <> coalesce(asked_id, source.id) THEN
    outcome := 'replaced';
    RETURN NEXT;
    RETURN;
  END IF;

  owner_log := source;
  WHILE asked_frame <= owner_log.base LOOP
    SELECT * INTO owner_log FROM {logs} WHERE number = owner_log.parent;
  END LOOP;
  owner_id := owner_log.id;
  outcome := 'known';
  LOOP
    RETURN QUERY SELECT outcome, now_id, now_tail, now_earliest, ancestors, owner_id, ${infoColumns}
      FROM ${infoFrom} WHERE l.session = branch;
    EXIT WHEN FOUND;
    ancestors := 1;
    ancestor := owner_log.parent;
    WHILE ancestor IS NOT NULL AND ancestors <= most LOOP
      ancestors := ancestors + 1;
      SELECT parent INTO ancestor FROM {logs} WHERE number = ancestor;
    END LOOP;
    IF asked_frame < 0 OR asked_frame > source.tail OR asked_frame < source.earliest - 1 OR ancestors > most THEN
      outcome := 'refused';
      RETURN NEXT;
      RETURN;
    END IF;
    made := {create_log}(branch, drawn, asked, remembered, asked_holder, clock_timestamp() + ms * interval '1 millisecond', owner_log.number,
      asked_frame, source.earliest, asked_owner);
    CONTINUE WHEN made IS NULL;
    outcome := 'ok';
    INSERT INTO {heads} VALUES (made, asked_head);
    INSERT INTO {parts} (log, collection, number, frame, body)
    SELECT made, p.* FROM unnest(collections, numbers, frames, bodies) AS p;
  END LOOP;
END $$;

CREATE FUNCTION {trim}(name text, asked_id text, before bigint) RETURNS SETOF text
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  fence {logs};
BEGIN
  SELECT * INTO fence FROM {logs} WHERE session = name FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  IF fence.id = coalesce(asked_id, fence.id) AND before > fence.earliest THEN
    UPDATE {logs} SET earliest = least(before, tail + 1) WHERE number = fence.number;
    PERFORM {release}(fence.number);
  END IF;
  RETURN NEXT fence.id;
END $$;

-- Deletes the rows of a log that neither its session nor a branch reads, then those of its ancestors. The caller locks the log, and
-- its ancestors if its session is removed.
CREATE FUNCTION {release}(target bigint) RETURNS void
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  released {logs};
  highest bigint;
BEGIN
  WHILE target IS NOT NULL LOOP
    SELECT * INTO released FROM {logs} WHERE number = target;
    SELECT max(base) INTO highest FROM {logs} WHERE parent = target;
    IF released.session IS NOT NULL THEN
      IF highest IS NULL THEN
        DELETE FROM {frames} WHERE log = target AND last < released.earliest;
      END IF;
      RETURN;
    END IF;
    DELETE FROM {heads} WHERE log = target;
    DELETE FROM {commands} WHERE log = target;
    DELETE FROM {claims} WHERE log = target;
    DELETE FROM {frames} WHERE log = target AND last > coalesce(highest, 0) AND first > coalesce(highest, 0);
    DELETE FROM {parts} WHERE log = target AND (highest IS NULL OR frame > highest OR starts_with(collection, '${OWN_COLLECTION}'));
    DELETE FROM {files} WHERE log = target AND (highest IS NULL OR tail > highest);
    IF highest IS NOT NULL THEN
      RETURN;
    END IF;
    DELETE FROM {logs} WHERE number = target;
    target := released.parent;
  END LOOP;
END $$;
`
