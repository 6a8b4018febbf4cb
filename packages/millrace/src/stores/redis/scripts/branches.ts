import {
  advance,
  clock,
  convert,
  defineScript,
  describe,
  find,
  lease,
  load,
  recall,
  touch,
} from './common.ts'

/** Records the start of a pin change, and returns its time. Keys: the pending changes. Arguments: the change. */
export const link = defineScript(`${clock}
local now = text(micros())
redis.call('ZADD', KEYS[1], now, ARGV[1])
return {now}
`)

/** Maximum time between the record of a pin change and the creation of its branch: half of the time after which the change is overdue. */
const FORK_MICROS = 300_000_000

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

/** Approximate number of pins in a read, because a script blocks Redis. */
const AT_ONCE = 100

/**
 * Lists some branches of a session: the next cursor, 0 after the last, and each branch as its log id, and its frame and name. Branches may
 * repeat. Keys: meta, pins. Arguments: the cursor.
 */
export const pins = defineScript(`${load}
local session = load(KEYS[1])
if not session.epoch then return {'missing'} end
local found, scanned = answer('ok', session), redis.call('HSCAN', KEYS[2], ARGV[1], 'COUNT', ${AT_ONCE})
found[7] = scanned[1]
for _, text in ipairs(scanned[2]) do found[#found + 1] = text end
return found
`)

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

/** Returns whether a log exists. Keys: meta of a session, meta of its kept log. Arguments: the log. */
export const present = defineScript(`${find}
return {find(ARGV[1], 1) and 1 or 0}
`)

/** Deletes a kept log without branches. Keys: its meta, its files, its other keys. Arguments: prefix of files. */
export const discard = defineScript(`
if redis.call('HEXISTS', KEYS[1], 'pins') == 1 then return {0} end
for _, id in ipairs(redis.call('SMEMBERS', KEYS[2])) do redis.call('UNLINK', ARGV[1] .. id) end
return {redis.call('UNLINK', unpack(KEYS))}
`)
