import { clock, load, defineScript } from '../common.ts'

/** Maximum number of frames and parts in a step, because a script blocks Redis. */
const AT_ONCE = 1_000

/**
 * Deletes frames and parts of a kept log that no branch shares, in steps. Returns the start of the next step, empty after the last. Keys:
 * meta, log, parts, numbers. Arguments: the start of this step among the fields of parts, the prefix of collections that no branch shares.
 */
export const shed = defineScript(`${clock}${load}
local meta, log, parts, numbers = unpack(KEYS)
local session, last = load(meta), tonumber(redis.call('HGET', meta, 'last') or '')
if not last then return {''} end
local tail, lowest = tonumber(session.tail), math.max(session.first, last + 1)
if tail >= lowest then
  local ids, first = {}, math.max(lowest, tail - ${AT_ONCE - 1})
  for id = first, tail do ids[#ids + 1] = '0-' .. text(id) end
  redis.call('XDEL', log, unpack(ids))
  tail = first - 1
  redis.call('HSET', meta, 'tail', text(tail))
end
local fields = redis.call('ZRANGE', numbers, ARGV[1], '+', 'BYLEX', 'LIMIT', 0, ${AT_ONCE})
for _, field in ipairs(fields) do
  local frame = string.match(redis.call('HGET', parts, field) or '', '^%d+')
  if frame and (tonumber(frame) > last or string.find(field, ARGV[2], 1, true) == 1) then
    redis.call('HDEL', parts, field)
    redis.call('ZREM', numbers, field)
    redis.call('HINCRBY', meta, 'parts', -1)
  end
end
if #fields < ${AT_ONCE} and tail < lowest then return {''} end
return {fields[1] and '(' .. fields[#fields] or ARGV[1]}
`)
