import { clock, inbox, load, defineScript } from '../common.ts'

/**
 * Lists the pending commands in the order of submission, the command with a key, or a range of numbers: each as its number, its key,
 * whether it is pending, and its body. Keys: meta, inbox, pending. Arguments: nothing, the key, or the number before the range and its last
 * one.
 */
export const commands = defineScript(`${clock}${load}${inbox}
local session = load(KEYS[1])
if not session.epoch then return {'missing'} end
local found = answer('ok', session)
if not session.isConverted then return found end
if not isInboxWhole(KEYS[1], KEYS[2], KEYS[3]) then return answer('truncated', session) end
local keys = {}
if ARGV[2] then
  local last = math.min(ARGV[2], redis.call('HGET', KEYS[1], 'commands') or 0)
  for number = ARGV[1] + 1, last do keys[#keys + 1] = redis.call('HGET', KEYS[2], 'k' .. text(number)) end
else
  keys = ARGV[1] and {ARGV[1]} or redis.call('ZRANGE', KEYS[3], 0, -1)
end
for _, key in ipairs(keys) do
  local known = redis.call('HMGET', KEYS[2], 's' .. key, 'b' .. key)
  if known[1] then
    found[#found + 1] = string.match(known[1], '^%d+')
    found[#found + 1] = key
    found[#found + 1] = redis.call('ZSCORE', KEYS[3], key) and 1 or 0
    found[#found + 1] = known[2]
  end
end
return found
`)
