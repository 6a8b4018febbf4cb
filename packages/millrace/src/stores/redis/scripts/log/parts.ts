import { find, load, parts as whole, defineScript } from '../common.ts'

/** Maximum number of shared parts that one call examines, because a script blocks Redis. */
const LOOKED_AT_ONCE = 1_000

/**
 * Reads parts in a range of fields, and parts of version 0.1.0 in the same range of numbers. Returns whether the session is a branch, the
 * field to continue after if there may be more, the number of parts of 0.1.0, and each part as its number and its body.
 *
 * Keys: meta, parts, numbers, history, conversations; for parts that a branch shares, the same of the session's kept log. Arguments: the
 * first bound, the last one, `REV` or `FWD`, the limit; `record`, `conversations` or nothing, and its bounds; for parts that a branch
 * shares, the log and the last shared frame.
 */
export const parts = defineScript(`${load}${find}${whole}
local skip, limit = 0, tonumber(ARGV[4])
if ARGV[8] then
  skip = find(ARGV[8], 5)
  if not skip then return {'missing'} end
end
local meta, parts, numbers, history, conversations = unpack(KEYS, skip + 1, skip + 5)
local session = load(meta)
if not session.epoch and not ARGV[8] then return {'missing'} end
local isBack = ARGV[3] == 'REV'
local function range(key, by, from, to, count)
  if isBack then return redis.call('ZRANGE', key, from, to, by, 'REV', 'LIMIT', 0, count) end
  return redis.call('ZRANGE', key, from, to, by, 'LIMIT', 0, count)
end
local found = answer('ok', session)
found[7], found[8], found[9] = redis.call('HEXISTS', meta, 'chain'), '', 0
if ARGV[5] == 'record' then
  local record = redis.call('HGET', meta, 'record')
  if record then found[9], found[10], found[11] = 1, '1', record end
elseif ARGV[5] == 'conversations' then
  for _, number in ipairs(range(history, 'BYSCORE', ARGV[6], ARGV[7], limit)) do
    found[9] = found[9] + 1
    found[#found + 1] = number
    found[#found + 1] = redis.call('HGET', conversations, number)
  end
end
if not session.isConverted then return found end
if not arePartsWhole(meta, parts, numbers) then return answer('truncated', session) end
local looked = ARGV[8] and math.max(limit, ${LOOKED_AT_ONCE}) or limit
local fields = range(numbers, 'BYLEX', ARGV[1], ARGV[2], looked)
local count = 0
for _, field in ipairs(fields) do
  local value = redis.call('HGET', parts, field)
  if not value then return answer('truncated', session) end
  if not ARGV[8] or tonumber(string.match(value, '^%d+')) <= tonumber(ARGV[9]) then
    count = count + 1
    found[#found + 1] = field
    found[#found + 1] = value
    if count == limit then return found end
  end
end
if #fields == looked then found[8] = fields[looked] end
return found
`)
