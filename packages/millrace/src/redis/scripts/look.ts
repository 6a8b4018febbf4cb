import { clock, describe } from './common.ts'
import { defineScript } from './script.ts'

/** Tells where a session stands. Keys: meta. */
export const look = defineScript(`${clock}${describe}
if redis.call('HEXISTS', KEYS[1], 'epoch') == 0 then return {'missing'} end
local lost = redis.call('HGET', KEYS[1], 'lost')
local told = describe(KEYS[1], micros())
told[10] = lost
return told
`)
