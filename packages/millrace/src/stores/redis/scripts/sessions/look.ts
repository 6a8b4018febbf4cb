import { clock, describe, load, defineScript } from '../common.ts'

/** Returns the description of a session. Keys: meta. Arguments: the log id, if an older version has set none. */
export const look = defineScript(`${clock}${load}${describe}
if redis.call('HEXISTS', KEYS[1], 'epoch') == 0 then return {'missing'} end
if redis.call('HEXISTS', KEYS[1], 'log') == 0 then redis.call('HSET', KEYS[1], 'log', ARGV[1]) end
return describe(KEYS[1], micros())
`)
