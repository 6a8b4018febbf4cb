import { clock, judge, lease } from './common.ts'
import { defineScript } from './script.ts'

/**
 * Says whether what a process has seen of a session is still so, and closes the session if it is not.
 *
 * Keys: meta, gone, and on one node all sessions and all leases.
 * Arguments: session, channel, epoch, writer and tail seen.
 */
export const check = defineScript(`${clock}${lease}${judge}
local verdict = judge(KEYS[1], KEYS[2], ARGV[3], ARGV[4], ARGV[5])
if verdict == 'lost' then
  freeze(KEYS[1], KEYS[3], KEYS[4], ARGV[1], ARGV[2], ARGV[3], ARGV[5], micros())
end
local m = redis.call('HMGET', KEYS[1], 'epoch', 'writer', 'tail', 'lost')
return {verdict, m[1], m[2], m[3], m[4]}
`)
