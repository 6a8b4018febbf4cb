import {
  clock,
  convert,
  defineScript,
  describe,
  freeze,
  judge,
  lease,
  load,
  NEVER,
  recall,
  touch,
} from './common.ts'

/** Maximum number of remembered epochs with their writers. States of earlier epochs are not compared. */
const EPOCHS_KEPT = 256

/**
 * Makes a writer the only one of a session, and creates the session if there is none. The same writer again is the same opening. A removed
 * session continues its epochs, so that its old writers stay fenced.
 *
 * Keys: meta, gone, parts, numbers, inbox, pending, pins, and on one node those of all sessions. Arguments: session, channel, writer, owner
 * and milliseconds of a lease or nothing, the expected epoch (0 for no session) or nothing, the log id if it has none, the owner of a new
 * session or nothing; last known epoch, writer, tail, log and writes, or nothing.
 */
export const open =
  defineScript(`${clock}${load}${convert}${recall}${lease}${freeze}${describe}${judge}${touch}
local meta, gone, name = KEYS[1], KEYS[2], ARGV[1]
local sessions, leases, waiting, oldLeases = KEYS[8], KEYS[9], KEYS[10], KEYS[11]
local now = micros()
if ARGV[9] ~= '' and judge(meta, ARGV[9], ARGV[10], ARGV[11], ARGV[12], ARGV[13]) == 'lost' then
  freeze(meta, leases, waiting, name, ARGV[2], ARGV[11], now)
end
local session = load(meta)
if session.closed then return answer('truncated', session) end
if session.epoch and session.writer == ARGV[3] then return describe(meta, now) end
if ARGV[6] ~= '' and (session.epoch or '0') ~= ARGV[6] then
  return {'fenced', session.epoch or '0', session.writer or '', session.tail or '0'}
end
if not session.isConverted then convert(meta, {KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7]}, oldLeases, name, ARGV[7]) end
local before, tail = session.epoch, session.tail
if not before then
  local generation
  before, generation = recall(gone)
  tail = '0'
  redis.call('HSET', meta, 'tail', tail, 'first', 1, 'generation', generation)
  if ARGV[8] ~= '' then redis.call('HSET', meta, 'ownedBy', ARGV[8]) end
end
local epoch = text(before + 1)
local began = ARGV[3] .. ' ' .. tail .. ' ' .. session.writes
redis.call('HSET', meta, 'epoch', epoch, 'writer', ARGV[3], 'token', '', 'e:' .. epoch, began)
if not session.epoch then redis.call('HSET', meta, 'written', text(now)) end
redis.call('HDEL', meta, 'e:' .. text(epoch - ${EPOCHS_KEPT}))
grant(meta, leases, name, ARGV[4], ARGV[5], now)
list_waiting(meta, waiting, name, now)
local reply = describe(meta, now)
if not session.epoch then touch(sessions, name, reply[16], now) end
return reply
`)

/**
 * Renews a lease, unless it was released. Keys: meta, and on one node those of all sessions. Arguments: session, epoch, writer or nothing,
 * owner, milliseconds, log or nothing.
 */
export const renew = defineScript(`${clock}${load}${lease}
local session = load(KEYS[1])
if not session.epoch then return {'missing'} end
if session.closed then return answer('truncated', session) end
local isWriter = session.isConverted and session.epoch == ARGV[2] and (ARGV[3] == '' or session.writer == ARGV[3])
if not isWriter or (ARGV[6] ~= '' and session.log ~= ARGV[6]) then return answer('fenced', session) end
if redis.call('HEXISTS', KEYS[1], 'holder') == 1 then grant(KEYS[1], KEYS[3], ARGV[1], ARGV[4], ARGV[5], micros()) end
local reply = answer('ok', session)
reply[7] = session.inbox
return reply
`)

/** Returns the description of a session. Keys: meta. Arguments: the log id, if an older version has set none. */
export const look = defineScript(`${clock}${load}${describe}
if redis.call('HEXISTS', KEYS[1], 'epoch') == 0 then return {'missing'} end
if redis.call('HEXISTS', KEYS[1], 'log') == 0 then redis.call('HSET', KEYS[1], 'log', ARGV[1]) end
return describe(KEYS[1], micros())
`)

/**
 * Compares the last known state of a session with its present state, and closes the session after data loss.
 *
 * Keys: meta, and on one node those of all sessions. Arguments: session, channel, last known epoch, writer, tail, log and writes.
 */
export const check = defineScript(`${clock}${load}${lease}${freeze}${judge}
local verdict = judge(KEYS[1], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7])
if verdict == 'lost' then
  freeze(KEYS[1], KEYS[3], KEYS[4], ARGV[1], ARGV[2], ARGV[5], micros())
end
return answer(verdict, load(KEYS[1]))
`)

/**
 * Removes a session with all its data, if it exists; with a limit, only if it had no write for this time and has no lease; with a state,
 * only in this state and without a lease. Data that
 * branches share is renamed and kept. Returns the kept log and the owner. For a branch, it returns the log and the fork point, and removes
 * the branch only if the caller names that log: the removal of the pin must be recorded first.
 *
 * Keys: meta, gone, on one node those of all sessions, and all others of the session. Arguments: session, channel, token, milliseconds to
 * remember the removal, prefix of the session's keys, idle milliseconds or nothing, number of keys of all sessions, the log of a branch or
 * nothing; log, epoch, tail and inbox of a state, or nothing.
 */
