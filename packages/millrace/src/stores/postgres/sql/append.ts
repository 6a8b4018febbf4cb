/**
 * Function that stores a group of appends, at most one for each session. Parallel arrays hold the appends; `places` of other arrays refer
 * to them. All bytes are in one value, addressed by starts (from 1) and lengths.
 *
 * Fence rows are locked in the order of their numbers, to prevent deadlocks of two groups. All decisions use the locked rows: each
 * statement of a plpgsql function has its own snapshot, taken after the locks. Plans are made once.
 */
export const appendSql = `
CREATE FUNCTION {append}(
  sessions text[], ids text[], epochs bigint[], tails bigint[], inboxes bigint[], tokens uuid[], counts int[],
  owners text[], leases double precision[], quiets boolean[], bytes bytea,
  frame_places int[], frame_firsts int[], frame_lasts int[], frame_starts int[], frame_lengths int[],
  head_places int[], head_starts int[], head_lengths int[],
  part_places int[], collections text[], part_numbers bigint[], part_frames bigint[], part_starts int[], part_lengths int[],
  command_places int[], key_starts int[], key_lengths int[], pendings boolean[], command_starts int[], command_lengths int[],
  max_messages bigint, block bigint
) RETURNS TABLE (outcome text, now_epoch bigint, now_tail bigint, now_inbox bigint)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  moment timestamptz := clock_timestamp();
  stored bigint[];
  outcomes text[];
  now_epochs bigint[];
  now_tails bigint[];
  now_inboxes bigint[];
  is_trimming boolean;
BEGIN
  PERFORM FROM {logs} WHERE session = ANY (sessions) ORDER BY number FOR NO KEY UPDATE;

  WITH decided AS MATERIALIZED (
    SELECT a.*, l.number, l.earliest, l.epoch AS own_epoch, l.tail AS own_tail, l.inbox AS own_inbox,
      CASE
        WHEN l.number IS NULL THEN 'missing'
        WHEN l.epoch <> a.epoch OR l.id <> coalesce(a.id, l.id) THEN 'fenced'
        WHEN l.token = a.token THEN 'again'
        WHEN l.tail <> a.tail THEN 'moved'
        WHEN l.inbox <> coalesce(a.inbox, l.inbox) THEN 'inbox'
        ELSE 'ok'
      END AS outcome
    FROM unnest(sessions, ids, epochs, tails, inboxes, tokens, counts, owners, leases, quiets) WITH ORDINALITY
      AS a (session, id, epoch, tail, inbox, token, count, owner, lease, quiet, place)
    LEFT JOIN {logs} l ON l.session = a.session
  ), changed AS (
    UPDATE {logs} l SET
      tail = l.tail + d.count,
      token = d.token,
      lease_owner = CASE WHEN d.lease IS NULL THEN l.lease_owner ELSE d.owner END,
      lease_until = CASE WHEN d.lease IS NULL THEN l.lease_until ELSE moment + d.lease * interval '1 millisecond' END,
      written_at = CASE WHEN d.quiet THEN l.written_at ELSE moment END,
      minute = CASE WHEN d.quiet THEN l.minute ELSE (extract(epoch FROM moment) / 60)::int END
    FROM decided d WHERE d.outcome = 'ok' AND l.number = d.number
  )
  SELECT
    array_agg(CASE outcome WHEN 'ok' THEN number ELSE 0 END ORDER BY place),
    array_agg(CASE outcome WHEN 'again' THEN 'ok' ELSE outcome END ORDER BY place),
    array_agg(own_epoch ORDER BY place),
    array_agg(CASE outcome WHEN 'ok' THEN own_tail + count ELSE own_tail END ORDER BY place),
    array_agg(own_inbox ORDER BY place),
    bool_or(outcome = 'ok' AND own_tail + count - earliest + 1 > max_messages + block)
  INTO stored, outcomes, now_epochs, now_tails, now_inboxes, is_trimming
  FROM decided;

  INSERT INTO {frames} (log, first, last, body)
  SELECT stored[f.place], tails[f.place] + f.first, tails[f.place] + f.last, substring(bytes FROM f.start FOR f.length)
  FROM unnest(frame_places, frame_firsts, frame_lasts, frame_starts, frame_lengths) AS f (place, first, last, start, length)
  WHERE stored[f.place] > 0;

  IF cardinality(head_places) > 0 THEN
    INSERT INTO {heads} (log, body)
    SELECT stored[h.place], substring(bytes FROM h.start FOR h.length)
    FROM unnest(head_places, head_starts, head_lengths) AS h (place, start, length)
    WHERE stored[h.place] > 0
    ON CONFLICT (log) DO UPDATE SET body = excluded.body;
  END IF;

  IF cardinality(part_places) > 0 THEN
    INSERT INTO {parts} (log, collection, number, frame, body)
    SELECT stored[p.place], p.collection, p.number, p.frame, substring(bytes FROM p.start FOR p.length)
    FROM unnest(part_places, collections, part_numbers, part_frames, part_starts, part_lengths)
      AS p (place, collection, number, frame, start, length)
    WHERE stored[p.place] > 0 AND p.length IS NOT NULL
    ON CONFLICT (log, collection, number) DO UPDATE SET frame = excluded.frame, body = excluded.body;

    DELETE FROM {parts} o
    USING unnest(part_places, collections, part_numbers, part_lengths) AS p (place, collection, number, length)
    WHERE p.length IS NULL AND o.log = stored[p.place] AND o.collection = p.collection AND o.number = p.number;
  END IF;

  IF cardinality(command_places) > 0 THEN
    WITH given AS MATERIALIZED (
      SELECT stored[c.place] AS log, substring(bytes FROM c.key_start FOR c.key_length) AS key, c.pending,
        substring(bytes FROM c.start FOR c.length) AS body, c.nth
      FROM unnest(command_places, key_starts, key_lengths, pendings, command_starts, command_lengths) WITH ORDINALITY
        AS c (place, key_start, key_length, pending, start, length, nth)
      WHERE stored[c.place] > 0
    ), known AS MATERIALIZED (
      SELECT g.*, o.seq, coalesce(o.pending, false) AS was_pending,
        count(*) FILTER (WHERE o.seq IS NULL) OVER (PARTITION BY g.log ORDER BY g.nth) AS added
      FROM given g LEFT JOIN {commands} o ON o.log = g.log AND o.key = g.key
    ), written AS (
      INSERT INTO {commands} (log, key, seq, pending, body)
      SELECT k.log, k.key, coalesce(k.seq, l.seq + k.added), k.pending, k.body
      FROM known k JOIN {logs} l ON l.number = k.log
      ON CONFLICT (log, key) DO UPDATE SET pending = excluded.pending, body = excluded.body
    ), counted AS (
      SELECT log, max(added) AS added, sum(pending::int - was_pending::int) AS pending FROM known GROUP BY log
    )
    UPDATE {logs} l SET seq = l.seq + c.added, pending = l.pending + c.pending FROM counted c WHERE l.number = c.log;
  END IF;

  IF is_trimming THEN
    WITH trimmed AS (
      UPDATE {logs} SET earliest = tail - max_messages + 1
      WHERE number = ANY (stored) AND tail - earliest + 1 > max_messages + block
      RETURNING number, earliest
    )
    DELETE FROM {frames} f USING trimmed t WHERE f.log = t.number AND f.last < t.earliest
      AND NOT EXISTS (SELECT FROM {logs} b WHERE b.parent = t.number);
  END IF;

  RETURN QUERY SELECT * FROM unnest(outcomes, now_epochs, now_tails, now_inboxes);
END $$;
`
