import { clock, lease } from './common.ts'
import { defineScript } from './script.ts'

/**
 * Renews a lease, unless it was given up. Keys: meta, and on one node all leases.
 * Arguments: session, epoch, writer or nothing, owner, milliseconds.
 */
export const renew = defineScript(`${clock}${lease}
local m = redis.call('HMGET', KEYS[1], 'epoch', 'writer', 'tail', 'lost', 'owner')
if not m[1] then return {'missing'} end
if m[4] then return {'truncated', m[1], m[2], m[3], m[4]} end
local isWriter = m[1] == ARGV[2] and (ARGV[3] == '' or m[2] == ARGV[3])
if isWriter and m[5] then grant(KEYS[1], KEYS[2], ARGV[1], ARGV[4], ARGV[5], micros()) end
return {isWriter and 'ok' or 'fenced', m[1], m[2], m[3]}
`)
