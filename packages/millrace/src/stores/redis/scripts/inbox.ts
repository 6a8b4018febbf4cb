import { clock, convert, defineScript, freeze, inbox, judge, lease, load } from './common.ts'

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
list_waiting(meta, waiting, name, now)
local reply = answer('ok', session)
reply[7], reply[8], reply[9], reply[10] = seq, 1, false, 1
return reply
`)

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
list_waiting(meta, waiting, name, now)
return tell(true)
`)

/**
 * Lists the pending commands in the order of submission, the command with a key, or a range of numbers: each as its number, its key,
 * whether it is pending, and its body. Keys: meta, inbox, pending. Arguments: nothing, the key, or the number before the range and its last
 * one.
 */
export const commands = defineScript(`${clock}${load}${inbox}
local session = load(KEYS[1])
if not session.epoch then return {'missing'} end
local found = answer('ok', session)
if not session.isConverted then return found end
if not isInboxWhole(KEYS[1], KEYS[2], KEYS[3]) then return answer('truncated', session) end
local keys = {}
if ARGV[2] then
  local last = math.min(ARGV[2], redis.call('HGET', KEYS[1], 'commands') or 0)
  for number = ARGV[1] + 1, last do keys[#keys + 1] = redis.call('HGET', KEYS[2], 'k' .. text(number)) end
else
  keys = ARGV[1] and {ARGV[1]} or redis.call('ZRANGE', KEYS[3], 0, -1)
end
for _, key in ipairs(keys) do
  local known = redis.call('HMGET', KEYS[2], 's' .. key, 'b' .. key)
  if known[1] then
    found[#found + 1] = string.match(known[1], '^%d+')
    found[#found + 1] = key
    found[#found + 1] = redis.call('ZSCORE', KEYS[3], key) and 1 or 0
    found[#found + 1] = known[2]
  end
end
return found
`)

/**
 * Takes, renews or releases a claim, unless another holder's claim has not lapsed. Returns the holder and the remaining milliseconds. The
 * key expires with its last claim. Keys: meta, claims. Arguments: name, holder, milliseconds.
 */
export const claim = defineScript(`${clock}
if redis.call('HEXISTS', KEYS[1], 'epoch') == 0 then return {'missing'} end
local now, ms = micros(), tonumber(ARGV[3])
local lapses, holder = string.match(redis.call('HGET', KEYS[2], ARGV[1]) or '', '^(%d+) (.*)$')
if holder and holder ~= ARGV[2] and tonumber(lapses) > now then
  return {'ok', holder, text(math.ceil((lapses - now) / 1000))}
end
if ms > 0 then
  redis.call('HSET', KEYS[2], ARGV[1], text(now + ms * 1000) .. ' ' .. ARGV[2])
  if redis.call('PTTL', KEYS[2]) < ms then redis.call('PEXPIRE', KEYS[2], text(math.ceil(ms) + 1)) end
else
  redis.call('HDEL', KEYS[2], ARGV[1])
end
return {'ok', ARGV[2], ARGV[3]}
`)
