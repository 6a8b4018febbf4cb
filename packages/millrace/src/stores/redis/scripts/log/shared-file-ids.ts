import { find, defineScript } from '../common.ts'

/**
 * Lists the file ids that a branch shares. Keys: meta and files of a session, the same of its kept log. Arguments: the log, the last shared
 * frame, the prefix of files of either.
 */
export const sharedFileIds = defineScript(`${find}
local skip = find(ARGV[1], 2)
if not skip then return {} end
local found, prefix = {}, ARGV[skip > 0 and 4 or 3]
for _, id in ipairs(redis.call('SMEMBERS', KEYS[skip + 2])) do
  local tail = redis.call('HGET', prefix .. id, 'tail') or 0
  if tonumber(tail) <= tonumber(ARGV[2]) then found[#found + 1] = id end
end
return found
`)
