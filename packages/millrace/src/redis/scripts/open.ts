import { clock, describe, judge, lease } from './common.ts'
import { defineScript } from './script.ts'

/** So many epochs are remembered with their writers; what a process saw before them is not compared any more. */
const EPOCHS_KEPT = 256

/**
 * Makes a writer the only one of a session, and the session if there is none. The same writer again is the same
 * opening. A session that was removed goes on counting epochs, so that its old writers stay locked out.
 *
 * Keys: meta, gone, and on one node all sessions and all leases.
 * Arguments: session, channel, writer, owner and milliseconds of a lease or nothing, epoch, writer and tail seen
 * before or nothing, the epoch that the session must have, 0 if there must be none, or nothing.
 */
export const open = defineScript(`${clock}${lease}${describe}${judge}
local meta, gone, session = KEYS[1], KEYS[2], ARGV[1]
local now = micros()
if ARGV[6] ~= '' and judge(meta, gone, ARGV[6], ARGV[7], ARGV[8]) == 'lost' then
  freeze(meta, KEYS[3], KEYS[4], session, ARGV[2], ARGV[6], ARGV[8], now)
end
local m = redis.call('HMGET', meta, 'epoch', 'writer', 'tail', 'lost')
if m[4] then return {'truncated', m[1], m[2], m[3], m[4]} end
if m[1] and m[2] == ARGV[3] then return describe(meta, now) end
if ARGV[9] ~= '' and (m[1] or '0') ~= ARGV[9] then
  return {'fenced', m[1] or '0', m[2] or '', m[3] or '0'}
end
local before, tail = m[1], m[3]
if not before then
  before = string.match(redis.call('GET', gone) or '0', '^%d+')
  tail = '0'
  redis.call('HSET', meta, 'tail', tail, 'first', 1)
end
local epoch = text(before + 1)
redis.call('HSET', meta, 'epoch', epoch, 'writer', ARGV[3], 'token', '', 'at', text(now), 'e:' .. epoch, ARGV[3] .. ' ' .. tail)
redis.call('HDEL', meta, 'e:' .. text(epoch - ${EPOCHS_KEPT}))
grant(meta, KEYS[4], session, ARGV[4], ARGV[5], now)
if KEYS[3] then redis.call('ZADD', KEYS[3], text(now), session) end
return describe(meta, now)
`)
