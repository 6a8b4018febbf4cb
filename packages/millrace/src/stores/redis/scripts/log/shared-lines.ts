import { clock, find, defineScript } from '../common.ts'

/** Reads shared lines. Keys: meta and log of a session, the same of its kept log. Arguments: the log, id before the lines, last id. */
export const sharedLines = defineScript(`${clock}${find}
local skip = find(ARGV[1], 2)
if not skip then return {'missing'} end
local found = redis.call('XRANGE', KEYS[skip + 2], '0-' .. text(ARGV[2] + 1), '0-' .. ARGV[3])
if #found ~= ARGV[3] - ARGV[2] then return {'truncated'} end
local page = {'ok'}
for i = 1, #found do page[1 + i] = found[i][2][2] end
return page
`)
