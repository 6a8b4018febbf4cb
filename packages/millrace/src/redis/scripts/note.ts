import { clock } from './common.ts'
import { defineScript } from './script.ts'

/**
 * Notes in the sets of all sessions what happened to one, or may happen next, where its own scripts cannot: on a cluster.
 *
 * Keys: all sessions, all leases, all that wait, the leases of version 0.1.0. Arguments: session; `write`, `remove` or
 * nothing; `release`, the milliseconds of a lease, or nothing; `waiting` or nothing.
 */
export const note = defineScript(`${clock}
local now = micros()
if ARGV[2] == 'write' then redis.call('ZADD', KEYS[1], text(now), ARGV[1]) end
if ARGV[2] == 'remove' then redis.call('ZREM', KEYS[1], ARGV[1]) end
if ARGV[3] == 'release' then
  redis.call('ZREM', KEYS[2], ARGV[1])
elseif ARGV[3] ~= '' then
  redis.call('ZADD', KEYS[2], text(now + ARGV[3] * 1000), ARGV[1])
  redis.call('ZREM', KEYS[4], ARGV[1])
end
if ARGV[4] == 'waiting' then redis.call('ZADD', KEYS[3], text(now), ARGV[1]) end
return 1
`)
