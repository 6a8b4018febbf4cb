import { clock, convert, freeze, inbox, judge, lease, load, defineScript } from '../common.ts'

/**
 * Stores a pending command, unless the log has a command with its key, which it then returns. A repeated token is the same submission.
 *
 * Keys: meta, parts, numbers, inbox, pending, pins, and on one node those of all sessions. Arguments: session, channel, key, body, token,
 * the log or nothing, the log id if it has none, maximum number of pending commands; last known epoch, writer, tail, log and writes, or
 * nothing.
 */
export const submit = defineScript(`${clock}${load}${convert}${lease}${freeze}${judge}${inbox}
local meta, inbox, pending, name, key = KEYS[1], KEYS[4], KEYS[5], ARGV[1], ARGV[3]
local leases, waiting, oldLeases = KEYS[8], KEYS[9], KEYS[10]
if ARGV[9] ~= '' and judge(meta, ARGV[9], ARGV[10], ARGV[11], ARGV[12], ARGV[13]) == 'lost' then
  freeze(meta, leases, waiting, name, ARGV[2], ARGV[11], micros())
end
local session = load(meta)
if not session.epoch then return {'missing'} end
if ARGV[6] ~= '' and session.log ~= ARGV[6] then return answer('replaced', session) end
if session.closed then return answer('truncated', session) end
if not session.isConverted then
  convert(meta, {KEYS[2], KEYS[3], inbox, pending, KEYS[6]}, oldLeases, name, ARGV[7])
  session = load(meta)
end
local now = micros()
if not isInboxWhole(meta, inbox, pending) then
  freeze(meta, leases, waiting, name, ARGV[2], session.tail, now)
  return answer('truncated', session)
end
local known = redis.call('HMGET', inbox, 's' .. key, 'b' .. key)
if known[1] then
  local reply = answer('ok', session)
  local seq, token = string.match(known[1], '^(%d+) (.*)$')
  reply[7], reply[8], reply[9] = seq, redis.call('ZSCORE', pending, key) and 1 or 0, known[2]
  reply[10] = token == ARGV[5] and 1 or 0
  return reply
end
if redis.call('ZCARD', pending) >= tonumber(ARGV[8]) then return answer('full', session) end
local seq = put(inbox, pending, key, ARGV[4], true, ARGV[5])
count(meta, inbox, pending)
session.writes = text(session.writes + 1)
redis.call('HSET', meta, 'inbox', text(session.inbox + 1), 'writes', session.writes)
attend(meta, waiting, name, now)
local reply = answer('ok', session)
reply[7], reply[8], reply[9], reply[10] = seq, 1, false, 1
return reply
`)
