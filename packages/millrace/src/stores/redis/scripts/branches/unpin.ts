import { advance, clock, find, load, defineScript } from '../common.ts'

/**
 * Removes the pin of a branch. With the last pin, frames that the session discarded are deleted. For a kept log without further pins, it
 * returns this and the log's own fork point. If pins were lost, nothing is deleted.
 *
 * Keys: meta, log and pins of a session, the same of its kept log. Arguments: the log, the log of the branch.
 */
export const unpin = defineScript(`${clock}${load}${advance}${find}
local skip = find(ARGV[1], 3)
if not skip then return {'missing'} end
local meta, log, pins = unpack(KEYS, skip + 1, skip + 3)
local session = load(meta)
if redis.call('HLEN', pins) ~= tonumber(session.pins or 0) then return {'ok'} end
redis.call('HDEL', pins, ARGV[2])
local left = redis.call('HLEN', pins)
if left > 0 then
  redis.call('HSET', meta, 'pins', left)
  return {'ok'}
end
redis.call('HDEL', meta, 'pins')
if skip > 0 then return {'unused', redis.call('HGET', meta, 'parent')} end
session.pins = false
advance(meta, log, session, tonumber(session.earliest))
return {'ok'}
`)
