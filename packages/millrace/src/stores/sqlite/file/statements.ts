/** Numbers are bound as REAL. INTEGER columns convert them back, and so do `<<` and `|`, but not `+`. */
const keyRange = 'key > (?1 << 32) AND key <= ((?1 << 32) | 4294967295)'

const forkColumns = `fork_sum, parent, fork_frame, parent_name,
  (SELECT log FROM sessions AS parents WHERE parents.number = sessions.parent)`
const findSession = `SELECT number, epoch, tail, earliest, log, generation, inbox, ${forkColumns}, owner_sum, owner FROM sessions
  WHERE name = ?1`
const findFork = `SELECT ${forkColumns} FROM sessions WHERE number = ?1`
const countPending = 'SELECT count(*) FROM inbox WHERE session = ?1 AND is_pending = 1'
const findHead = `SELECT lease_owner, lease_until, inbox, (${countPending}), heads.tail, sum, body
  FROM sessions LEFT JOIN heads ON session = number WHERE number = ?1`
const findCommand = `SELECT place & 4294967295, is_pending, sum, body FROM inbox
  WHERE session = ?1 AND key = ?2`
const listColumns = 'written, name, sessions.tail, number, heads.tail, sum, body, owner_sum, owner'
const listFrom = 'FROM sessions LEFT JOIN heads ON session = number WHERE written < ?1'
const listOrder = 'ORDER BY written DESC LIMIT 1 OFFSET ?2'
const partRange = 'FROM parts WHERE session = ?1 AND collection = ?2 AND number'

/** The statements of the connection that reads. */
export const readTexts = {
  begin: 'BEGIN',
  rollback: 'ROLLBACK',
  version: 'PRAGMA data_version',
  findSession,
  findFork,
  findHead,
  findCommand,
  findTail: 'SELECT tail FROM sessions WHERE number = ?1',
  nextBranch: `SELECT fork_frame, number, name FROM sessions
    WHERE parent = ?1 AND written > 0 AND (fork_frame, number) > (?2, ?3) ORDER BY fork_frame, number LIMIT 1`,
  nextPage: `SELECT key & 4294967295, sum, body FROM pages WHERE key > ((?1 << 32) | ?2) AND ${keyRange}
    ORDER BY key LIMIT 1`,
  countSessions: 'SELECT count(*) FROM sessions WHERE written > 0',
  countOwned: 'SELECT count(*) FROM sessions WHERE owner = ?1',
  nextSession: `SELECT ${listColumns} ${listFrom} AND written > 0 ${listOrder}`,
  nextOwned: `SELECT ${listColumns} ${listFrom} AND owner = ?3 ${listOrder}`,
  nextLease: `SELECT lease_until, number, name, lease_owner FROM sessions
    WHERE lease_owner IS NOT NULL AND (lease_until, number) > (?1, ?2) ORDER BY lease_until, number LIMIT 1`,
  partAfter: `SELECT number, frame, sum, body ${partRange} > ?3 AND frame <= ?4 ORDER BY number LIMIT 1`,
  partBefore: `SELECT number, frame, sum, body ${partRange} < ?3 AND frame <= ?4 ORDER BY number DESC LIMIT 1`,
  nextPending: `SELECT place & 4294967295, key, is_pending, sum, body FROM inbox
    WHERE session = ?1 AND is_pending = 1 AND place > ((?1 << 32) | ?2) ORDER BY place LIMIT 1`,
  commandAfter: `SELECT place & 4294967295, key, is_pending, sum, body FROM inbox
    WHERE place > ((?1 << 32) | ?2) AND place <= ((?1 << 32) | ?3) ORDER BY place LIMIT 1`,
  // Without CROSS, SQLite may scan all sessions.
  nextUnattended: `SELECT number, name, log, inbox,
    (SELECT count(*) FROM inbox AS own WHERE own.session = number AND own.is_pending = 1) FROM inbox CROSS JOIN sessions ON number = session
    WHERE is_pending = 1 AND session > ?1 AND lease_owner IS NULL ORDER BY session LIMIT 1`,
  findFile: `SELECT media_type, filename, sum, body FROM files
    WHERE session = ?1 AND id = ?2 AND tail <= ?3`,
  nextFileId: `SELECT id FROM files WHERE session = ?1 AND id > ?2 AND tail <= ?3
    ORDER BY id LIMIT 1`,
  lastCommand: 'SELECT coalesce(max(number), 0) FROM commands',
  nextCommand: `SELECT number, session, command FROM commands WHERE number > ?1 ORDER BY number LIMIT 1`,
} as const

