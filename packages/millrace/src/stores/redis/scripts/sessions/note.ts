import { clock, touch, defineScript } from '../common.ts'

/**
 * Records a present or possible change of a session in the sets of all sessions, if its own scripts cannot: on a cluster.
 *
 * A lease that has ended stays recorded until `leases` finds the session free a minute later: another master stores the end, and
 * may lose it. Keys: all sessions, all leases, all waiting sessions, the leases of version 0.1.0. Arguments: session; `open`, `write`,
 * `remove` or nothing; the milliseconds of a lease, or nothing; `waiting` or nothing; the owner of the session or nothing; a wrongly
 * recorded owner or nothing.
 */
export const note = defineScript(`${clock}${touch}
local now = micros()
local owner = ARGV[5] ~= '' and ARGV[5]
if ARGV[6] ~= '' then redis.call('ZREM', KEYS[1] .. ':' .. ARGV[6], ARGV[1]) end
if ARGV[2] == 'write' then touch(KEYS[1], ARGV[1], owner, now) end
if ARGV[2] == 'open' then
  redis.call('ZADD', KEYS[1], 'NX', text(now), ARGV[1])
  if owner then redis.call('ZADD', KEYS[1] .. ':' .. owner, 'NX', text(now), ARGV[1]) end
end
if ARGV[2] == 'remove' then
  redis.call('ZREM', KEYS[1], ARGV[1])
  if owner then redis.call('ZREM', KEYS[1] .. ':' .. owner, ARGV[1]) end
end
if ARGV[3] ~= '' then
  redis.call('ZADD', KEYS[2], text(now + ARGV[3] * 1000), ARGV[1])
  redis.call('ZREM', KEYS[4], ARGV[1])
end
if ARGV[4] == 'waiting' then redis.call('ZADD', KEYS[3], text(now), ARGV[1]) end
return 1
`)
