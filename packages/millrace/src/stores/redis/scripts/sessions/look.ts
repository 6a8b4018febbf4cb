import { clock, describe, load } from '../common.ts'
import { defineScript } from '../script.ts'

/** Tells where a session stands. Keys: meta. Arguments: the id of its log, if an older version has given it none. */
export const look = defineScript(`${clock}${load}${describe}
if redis.call('HEXISTS', KEYS[1], 'epoch') == 0 then return {'missing'} end
if redis.call('HEXISTS', KEYS[1], 'log') == 0 then redis.call('HSET', KEYS[1], 'log', ARGV[1]) end
return describe(KEYS[1], micros())
`)
