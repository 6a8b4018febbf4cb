import { clock, freeze, inbox, judge, lease, load, defineScript } from '../common.ts'

/**
 * Ends a pending command and replaces its body; returns whether it did. A repeated token is the same settlement.
 *
 * Keys: meta, inbox, pending, and on one node those of all sessions. Arguments: session, channel, key, body, token, the log or nothing;
 * last known epoch, writer, tail, log and writes, or nothing.
 */
export const settle = defineScript(`${clock}${load}${lease}${freeze}${judge}${inbox}
local meta, inbox, pending, name, key = KEYS[1], KEYS[2], KEYS[3], ARGV[1], ARGV[3]
local leases, waiting = KEYS[5], KEYS[6]
if ARGV[7] ~= '' and judge(meta, ARGV[7], ARGV[8], ARGV[9], ARGV[10], ARGV[11]) == 'lost' then
  freeze(meta, leases, waiting, name, ARGV[2], ARGV[9], micros())
end
local session = load(meta)
if not session.epoch then return {'missing'} end
if ARGV[6] ~= '' and session.log ~= ARGV[6] then return answer('replaced', session) end
if session.closed then return answer('truncated', session) end
local function tell(isSettled)
  local reply = answer('ok', session)
  reply[7] = isSettled and 1 or 0
  return reply
end
if not session.isConverted then return tell(false) end
local now = micros()
if not isInboxWhole(meta, inbox, pending) then
  freeze(meta, leases, waiting, name, ARGV[2], session.tail, now)
  return answer('truncated', session)
end
if not redis.call('ZSCORE', pending, key) then
  local known = redis.call('HGET', inbox, 's' .. key)
  return tell(known and string.match(known, ' (.*)$') == ARGV[5])
end
put(inbox, pending, key, ARGV[4], false, ARGV[5])
count(meta, inbox, pending)
session.writes = text(session.writes + 1)
redis.call('HSET', meta, 'inbox', text(session.inbox + 1), 'writes', session.writes)
attend(meta, waiting, name, now)
return tell(true)
`)
