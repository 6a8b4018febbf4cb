import { clock } from './common.ts'
import { defineScript } from './script.ts'

/**
 * Removes a session with all that it has, if it is there; with a bound, only if nobody has written to it for so long
 * and nobody holds a lease on it.
 *
 * Keys: meta, gone, files, on one node those of all sessions, and all others of the session. Arguments: session, channel,
 * token, milliseconds for which the removal is remembered, prefix of files, idle milliseconds or nothing, how many keys
 * there are of all sessions.
 */
export const remove = defineScript(`${clock}
local meta, gone, files, name = KEYS[1], KEYS[2], KEYS[3], ARGV[1]
local function forget()
  for i = 4, 3 + ARGV[7] do redis.call('ZREM', KEYS[i], name) end
end
local m = redis.call('HMGET', meta, 'epoch', 'generation', 'holder', 'written', 'owner', 'at')
if not m[1] then
  forget()
  return {string.match(redis.call('GET', gone) or '', '^%d+ (%S+)') == ARGV[3] and 1 or 0}
end
local isHeld, written = m[3] or m[5], m[4] or m[6]
if ARGV[6] ~= '' and (isHeld or tonumber(written) > micros() - ARGV[6] * 1000) then return {0} end
for _, id in ipairs(redis.call('SMEMBERS', files)) do redis.call('UNLINK', ARGV[5] .. id) end
redis.call('UNLINK', meta, files, unpack(KEYS, 4 + ARGV[7]))
redis.call('SET', gone, m[1] .. ' ' .. ARGV[3] .. ' ' .. (m[2] or '1'), 'PX', ARGV[4])
forget()
redis.call('PUBLISH', ARGV[2], 'gone')
return {1}
`)
