import { clock, freeze, judge, lease, load, defineScript } from '../common.ts'

/**
 * Compares the last known state of a session with its present state, and closes the session after data loss.
 *
 * Keys: meta, and on one node those of all sessions. Arguments: session, channel, last known epoch, writer, tail, log and writes.
 */
export const check = defineScript(`${clock}${load}${lease}${freeze}${judge}
local verdict = judge(KEYS[1], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7])
if verdict == 'lost' then
  freeze(KEYS[1], KEYS[3], KEYS[4], ARGV[1], ARGV[2], ARGV[5], micros())
end
return answer(verdict, load(KEYS[1]))
`)
