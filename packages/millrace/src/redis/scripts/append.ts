import { clock, lease } from './common.ts'
import { defineScript } from './script.ts'

/**
 * Stores lines behind the tail, and what belongs to them, if epoch, writer and tail are those the caller believes in.
 * The same token again is the same append: it was stored, and only its answer was lost.
 *
 * Keys: meta, log, history, conversations, and on one node all sessions and all leases.
 * Arguments: session, epoch, writer or nothing, tail, token, channel, how many messages are kept, how many more may
 * be there before they are trimmed, how many parts follow; each part as three arguments; lines.
 */
export const append = defineScript(`${clock}${lease}
local meta, log = KEYS[1], KEYS[2]
local m = redis.call('HMGET', meta, 'epoch', 'writer', 'tail', 'token', 'first', 'lost')
if not m[1] then return {'missing'} end
local function answer(status, tail)
  return {status, m[1], m[2], tail, m[6]}
end
if m[6] then return answer('truncated', m[3]) end
if m[1] ~= ARGV[2] or (ARGV[3] ~= '' and m[2] ~= ARGV[3]) then return answer('fenced', m[3]) end
if m[4] == ARGV[5] then return answer('ok', m[3]) end
if m[3] ~= ARGV[4] then return answer('moved', m[3]) end
local tail, first = tonumber(m[3]), tonumber(m[5])
if redis.call('XLEN', log) ~= tail - first + 1 then
  m[6] = m[3]
  redis.call('HSET', meta, 'lost', m[3])
  grant(meta, KEYS[6], ARGV[1], '', '', 0)
  redis.call('PUBLISH', ARGV[6], 'lost')
  return answer('truncated', m[3])
end
local parts = 9 + 3 * ARGV[9]
for i = parts + 1, #ARGV do
  tail = tail + 1
  redis.call('XADD', log, '0-' .. text(tail), 'l', ARGV[i])
end
local now = micros()
local keep, slack = tonumber(ARGV[7]), tonumber(ARGV[8])
if tail - first + 1 > keep + slack then
  first = tail - keep + 1
  redis.call('XTRIM', log, 'MINID', '0-' .. text(first))
end
redis.call('HSET', meta, 'tail', text(tail), 'first', text(first), 'token', ARGV[5], 'at', text(now))
for i = 10, parts, 3 do
  local kind, a, b = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  if kind == 'record' then
    redis.call('HSET', meta, 'record', a, 'summary', b)
  elseif kind == 'conversation' then
    redis.call('ZADD', KEYS[3], a, a)
    redis.call('HSET', KEYS[4], a, b)
  else
    grant(meta, KEYS[6], ARGV[1], a, b, now)
  end
end
if KEYS[5] then redis.call('ZADD', KEYS[5], text(now), ARGV[1]) end
if #ARGV > parts then redis.call('PUBLISH', ARGV[6], text(tail)) end
return answer('ok', text(tail))
`)
