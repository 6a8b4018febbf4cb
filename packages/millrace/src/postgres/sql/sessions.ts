/** What is told of a session, in the order in which `toInfo` reads it. */
export const infoColumns = `l.id, l.generation, l.tail, l.earliest, l.epoch, l.inbox, l.pending, h.body, l.lease_owner,
  l.lease_until <= clock_timestamp()`

const infoTypes =
  'id text, generation int, tail bigint, earliest bigint, epoch bigint, inbox bigint, pending int, head bytea, owner text, lapsed boolean'

/**
 * The functions that open, renew and remove sessions. What is asked again because its answer was lost is known by its token: it has
 * been done, and is not done twice.
 */
export const sessionsSql = `
CREATE FUNCTION {open}(name text, holder text, ms double precision, expected bigint, asked uuid, drawn text, remembered double precision)
RETURNS TABLE (outcome text, ${infoTypes})
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  moment timestamptz;
  found_log record;
  ended timestamptz;
  before int;
BEGIN
  LOOP
    SELECT number, epoch, token INTO found_log FROM {logs} WHERE session = name FOR NO KEY UPDATE;
    moment := clock_timestamp();
    ended := moment + ms * interval '1 millisecond';
    IF FOUND THEN
      EXIT WHEN found_log.token = asked;
      IF found_log.epoch <> coalesce(expected, found_log.epoch) THEN
        RETURN QUERY SELECT 'fenced', ${infoColumns} FROM {logs} l LEFT JOIN {heads} h ON h.log = l.number WHERE l.session = name;
        RETURN;
      END IF;
      UPDATE {logs} SET epoch = epoch + 1, token = asked, lease_owner = holder, lease_until = ended,
        written_at = moment, minute = extract(epoch FROM moment) / 60
      WHERE number = found_log.number;
      EXIT;
    END IF;
    IF coalesce(expected, 0) <> 0 THEN
      RETURN;
    END IF;
    INSERT INTO {logs} (session, id, generation, epoch, tail, earliest, inbox, seq, pending, token, lease_owner, lease_until, written_at, minute)
    VALUES (name, drawn, 1, 1, 0, 1, 0, 0, 0, asked, holder, ended, moment, extract(epoch FROM moment) / 60)
    ON CONFLICT (session) DO NOTHING;
    IF FOUND THEN
      -- Looked for only now: whoever removed the session of this name has committed.
      DELETE FROM {gone} WHERE session = name RETURNING
        CASE WHEN removed_at > moment - remembered * interval '1 millisecond' THEN generation ELSE 0 END INTO before;
      IF before > 0 THEN
        UPDATE {logs} SET generation = before + 1 WHERE session = name;
      END IF;
      EXIT;
    END IF;
  END LOOP;
  RETURN QUERY SELECT 'ok', ${infoColumns} FROM {logs} l LEFT JOIN {heads} h ON h.log = l.number WHERE l.session = name;
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

CREATE FUNCTION {remove}(name text, asked uuid) RETURNS boolean
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  gone_log record;
BEGIN
  DELETE FROM {logs} WHERE session = name RETURNING number, generation INTO gone_log;
  IF NOT FOUND THEN
    RETURN EXISTS (SELECT FROM {gone} WHERE session = name AND token = asked);
  END IF;
  DELETE FROM {heads} WHERE log = gone_log.number;
  DELETE FROM {frames} WHERE log = gone_log.number;
  DELETE FROM {parts} WHERE log = gone_log.number;
  DELETE FROM {commands} WHERE log = gone_log.number;
  DELETE FROM {claims} WHERE log = gone_log.number;
  DELETE FROM {files} WHERE log = gone_log.number;
  INSERT INTO {gone} VALUES (name, gone_log.generation, asked, clock_timestamp())
  ON CONFLICT (session) DO UPDATE SET generation = excluded.generation, token = asked, removed_at = excluded.removed_at;
  RETURN true;
END $$;

CREATE FUNCTION {prune}(idle double precision, remembered double precision, most int) RETURNS SETOF text
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  until timestamptz := clock_timestamp() - idle * interval '1 millisecond';
  name text;
BEGIN
  DELETE FROM {gone} WHERE removed_at <= clock_timestamp() - remembered * interval '1 millisecond';
  FOR name IN
    SELECT session FROM {logs}
    WHERE minute <= (extract(epoch FROM until) / 60)::int + 1 AND written_at <= until AND lease_owner IS NULL
    LIMIT most FOR UPDATE SKIP LOCKED
  LOOP
    PERFORM {remove}(name, gen_random_uuid());
    RETURN NEXT name;
  END LOOP;
END $$;
`
