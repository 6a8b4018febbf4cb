import { clock, lease, load, defineScript } from '../common.ts'

/**
 * Renews a lease, unless it was released. Keys: meta, and on one node those of all sessions. Arguments: session, epoch, writer or nothing,
 * owner, milliseconds, log or nothing.
 */
export const renew = defineScript(`${clock}${load}${lease}
local session = load(KEYS[1])
if not session.epoch then return {'missing'} end
if session.closed then return answer('truncated', session) end
local isWriter = session.isConverted and session.epoch == ARGV[2] and (ARGV[3] == '' or session.writer == ARGV[3])
if not isWriter or (ARGV[6] ~= '' and session.log ~= ARGV[6]) then return answer('fenced', session) end
if redis.call('HEXISTS', KEYS[1], 'holder') == 1 then grant(KEYS[1], KEYS[3], ARGV[1], ARGV[4], ARGV[5], micros()) end
local reply = answer('ok', session)
reply[7] = session.inbox
return reply
`)
