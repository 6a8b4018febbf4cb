import { load, parts as whole } from './common.ts'
import { defineScript } from './script.ts'

/**
 * Parts in a range of fields, and of what version 0.1.0 has left those in the same range of numbers: how many, and each as
 * its number and its body.
 *
 * Keys: meta, parts, numbers, history, conversations. Arguments: the first bound, the last one, `REV` or `FWD`, how
 * many; `record`, `conversations` or nothing, and its bounds.
 */
export const parts = defineScript(`${load}${whole}
local session = load(KEYS[1])
if not session.epoch then return {'missing'} end
local isBack = ARGV[3] == 'REV'
local function range(key, by, from, to)
  if isBack then return redis.call('ZRANGE', key, from, to, by, 'REV', 'LIMIT', 0, ARGV[4]) end
  return redis.call('ZRANGE', key, from, to, by, 'LIMIT', 0, ARGV[4])
end
local found = answer('ok', session)
found[7] = 0
if ARGV[5] == 'record' then
  local record = redis.call('HGET', KEYS[1], 'record')
  if record then found[7], found[8], found[9] = 1, '1', record end
elseif ARGV[5] == 'conversations' then
  for _, number in ipairs(range(KEYS[4], 'BYSCORE', ARGV[6], ARGV[7])) do
    found[7] = found[7] + 1
    found[#found + 1] = number
    found[#found + 1] = redis.call('HGET', KEYS[5], number)
  end
end
if not session.isConverted then return found end
if not arePartsWhole(KEYS[1], KEYS[2], KEYS[3]) then return answer('truncated', session) end
for _, field in ipairs(range(KEYS[3], 'BYLEX', ARGV[1], ARGV[2])) do
  local value = redis.call('HGET', KEYS[2], field)
  if not value then return answer('truncated', session) end
  found[#found + 1] = field
  found[#found + 1] = value
end
return found
`)