/** The statements of the connection that writes. */
export const writeTexts = {
  begin: 'BEGIN IMMEDIATE',
  version: 'PRAGMA data_version',
  schemaVersion: 'PRAGMA user_version',
  findSession,
  findFork,
  findHead,
  findCommand,
  countPending,
  addSession: `INSERT INTO sessions (name, log, owner_sum, owner, generation, epoch, tail, earliest, written, written_at)
    VALUES (?1, ?2, ?3, ?4, 1 + coalesce((SELECT generation FROM gone WHERE name = ?1), 0), 0, 0, 1,
      (SELECT coalesce(max(written), 0) + 1 FROM sessions), 0)`,
  setFork: `UPDATE sessions SET fork_sum = ?2, parent = ?3, fork_frame = ?4, parent_name = ?5,
    epoch = 1, tail = ?4, earliest = ?6 WHERE number = ?1`,
  setEarliest: 'UPDATE sessions SET earliest = ?2 WHERE number = ?1',
  setWriter: `UPDATE sessions SET epoch = ?2, lease_owner = ?3, lease_until = ?4 WHERE number = ?1`,
  setLease: 'UPDATE sessions SET lease_owner = ?2, lease_until = ?3 WHERE number = ?1',
  renewLease: `UPDATE sessions SET lease_owner = ?2, lease_until = ?3
    WHERE number = ?1 AND lease_owner IS NOT NULL`,
  addJournal: 'INSERT INTO journal (written_at, sum, body) VALUES (?1, ?2, ?3)',
  firstJournal: 'SELECT number FROM journal LIMIT 1',
  nextJournal: `SELECT number, written_at, sum, body FROM journal
    WHERE number > ?1 ORDER BY number LIMIT 1`,
  clearJournal: 'DELETE FROM journal',
  findNumber: 'SELECT name, tail, earliest FROM sessions WHERE number = ?1',
  lastWritten: 'SELECT coalesce(max(written), 0) FROM sessions',
  setLog: `UPDATE sessions SET tail = ?2, earliest = ?3, written = ?4, written_at = ?5
    WHERE number = ?1`,
  addPage: 'INSERT INTO pages (key, sum, body) VALUES ((?1 << 32) | ?2, ?3, ?4)',
  putHead: `INSERT INTO heads (session, tail, sum, body) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT DO UPDATE SET tail = ?2, sum = ?3, body = ?4`,
  putPart: `INSERT INTO parts (session, collection, number, frame, sum, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
    ON CONFLICT DO UPDATE SET frame = ?4, sum = ?5, body = ?6`,
  dropPart: `DELETE ${partRange} = ?3`,
  setInbox: 'UPDATE sessions SET inbox = ?2 WHERE number = ?1',
  putCommand: `INSERT INTO inbox (place, session, key, is_pending, sum, body)
    VALUES (1 + (SELECT coalesce(max(place), ?1 << 32) FROM inbox
      WHERE place > (?1 << 32) AND place <= ((?1 << 32) | 4294967295)), ?1, ?2, ?3, ?4, ?5)
    ON CONFLICT (session, key) DO UPDATE SET is_pending = ?3, sum = ?4, body = ?5
    RETURNING place & 4294967295`,
  findClaim: 'SELECT holder, until FROM claims WHERE session = ?1 AND name = ?2',
  putClaim: 'INSERT OR REPLACE INTO claims (session, name, holder, until) VALUES (?1, ?2, ?3, ?4)',
  dropClaim: 'DELETE FROM claims WHERE session = ?1 AND name = ?2',
  dropLapsedClaims: 'DELETE FROM claims WHERE session = ?1 AND until <= ?2',
  putFile: `INSERT OR REPLACE INTO files (session, id, media_type, filename, sum, body, tail)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)`,
  findRelatives: `SELECT parent, (SELECT max(fork_frame) FROM sessions WHERE parent = ?1), written
    FROM sessions WHERE number = ?1`,
  hideSession: `UPDATE sessions SET name = char(0) || number, written = 0, lease_owner = NULL, lease_until = NULL,
    owner = NULL, owner_sum = NULL
    WHERE number = ?1`,
  removeSession: 'DELETE FROM sessions WHERE number = ?1',
  addGone: `INSERT OR REPLACE INTO gone (name, generation, removed_at)
    SELECT name, generation, ?2 FROM sessions WHERE number = ?1`,
  dropGone: 'DELETE FROM gone WHERE removed_at < ?1',
  nextIdle: `SELECT number, name, heads.tail, sum, body FROM sessions LEFT JOIN heads ON session = number
    WHERE number > ?1 AND written > 0 AND written_at <= ?2 AND lease_owner IS NULL ORDER BY number LIMIT 1`,
  addCommand: 'INSERT INTO commands (sent_at, session, command) VALUES (?1, ?2, ?3)',
  dropCommands: 'DELETE FROM commands WHERE sent_at < ?1',
  setPulse: 'INSERT OR REPLACE INTO pulse (number, at) VALUES (1, ?1)',
} as const
