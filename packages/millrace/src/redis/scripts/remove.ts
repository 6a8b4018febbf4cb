import { clock } from './common.ts'
import { defineScript } from './script.ts'

/**
 * Removes a session with all that it has, if it is there; with a bound, only if nobody has written to it for so long
 * and nobody holds a lease on it.
 *
 * Keys: meta, log, history, conversations, files, gone, and on one node all sessions and all leases.
 * Arguments: session, channel, token, milliseconds for which the removal is remembered, prefix of files, idle
 * milliseconds or nothing.
 */
export const remove = defineScript(`${clock}
local meta, gone, session = KEYS[1], KEYS[6], ARGV[1]
local function forget()
  if KEYS[7] then redis.call('ZREM', KEYS[7], session) end
  if KEYS[8] then redis.call('ZREM', KEYS[8], session) end
end
local m = redis.call('HMGET', meta, 'epoch', 'at', 'owner')
if not m[1] then
  forget()
  return {string.match(redis.call('GET', gone) or '', '%S+$') == ARGV[3] and 1 or 0}
end
if ARGV[6] ~= '' and (m[3] or tonumber(m[2]) > micros() - ARGV[6] * 1000) then return {0} end
for _, id in ipairs(redis.call('SMEMBERS', KEYS[5])) do redis.call('UNLINK', ARGV[5] .. id) end
redis.call('UNLINK', meta, KEYS[2], KEYS[3], KEYS[4], KEYS[5])
redis.call('SET', gone, m[1] .. ' ' .. ARGV[3], 'PX', ARGV[4])
forget()
redis.call('PUBLISH', ARGV[2], 'gone')
return {1}
`)
