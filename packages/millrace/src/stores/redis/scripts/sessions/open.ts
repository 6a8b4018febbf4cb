import {
  clock,
  convert,
  describe,
  freeze,
  judge,
  lease,
  load,
  recall,
  touch,
  defineScript,
} from '../common.ts'

/** Maximum number of remembered epochs with their writers. States of earlier epochs are not compared. */
const EPOCHS_KEPT = 256

/**
 * Makes a writer the only one of a session, and creates the session if there is none. The same writer again is the same opening. A removed
 * session continues its epochs, so that its old writers stay fenced.
 *
 * Keys: meta, gone, parts, numbers, inbox, pending, pins, and on one node those of all sessions. Arguments: session, channel, writer, owner
 * and milliseconds of a lease or nothing, the expected epoch (0 for no session) or nothing, the log id if it has none, the owner of a new
 * session or nothing; last known epoch, writer, tail, log and writes, or nothing.
 */
export const open =
  defineScript(`${clock}${load}${convert}${recall}${lease}${freeze}${describe}${judge}${touch}
local meta, gone, name = KEYS[1], KEYS[2], ARGV[1]
local sessions, leases, waiting, oldLeases = KEYS[8], KEYS[9], KEYS[10], KEYS[11]
local now = micros()
if ARGV[9] ~= '' and judge(meta, ARGV[9], ARGV[10], ARGV[11], ARGV[12], ARGV[13]) == 'lost' then
  freeze(meta, leases, waiting, name, ARGV[2], ARGV[11], now)
end
local session = load(meta)
if session.closed then return answer('truncated', session) end
if session.epoch and session.writer == ARGV[3] then return describe(meta, now) end
if ARGV[6] ~= '' and (session.epoch or '0') ~= ARGV[6] then
  return {'fenced', session.epoch or '0', session.writer or '', session.tail or '0'}
end
if not session.isConverted then convert(meta, {KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7]}, oldLeases, name, ARGV[7]) end
local before, tail = session.epoch, session.tail
if not before then
  local generation
  before, generation = recall(gone)
  tail = '0'
  redis.call('HSET', meta, 'tail', tail, 'first', 1, 'generation', generation)
  if ARGV[8] ~= '' then redis.call('HSET', meta, 'ownedBy', ARGV[8]) end
end
local epoch = text(before + 1)
local began = ARGV[3] .. ' ' .. tail .. ' ' .. session.writes
redis.call('HSET', meta, 'epoch', epoch, 'writer', ARGV[3], 'token', '', 'e:' .. epoch, began)
if not session.epoch then redis.call('HSET', meta, 'written', text(now)) end
redis.call('HDEL', meta, 'e:' .. text(epoch - ${EPOCHS_KEPT}))
grant(meta, leases, name, ARGV[4], ARGV[5], now)
attend(meta, waiting, name, now)
local reply = describe(meta, now)
if not session.epoch then touch(sessions, name, reply[16], now) end
return reply
`)
