import { clock } from './common.ts'
import { defineScript } from './script.ts'

/** Who holds the lease on a session, and whether it has lapsed. Keys: meta. */
export const held = defineScript(`${clock}
local m = redis.call('HMGET', KEYS[1], 'owner', 'until')
if not m[1] then return {false, 0} end
return {m[1], tonumber(m[2]) <= micros() and 1 or 0}
`)
