import { clock, load, defineScript } from '../common.ts'

/**
 * Reads lines of a session's own stream after an id, preceded by the earliest readable id and the first id of the stream; a branch shares
 * the frames between them. Keys: meta, log. Arguments: the id, the limit. Ids are omitted, because lines are consecutive.
 */
export const read = defineScript(`${clock}${load}
local session = load(KEYS[1])
if not session.epoch then return {'missing'} end
local after, tail = tonumber(ARGV[1]), tonumber(session.tail)
local page = answer('ok', session)
page[7], page[8] = session.earliest, session.first
if after < session.earliest - 1 then
  page[1] = 'trimmed'
  return page
end
if after >= tail then
  if session.closed then return answer('truncated', session) end
  return page
end
local from, last = math.max(after + 1, session.first), math.min(tail, after + ARGV[2])
if from > last then return page end
local found = redis.call('XRANGE', KEYS[2], '0-' .. text(from), '0-' .. text(last))
if #found ~= last - from + 1 then
  session.tail = text(from - 1)
  return answer('truncated', session)
end
for i = 1, #found do page[8 + i] = found[i][2][2] end
return page
`)
