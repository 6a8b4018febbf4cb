import { clock } from '../common.ts'
import { defineScript } from '../script.ts'

/** Who holds the lease on a session, whether it has lapsed, when it does, and whether commands wait there that nobody attends to. Keys: meta. */
export const held = defineScript(`${clock}
local m = redis.call('HMGET', KEYS[1], 'holder', 'lapses', 'owner', 'until', 'pending', 'closed')
local holder, lapses = m[1] or m[3], m[2] or m[4] or '0'
local isWaiting = not holder and not m[6] and tonumber(m[5] or 0) > 0
return {holder, tonumber(lapses) <= micros() and 1 or 0, lapses, isWaiting and 1 or 0}
`)
