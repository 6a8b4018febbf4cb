const findFence = (lock: string): string => `
  SELECT * INTO fence FROM {logs} WHERE session = name FOR ${lock};
  IF NOT FOUND THEN
    RETURN;
  END IF;`

const refuseOther = `
  now_id := fence.id;
  IF fence.id <> coalesce(asked_id, fence.id) THEN
    outcome := 'replaced';
    RETURN NEXT;
    RETURN;
  END IF;`

/** Functions on commands, claims and files. They return no row if there is no session of the name. */
export const inboxSql = `
CREATE FUNCTION {submit}(name text, asked_id text, asked_key bytea, asked_body bytea, asked uuid, most int)
RETURNS TABLE (outcome text, now_id text, seq bigint, body bytea, pending boolean)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  fence {logs};
  known {commands};
BEGIN
  ${findFence('NO KEY UPDATE')}
  ${refuseOther}
  SELECT * INTO known FROM {commands} WHERE log = fence.number AND key = asked_key;
  IF FOUND THEN
    outcome := CASE WHEN known.token = asked THEN 'new' ELSE 'known' END;
    seq := known.seq;
    body := known.body;
    pending := known.pending;
  ELSIF fence.pending >= most THEN
    outcome := 'full';
  ELSE
    outcome := 'new';
    seq := fence.seq + 1;
    body := asked_body;
    pending := true;
    INSERT INTO {commands} VALUES (fence.number, asked_key, fence.seq + 1, true, asked, asked_body);
    UPDATE {logs} SET inbox = inbox + 1, seq = seq + 1, pending = pending + 1 WHERE number = fence.number;
  END IF;
  RETURN NEXT;
END $$;

CREATE FUNCTION {settle}(name text, asked_id text, asked_key bytea, asked_body bytea, asked uuid)
RETURNS TABLE (outcome text, now_id text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  fence {logs};
BEGIN
  ${findFence('NO KEY UPDATE')}
  ${refuseOther}
  UPDATE {commands} SET pending = false, body = asked_body, token = asked
  WHERE log = fence.number AND key = asked_key AND pending;
  IF FOUND THEN
    UPDATE {logs} SET inbox = inbox + 1, pending = pending - 1 WHERE number = fence.number;
    outcome := 'settled';
  ELSE
    outcome := CASE
      WHEN EXISTS (SELECT FROM {commands} WHERE log = fence.number AND key = asked_key AND NOT pending AND token = asked) THEN 'settled'
      ELSE 'none'
    END;
  END IF;
  RETURN NEXT;
END $$;

CREATE FUNCTION {claim}(name text, asked_name bytea, asked_holder bytea, ms double precision)
RETURNS TABLE (now_holder bytea, remaining double precision)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  fence {logs};
  moment timestamptz;
BEGIN
  ${findFence('KEY SHARE')}
  moment := clock_timestamp();
  INSERT INTO {claims} VALUES (fence.number, asked_name, asked_holder, moment + ms * interval '1 millisecond')
  ON CONFLICT (log, name) DO UPDATE SET holder = excluded.holder, until = excluded.until
  WHERE {claims}.holder = excluded.holder OR {claims}.until <= moment;
  now_holder := asked_holder;
  remaining := ms;
  IF NOT FOUND THEN
    SELECT holder, extract(epoch FROM until - moment) * 1000 INTO now_holder, remaining
    FROM {claims} WHERE log = fence.number AND name = asked_name;
  ELSIF ms <= 0 THEN
    DELETE FROM {claims} WHERE log = fence.number AND name = asked_name AND holder = asked_holder;
  END IF;
  RETURN NEXT;
END $$;

CREATE FUNCTION {put_file}(name text, asked_id bytea, type bytea, asked_filename bytea, asked_body bytea)
RETURNS SETOF boolean
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  fence {logs};
BEGIN
  ${findFence('KEY SHARE')}
  INSERT INTO {files} VALUES (fence.number, asked_id, type, asked_filename, asked_body, fence.tail)
  ON CONFLICT (log, id) DO UPDATE SET
    media_type = excluded.media_type, filename = excluded.filename, body = excluded.body, tail = excluded.tail;
  RETURN NEXT true;
END $$;
`
