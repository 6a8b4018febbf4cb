import { clock, convert, find, load, defineScript } from '../common.ts'

/** Maximum time between the record of a pin change and the creation of its branch: half of the time after which the change is overdue. */
export const FORK_MICROS = 300_000_000

/**
 * Pins a branch of a log, so that its shared data is kept, if the shared frames exist.
 *
 * Keys: meta, log and pins of a session, the same of its kept log; parts, numbers, inbox and pending of the session, and on one node those
 * of all sessions. Arguments: the log, the log of the branch, its name, the last shared frame, the first frame of this log that it needs,
 * time of the pin change, session.
 */
export const pin = defineScript(`${clock}${load}${convert}${find}
if micros() - ARGV[6] > ${FORK_MICROS} then return {'late'} end
local skip = find(ARGV[1], 3)
if not skip then return {'missing'} end
local meta, log, pins = unpack(KEYS, skip + 1, skip + 3)
local session = load(meta)
if not session.isConverted then
  convert(meta, {pins, KEYS[7], KEYS[8], KEYS[9], KEYS[10]}, KEYS[14], ARGV[7], ARGV[1])
  session = load(meta)
end
local last = redis.call('HGET', meta, 'last')
if last and tonumber(ARGV[4]) > tonumber(last) then return {'trimmed'} end
if redis.call('XLEN', log) ~= session.tail - session.first + 1 then return {'truncated'} end
local needed = tonumber(ARGV[5])
if needed <= tonumber(ARGV[4]) and tonumber(session.first) > needed then return {'trimmed'} end
redis.call('HSET', pins, ARGV[2], ARGV[4] .. ' ' .. ARGV[3])
redis.call('HSET', meta, 'pins', redis.call('HLEN', pins))
return {'ok'}
`)
