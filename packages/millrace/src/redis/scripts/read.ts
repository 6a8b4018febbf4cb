import { clock, load } from './common.ts'
import { defineScript } from './script.ts'

/**
 * Lines after an id. Keys: meta, log. Arguments: the id, how many at most.
 * The ids of what is found are known, so that only the lines are told.
 */
export const read = defineScript(`${clock}${load}
local session = load(KEYS[1])
if not session.epoch then return {'missing'} end
local after, tail = tonumber(ARGV[1]), tonumber(session.tail)
local page = answer('ok', session)
page[7] = session.first
if after < session.first - 1 then
  page[1] = 'trimmed'
  return page
end
if after >= tail then
  if session.closed then return answer('truncated', session) end
  return page
end
local last = math.min(tail, after + ARGV[2])
local found = redis.call('XRANGE', KEYS[2], '0-' .. text(after + 1), '0-' .. text(last))
if #found ~= last - after then
  session.tail = text(after)
  return answer('truncated', session)
end
for i = 1, #found do page[7 + i] = found[i][2][2] end
return page
`)
