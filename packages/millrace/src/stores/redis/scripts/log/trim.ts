import { advance, clock, load, defineScript } from '../common.ts'

/** Raises the earliest id of a session. Keys: meta, log. Arguments: the id, the log or nothing. */
export const trim = defineScript(`${clock}${load}${advance}
local session = load(KEYS[1])
if not session.epoch then return {'missing'} end
local earliest = math.min(tonumber(ARGV[1]), session.tail + 1)
local isMeant = ARGV[2] == '' or session.log == ARGV[2]
if isMeant and earliest > tonumber(session.earliest) then advance(KEYS[1], KEYS[2], session, earliest) end
return answer('ok', session)
`)
