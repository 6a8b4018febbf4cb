/** Columns of a session, in the order that `toInfo` reads. */
export const infoColumns = `l.id, l.generation, l.tail, l.earliest, l.epoch, l.inbox, l.pending, h.body, l.lease_owner,
  l.lease_until <= clock_timestamp(), coalesce(p.session, p.former), p.id, l.base, l.owner`

/** Tables of these columns. */
export const infoFrom =
  '{logs} l LEFT JOIN {heads} h ON h.log = l.number LEFT JOIN {logs} p ON p.number = l.parent'

/** The columns of the facts about a session, with their types. */
export const infoTypes = `id text, generation int, tail bigint, earliest bigint, epoch bigint, inbox bigint, pending int, head bytea,
  holder text, lapsed boolean, parent_session text, parent_id text, base bigint, owner text`

/**
 * Functions that open, renew and remove sessions. A call that is repeated because its answer was lost has the same token, and is not
 * executed twice. A removal with `idle` skips a session with a later write or a lease, one with `seen_id` a session in another state or with
 * a lease.
 */
export const sessionsSql = `
CREATE FUNCTION {open}(
  name text, asked_holder text, ms double precision, expected bigint, asked uuid, drawn text, remembered double precision, asked_owner text
)
RETURNS TABLE (outcome text, ${infoTypes})
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  moment timestamptz;
  found_log record;
  ended timestamptz;
BEGIN
  LOOP
    SELECT number, epoch, token INTO found_log FROM {logs} WHERE session = name FOR NO KEY UPDATE;
    moment := clock_timestamp();
    ended := moment + ms * interval '1 millisecond';
    IF FOUND THEN
      EXIT WHEN found_log.token = asked;
      IF found_log.epoch <> coalesce(expected, found_log.epoch) THEN
        RETURN QUERY SELECT 'fenced', ${infoColumns} FROM ${infoFrom} WHERE l.session = name;
        RETURN;
      END IF;
      UPDATE {logs} SET epoch = epoch + 1, token = asked, lease_owner = asked_holder, lease_until = ended
      WHERE number = found_log.number;
      EXIT;
    END IF;
    IF coalesce(expected, 0) <> 0 THEN
      RETURN;
    END IF;
    EXIT WHEN {create_log}(name, drawn, asked, remembered, asked_holder, ended, NULL, NULL, 1, asked_owner) IS NOT NULL;
  END LOOP;
  RETURN QUERY SELECT 'ok', ${infoColumns} FROM ${infoFrom} WHERE l.session = name;
END $$;

CREATE FUNCTION {renew}(name text, asked_epoch bigint, asked_id text, holder text, ms double precision)
RETURNS TABLE (outcome text, now_epoch bigint, now_inbox bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  SELECT CASE WHEN epoch = asked_epoch AND id = coalesce(asked_id, id) THEN 'ok' ELSE 'fenced' END, epoch, inbox
  INTO outcome, now_epoch, now_inbox FROM {logs} WHERE session = name FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  IF outcome = 'ok' THEN
    UPDATE {logs} SET lease_owner = holder, lease_until = clock_timestamp() + ms * interval '1 millisecond'
    WHERE session = name AND lease_owner IS NOT NULL;
  END IF;
  RETURN NEXT;
END $$;

CREATE FUNCTION {remove}(
  name text, asked uuid, idle double precision, seen_id text, seen_epoch bigint, seen_tail bigint, seen_inbox bigint
) RETURNS boolean
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  target bigint := (SELECT number FROM {logs} WHERE session = name);
  -- The log and its ancestors. They do not change while the log exists.
  family bigint[] := ARRAY (
    WITH RECURSIVE found AS (
      SELECT number, parent FROM {logs} WHERE number = target
      UNION ALL SELECT p.* FROM found f CROSS JOIN LATERAL
        (SELECT number, parent FROM {logs} WHERE number = f.parent OFFSET 0) p
    ) SELECT number FROM found
  );
  until timestamptz := clock_timestamp() - idle * interval '1 millisecond';
  gone_log record;
BEGIN
  PERFORM FROM {logs} WHERE number = ANY (family) ORDER BY number FOR UPDATE;
  SELECT generation INTO gone_log FROM {logs} WHERE number = target AND session = name
    AND (until IS NULL OR written_at <= until AND lease_owner IS NULL)
    AND (seen_id IS NULL OR lease_owner IS NULL AND id = seen_id AND epoch = seen_epoch AND tail = seen_tail AND inbox = seen_inbox);
  IF NOT FOUND THEN
    RETURN EXISTS (SELECT FROM {gone} WHERE session = name AND token = asked);
  END IF;
  INSERT INTO {gone} VALUES (name, gone_log.generation, asked, clock_timestamp())
  ON CONFLICT (session) DO UPDATE SET generation = excluded.generation, token = asked, removed_at = excluded.removed_at;
  UPDATE {logs} SET session = NULL, former = name, pending = 0, lease_owner = NULL, lease_until = NULL WHERE number = target;
  PERFORM {release}(target);
  RETURN true;
END $$;

-- Returns NULL if there is a session of the name.
CREATE FUNCTION {create_log}(
  name text, drawn text, asked uuid, remembered double precision, holder text, ended timestamptz,
  parent bigint, base bigint, earliest bigint, asked_owner text
) RETURNS bigint
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  moment timestamptz := clock_timestamp();
  made bigint;
  before int;
BEGIN
  INSERT INTO {logs} (
    session, id, generation, epoch, tail, earliest, inbox, seq, pending, token, lease_owner, lease_until, written_at, minute, parent, base,
    owner
  ) VALUES (
    name, drawn, 1, 1, coalesce(base, 0), earliest, 0, 0, 0, asked, holder, ended, moment, extract(epoch FROM moment) / 60, parent, base,
    asked_owner
  ) ON CONFLICT (session) DO NOTHING RETURNING number INTO made;
  IF made IS NOT NULL THEN
    -- Read only now: a removal of a session with this name has committed.
    DELETE FROM {gone} WHERE session = name RETURNING
      CASE WHEN removed_at > moment - remembered * interval '1 millisecond' THEN generation ELSE 0 END INTO before;
    IF before > 0 THEN
      UPDATE {logs} SET generation = before + 1 WHERE number = made;
    END IF;
  END IF;
  RETURN made;
END $$;
`
