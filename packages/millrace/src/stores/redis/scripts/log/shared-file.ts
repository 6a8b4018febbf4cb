import { find, defineScript } from '../common.ts'

/** Reads a file that a branch shares. Keys: meta and file of a session, the same of its kept log. Arguments: the log, the last shared frame. */
export const sharedFile = defineScript(`${find}
local skip = find(ARGV[1], 2)
if not skip then return {} end
local tail = redis.call('HGET', KEYS[skip + 2], 'tail') or 0
if tonumber(tail) > tonumber(ARGV[2]) then return {} end
return redis.call('HMGET', KEYS[skip + 2], 'type', 'name', 'bytes')
`)
