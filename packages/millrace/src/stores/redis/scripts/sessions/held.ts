import { clock } from '../common.ts'
import { defineScript } from '../script.ts'

/** Returns the holder of a session's lease, whether and when it lapses, and whether commands are pending without a lease. Keys: meta. */
export const held = defineScript(`${clock}
local m = redis.call('HMGET', KEYS[1], 'holder', 'lapses', 'owner', 'until', 'pending', 'closed')
local holder, lapses = m[1] or m[3], m[2] or m[4] or '0'
local isWaiting = not holder and not m[6] and tonumber(m[5] or 0) > 0
return {holder, tonumber(lapses) <= micros() and 1 or 0, lapses, isWaiting and 1 or 0}
`)
