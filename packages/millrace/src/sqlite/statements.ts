/** Numbers are bound as REAL; a column of INTEGER turns them back, and so do `<<` and `|`, where `+` would not. */
const keyRange = 'key > (?1 << 32) AND key <= ((?1 << 32) | 4294967295)'

const findSession = 'SELECT number, epoch, tail, earliest FROM sessions WHERE name = ?1'
const findLease = 'SELECT lease_owner, lease_until FROM sessions WHERE number = ?1'
const findRecord = 'SELECT tail, parts, sum, summary FROM records WHERE session = ?1'
const findRecordPart = 'SELECT sum, body FROM record_parts WHERE key = ((?1 << 32) | ?2)'

/** What is prepared for reading. */
export const readTexts = {
  begin: 'BEGIN',
  rollback: 'ROLLBACK',
  version: 'PRAGMA data_version',
  findSession,
  findLease,
  findRecord,
  findRecordPart,
  nextPage: `SELECT key & 4294967295, sum, body FROM pages WHERE key > ((?1 << 32) | ?2) AND ${keyRange}
    ORDER BY key LIMIT 1`,
  countSessions: 'SELECT count(*) FROM sessions',
  nextSession: `SELECT written, name, sessions.tail, sum, summary FROM sessions
    LEFT JOIN records ON session = number WHERE written < ?1 ORDER BY written DESC LIMIT 1 OFFSET ?2`,
  nextLease: `SELECT lease_until, number, name, lease_owner FROM sessions
    WHERE lease_owner IS NOT NULL AND (lease_until, number) > (?1, ?2) ORDER BY lease_until, number LIMIT 1`,
  nextConversation: `SELECT number, sum, body FROM conversations
    WHERE session = ?1 AND number < ?2 ORDER BY number DESC LIMIT 1`,
  findFile: 'SELECT media_type, filename, sum, body FROM files WHERE session = ?1 AND id = ?2',
  nextFileId: 'SELECT id FROM files WHERE session = ?1 AND id > ?2 ORDER BY id LIMIT 1',
  lastCommand: 'SELECT coalesce(max(number), 0) FROM commands',
  nextCommand: `SELECT number, session, command FROM commands WHERE number > ?1 ORDER BY number LIMIT 1`,
} as const

/** What is prepared for writing. */
export const writeTexts = {
  begin: 'BEGIN IMMEDIATE',
  version: 'PRAGMA data_version',
  findSession,
  findLease,
  findRecord,
  findRecordPart,
  addSession: `INSERT INTO sessions (name, epoch, tail, earliest, written, written_at)
    VALUES (?1, 0, 0, 1, (SELECT coalesce(max(written), 0) + 1 FROM sessions), 0)`,
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
  putRecord: `INSERT INTO records (session, tail, parts, sum, summary) VALUES (?1, ?2, ?3, ?4, ?5)
    ON CONFLICT DO UPDATE SET tail = ?2, parts = ?3, sum = ?4, summary = ?5`,
  putRecordPart: `INSERT INTO record_parts (key, sum, body) VALUES ((?1 << 32) | ?2, ?3, ?4)
    ON CONFLICT DO UPDATE SET sum = ?3, body = ?4`,
  dropRecordParts: `DELETE FROM record_parts WHERE key > ((?1 << 32) | ?2) AND ${keyRange}`,
  putConversation: `INSERT INTO conversations (session, number, sum, body) VALUES (?1, ?2, ?3, ?4)
    ON CONFLICT DO UPDATE SET sum = ?3, body = ?4`,
  putFile: `INSERT OR REPLACE INTO files (session, id, media_type, filename, sum, body)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6)`,
  removeSession: 'DELETE FROM sessions WHERE number = ?1',
  nextIdle: `SELECT number, name FROM sessions
    WHERE number > ?1 AND written_at <= ?2 AND lease_owner IS NULL ORDER BY number LIMIT 1`,
  addCommand: 'INSERT INTO commands (sent_at, session, command) VALUES (?1, ?2, ?3)',
  dropCommands: 'DELETE FROM commands WHERE sent_at < ?1',
  setPulse: 'INSERT OR REPLACE INTO pulse (number, at) VALUES (1, ?1)',
} as const
