import { clock, defineScript } from '../common.ts'

/**
 * Takes, renews or releases a claim, unless another holder's claim has not lapsed. Returns the holder and the remaining milliseconds. The
 * key expires with its last claim. Keys: meta, claims. Arguments: name, holder, milliseconds.
 */
export const claim = defineScript(`${clock}
if redis.call('HEXISTS', KEYS[1], 'epoch') == 0 then return {'missing'} end
local now, ms = micros(), tonumber(ARGV[3])
local lapses, holder = string.match(redis.call('HGET', KEYS[2], ARGV[1]) or '', '^(%d+) (.*)$')
if holder and holder ~= ARGV[2] and tonumber(lapses) > now then
  return {'ok', holder, text(math.ceil((lapses - now) / 1000))}
end
if ms > 0 then
  redis.call('HSET', KEYS[2], ARGV[1], text(now + ms * 1000) .. ' ' .. ARGV[2])
  if redis.call('PTTL', KEYS[2]) < ms then redis.call('PEXPIRE', KEYS[2], text(math.ceil(ms) + 1)) end
else
  redis.call('HDEL', KEYS[2], ARGV[1])
end
return {'ok', ARGV[2], ARGV[3]}
`)
