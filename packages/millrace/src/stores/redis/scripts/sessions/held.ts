import { clock, defineScript } from '../common.ts'

/**
 * Returns the holder of a session's lease, whether it has lapsed, whether commands are pending without a lease, the log, the version of the
 * inbox, and the number of pending commands. Keys: meta.
 */
export const held = defineScript(`${clock}
local m = redis.call('HMGET', KEYS[1], 'holder', 'lapses', 'owner', 'until', 'pending', 'closed', 'log', 'inbox')
local holder, lapses = m[1] or m[3], m[2] or m[4] or '0'
local isWaiting = not holder and not m[6] and tonumber(m[5] or 0) > 0
return {holder, tonumber(lapses) <= micros() and 1 or 0, isWaiting and 1 or 0, m[7], m[8] or '0', m[5]}
`)
