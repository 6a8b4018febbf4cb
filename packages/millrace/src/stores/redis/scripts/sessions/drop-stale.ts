import { clock, defineScript } from '../common.ts'

/** Removes a wrong entry from a set of leases, of waiting sessions or of an owner's sessions, once it is a minute old. Keys: the set. Arguments: session. */
export const dropStale = defineScript(`${clock}
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not score or tonumber(score) > micros() - 60000000 then return {0} end
return {redis.call('ZREM', KEYS[1], ARGV[1])}
`)