export const remove = defineScript(`${clock}
local meta, gone, name, base = KEYS[1], KEYS[2], ARGV[1], ARGV[5]
local function forget(owner)
  for i = 3, 2 + ARGV[7] do redis.call('ZREM', KEYS[i], name) end
  if owner and ARGV[7] ~= '0' then redis.call('ZREM', KEYS[3] .. ':' .. owner, name) end
end
local m = redis.call('HMGET', meta, 'epoch', 'generation', 'holder', 'written', 'owner', 'at', 'log', 'parent', 'pins', 'ownedBy', 'tail', 'inbox')
if not m[1] then
  forget()
  return {string.match(redis.call('GET', gone) or '', '^%d+ (%S+)') == ARGV[3] and 'ok' or 'missing'}
end
local isHeld, written, log, isPinned = m[3] or m[5], m[4] or m[6], m[7], m[9]
if ARGV[6] ~= '' and (isHeld or tonumber(written) > micros() - ARGV[6] * 1000) then return {'held'} end
local isSame = not isHeld and log == ARGV[9] and m[1] == ARGV[10] and m[11] == ARGV[11] and (m[12] or '0') == ARGV[12]
if ARGV[9] ~= '' and not isSame then return {'held'} end
if m[8] and log ~= ARGV[8] then return {'branch', log, m[8]} end
local function keep(key)
  if redis.call('EXISTS', base .. key) == 1 then redis.call('RENAME', base .. key, base .. 'kept:' .. log .. ':' .. key) end
end
local last = -1
if isPinned then
  if redis.call('HLEN', base .. 'pins') ~= tonumber(isPinned) then last = ${NEVER} end
  for _, pin in ipairs(redis.call('HVALS', base .. 'pins')) do last = math.max(last, (string.match(pin, '^%d+'))) end
end
for _, id in ipairs(redis.call('SMEMBERS', base .. 'files')) do
  local file = base .. 'file:' .. id
  if tonumber(redis.call('HGET', file, 'tail') or 0) <= last then
    keep('file:' .. id)
  else
    redis.call('UNLINK', file)
    redis.call('SREM', base .. 'files', id)
  end
end
if isPinned then
  for _, key in ipairs({'meta', 'log', 'parts', 'numbers', 'history', 'conversations', 'files', 'pins'}) do keep(key) end
  local kept = base .. 'kept:' .. log .. ':meta'
  redis.call('HDEL', kept, 'epoch', 'writer', 'head', 'chain', 'holder', 'lapses', 'token', 'record', 'ownedBy')
  redis.call('HSET', kept, 'last', text(last))
end
redis.call('UNLINK', meta, unpack(KEYS, 3 + ARGV[7]))
redis.call('SET', gone, m[1] .. ' ' .. ARGV[3] .. ' ' .. (m[2] or '1'), 'PX', ARGV[4])
forget(m[10])
redis.call('PUBLISH', ARGV[2], 'gone')
return {'ok', isPinned and log, m[10]}
`)

/**
 * Records a present or possible change of a session in the sets of all sessions, if its own scripts cannot: on a cluster.
 *
 * A lease that has ended stays recorded until `leases` finds the session free a minute later: another master stores the end, and
 * may lose it. Keys: all sessions, all leases, all waiting sessions, the leases of version 0.1.0. Arguments: session; `open`, `write`,
 * `remove` or nothing; the milliseconds of a lease, or nothing; `waiting` or nothing; the owner of the session or nothing; a wrongly
 * recorded owner or nothing.
 */
export const note = defineScript(`${clock}${touch}
local now = micros()
local owner = ARGV[5] ~= '' and ARGV[5]
if ARGV[6] ~= '' then redis.call('ZREM', KEYS[1] .. ':' .. ARGV[6], ARGV[1]) end
if ARGV[2] == 'write' then touch(KEYS[1], ARGV[1], owner, now) end
if ARGV[2] == 'open' then
  redis.call('ZADD', KEYS[1], 'NX', text(now), ARGV[1])
  if owner then redis.call('ZADD', KEYS[1] .. ':' .. owner, 'NX', text(now), ARGV[1]) end
end
if ARGV[2] == 'remove' then
  redis.call('ZREM', KEYS[1], ARGV[1])
  if owner then redis.call('ZREM', KEYS[1] .. ':' .. owner, ARGV[1]) end
end
if ARGV[3] ~= '' then
  redis.call('ZADD', KEYS[2], text(now + ARGV[3] * 1000), ARGV[1])
  redis.call('ZREM', KEYS[4], ARGV[1])
end
if ARGV[4] == 'waiting' then redis.call('ZADD', KEYS[3], text(now), ARGV[1]) end
return 1
`)

/**
 * Returns the holder of a session's lease, whether it has lapsed, whether commands are pending without a lease, the log, the version of the
 * inbox, and the number of pending commands. Keys: meta.
 */
export const held = defineScript(`${clock}
local m = redis.call('HMGET', KEYS[1], 'holder', 'lapses', 'owner', 'until', 'pending', 'closed', 'log', 'inbox')
local holder, lapses = m[1] or m[3], m[2] or m[4] or '0'
local isWaiting = not holder and not m[6] and tonumber(m[5] or 0) > 0
return {holder, tonumber(lapses) <= micros() and 1 or 0, isWaiting and 1 or 0, m[7], m[8] or '0', m[5]}
`)

/** Lists sessions without a write for a time. Keys: all sessions. Arguments: milliseconds, offset, limit. */
export const idle = defineScript(`${clock}
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', text(micros() - ARGV[1] * 1000), 'LIMIT', ARGV[2], ARGV[3])
`)

/** Removes a wrong entry from a set of leases, of waiting sessions or of an owner's sessions, once it is a minute old. Keys: the set. Arguments: session. */
export const dropStale = defineScript(`${clock}
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not score or tonumber(score) > micros() - 60000000 then return {0} end
return {redis.call('ZREM', KEYS[1], ARGV[1])}
`)
