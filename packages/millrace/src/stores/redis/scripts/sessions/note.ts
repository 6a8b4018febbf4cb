import { clock, touch } from '../common.ts'
import { defineScript } from '../script.ts'

/**
 * Notes in the sets of all sessions what happened to one, or may happen next, where its own scripts cannot: on a cluster.
 *
 * Keys: all sessions, all leases, all that wait, the leases of version 0.1.0. Arguments: session; `write`, `remove` or
 * nothing; `release`, the milliseconds of a lease, or nothing; `waiting` or nothing; the owner of the session or nothing;
 * somebody who was noted as its owner and is not, or nothing.
 */
export const note = defineScript(`${clock}${touch}
local now = micros()
local owner = ARGV[5] ~= '' and ARGV[5]
if ARGV[6] ~= '' then redis.call('ZREM', KEYS[1] .. ':' .. ARGV[6], ARGV[1]) end
if ARGV[2] == 'write' then touch(KEYS[1], ARGV[1], owner, now) end
if ARGV[2] == 'remove' then
  redis.call('ZREM', KEYS[1], ARGV[1])
  if owner then redis.call('ZREM', KEYS[1] .. ':' .. owner, ARGV[1]) end
end
if ARGV[3] == 'release' then
  redis.call('ZREM', KEYS[2], ARGV[1])
elseif ARGV[3] ~= '' then
  redis.call('ZADD', KEYS[2], text(now + ARGV[3] * 1000), ARGV[1])
  redis.call('ZREM', KEYS[4], ARGV[1])
end
if ARGV[4] == 'waiting' then redis.call('ZADD', KEYS[3], text(now), ARGV[1]) end
return 1
`)
