import { clock } from './common.ts'
import { defineScript } from './script.ts'

/**
 * Lines after an id. Keys: meta, log. Arguments: the id, how many at most.
 * The ids of what is found are known, so that only the lines are told.
 */
export const read = defineScript(`${clock}
local m = redis.call('HMGET', KEYS[1], 'epoch', 'writer', 'tail', 'first', 'lost')
if not m[1] then return {'missing'} end
local after, tail = tonumber(ARGV[1]), tonumber(m[3])
local page = {'ok', m[1], m[2], m[3], m[4]}
if after < m[4] - 1 then
  page[1] = 'trimmed'
  return page
end
if after >= tail then
  if m[5] then return {'truncated', m[1], m[2], m[3], m[5]} end
  return page
end
local last = math.min(tail, after + ARGV[2])
local found = redis.call('XRANGE', KEYS[2], '0-' .. text(after + 1), '0-' .. text(last))
if #found ~= last - after then return {'truncated', m[1], m[2], text(after), m[3]} end
for i = 1, #found do page[5 + i] = found[i][2][2] end
return page
`)
