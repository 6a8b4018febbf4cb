import { clock, convert, describe, lease, load, recall, touch, defineScript } from '../common.ts'
import { FORK_MICROS } from './pin.ts'

/**
 * Creates a branch unless there is a session of its name, and returns the description of either. A removed name continues its epochs, as in
 * an opening.
 *
 * Keys: meta, gone, parts, numbers, inbox, pending, pins, and on one node those of all sessions. Arguments: session, log, writer, time of
 * its pin change, the last shared frame, the earliest readable frame, head, its fork point, all its ancestors, its owner or nothing,
 * owner and milliseconds of a lease or nothing; each part as three arguments.
 */
export const branch = defineScript(`${clock}${load}${convert}${recall}${lease}${describe}${touch}
local meta, name, now = KEYS[1], ARGV[1], micros()
if load(meta).epoch then return describe(meta, now) end
if now - ARGV[4] > ${FORK_MICROS} then return {'late'} end
convert(meta, {KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7]}, KEYS[11], name, ARGV[2])
local before, generation = recall(KEYS[2])
local epoch, tail = text(before + 1), ARGV[5]
redis.call('HSET', meta, 'epoch', epoch, 'writer', ARGV[3], 'token', '', 'generation', generation, 'written', text(now))
redis.call('HSET', meta, 'tail', tail, 'first', text(tail + 1), 'earliest', ARGV[6], 'e:' .. epoch, ARGV[3] .. ' ' .. tail .. ' 0')
redis.call('HSET', meta, 'head', ARGV[7], 'parent', ARGV[8], 'chain', ARGV[9])
if ARGV[10] ~= '' then redis.call('HSET', meta, 'ownedBy', ARGV[10]) end
for i = 13, #ARGV, 3 do
  if ARGV[i] == 'put' and redis.call('HSET', KEYS[3], ARGV[i + 1], ARGV[i + 2]) == 1 then
    redis.call('ZADD', KEYS[4], 0, ARGV[i + 1])
  end
end
redis.call('HSET', meta, 'parts', redis.call('HLEN', KEYS[3]))
if ARGV[11] ~= '' then grant(meta, KEYS[9], name, ARGV[11], ARGV[12], now) end
local reply = describe(meta, now)
touch(KEYS[8], name, reply[16], now)
return reply
`)
