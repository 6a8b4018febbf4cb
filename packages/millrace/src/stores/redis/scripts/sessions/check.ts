import { clock, freeze, judge, lease, load } from '../common.ts'
import { defineScript } from '../script.ts'

/**
 * Says whether what a process has seen of a session is still so, and closes the session if it is not.
 *
 * Keys: meta, and on one node those of all sessions.
 * Arguments: session, channel, epoch, writer, tail, log and writes seen.
 */
export const check = defineScript(`${clock}${load}${lease}${freeze}${judge}
local verdict = judge(KEYS[1], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7])
if verdict == 'lost' then
  freeze(KEYS[1], KEYS[3], KEYS[4], ARGV[1], ARGV[2], ARGV[5], micros())
end
return answer(verdict, load(KEYS[1]))
`)
