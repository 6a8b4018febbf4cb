/** Microseconds by the server's clock, as a number and as text: Lua would write so large a number as 1.7e+15. */
export const clock = `
local function micros()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
local function text(number)
  return string.format('%.0f', number)
end
`

/**
 * What scripts compare before they do anything, and the head of their answers. A session without a format was written by
 * version 0.1.0 and not changed since; it notes a loss in another field. `first` is the first id in its stream, `earliest` the
 * first one that it may read: lower in a branch, higher where branches share what it has given up.
 */
export const load = `
local function load(meta)
  local m = redis.call('HMGET', meta, 'epoch', 'writer', 'tail', 'log', 'writes', 'first', 'format', 'closed', 'lost', 'token', 'inbox', 'earliest', 'pins', 'ownedBy')
  local session = {epoch = m[1], writer = m[2], tail = m[3], log = m[4], writes = m[5] or '0', first = m[6], isConverted = m[7]}
  if m[7] then session.closed = m[8] else session.closed = m[9] end
  session.token, session.inbox = m[10], m[11] or '0'
  session.earliest, session.pins, session.owner = m[7] and m[12] or m[6], m[13], m[14]
  return session
end
local function answer(status, session)
  return {status, session.epoch, session.writer, session.tail, session.log, session.writes}
end
`

/** Later than every time and after every id: 2^53 - 1. */
export const NEVER = '9007199254740991'

/**
 * Makes a session one of this version. In `lost` and `at` stands what keeps version 0.1.0 from writing to it and from pruning
 * it; this version uses `closed` and `written`. The lease of a writer of 0.1.0 ends, as it cannot write any more. What else is
 * here under the names of this version was left when 0.1.0 removed a session.
 */
export const convert = `
local function convert(meta, leftovers, oldLeases, session, log)
  local m = redis.call('HMGET', meta, 'at', 'summary')
  redis.call('UNLINK', unpack(leftovers))
  redis.call('HSET', meta, 'format', 2, 'lost', '${NEVER}', 'at', '${NEVER}', 'written', m[1] or '0')
  if m[2] then redis.call('HSET', meta, 'head', m[2]) end
  redis.call('HSETNX', meta, 'log', log)
  redis.call('HDEL', meta, 'owner', 'until', 'summary')
  if oldLeases then redis.call('ZREM', oldLeases, session) end
end
`

/** The epoch and the generation from which a session of a name counts on. */
export const recall = `
local function recall(gone)
  local known = redis.call('GET', gone) or '0'
  return string.match(known, '^%d+'), 1 + (string.match(known, '^%d+ %S+ (%d+)') or 0)
end
`

/** Puts a session first in the list of all sessions, and in that of its owner. Without the key of the list a script of its own writes both. */
export const touch = `
local function touch(sessions, session, owner, now)
  if not sessions then return end
  redis.call('ZADD', sessions, text(now), session)
  if owner then redis.call('ZADD', sessions .. ':' .. owner, text(now), session) end
end
`

/** Moves the earliest id of a log up, and drops the frames before it unless branches share them. */
export const advance = `
local function advance(meta, log, session, earliest)
  if session.isConverted then redis.call('HSET', meta, 'earliest', text(earliest)) end
  if session.pins or earliest <= tonumber(session.first) then return end
  redis.call('XTRIM', log, 'MINID', '0-' .. text(earliest))
  redis.call('HSET', meta, 'first', text(earliest))
end
`

/**
 * Finds a log that branches share: the log of a session, whose keys come first, or one that is kept after its session was removed,
 * whose keys follow. Gives how many keys to skip, nothing if there is no such log.
 */
export const find = `
local function find(log, count)
  if redis.call('HGET', KEYS[1], 'log') == log then return 0 end
  if redis.call('HGET', KEYS[count + 1], 'log') == log then return count end
end
`

/**
 * Gives, renews or ends a lease, and keeps the set of sessions that have pending commands and no lease. Without the keys of
 * those sets they are written by a script of its own.
 */
export const lease = `
local function attend(meta, waiting, session, now)
  if not waiting then return end
  local m = redis.call('HMGET', meta, 'pending', 'holder', 'closed')
  if tonumber(m[1] or 0) > 0 and not m[2] and not m[3] then
    redis.call('ZADD', waiting, 'NX', text(now), session)
  else
    redis.call('ZREM', waiting, session)
  end
end
local function grant(meta, leases, session, owner, ms, now)
  if ms == '' then
    redis.call('HDEL', meta, 'holder', 'lapses')
    if leases then redis.call('ZREM', leases, session) end
    return
  end
  local lapses = text(now + ms * 1000)
  redis.call('HSET', meta, 'holder', owner, 'lapses', lapses)
  if leases then redis.call('ZADD', leases, lapses, session) end
end
`

/**
 * Closes a session of which something was lost, so that no id is given a second time: it cannot be written to any more,
 * nobody holds it, and its readers are told.
 */
export const freeze = `
local function freeze(meta, leases, waiting, session, channel, tail, now)
  local field = redis.call('HEXISTS', meta, 'format') == 1 and 'closed' or 'lost'
  local known = redis.call('HGET', meta, field)
  if not known or tonumber(known) < tonumber(tail) then redis.call('HSET', meta, field, tail) end
  redis.call('HDEL', meta, 'owner', 'until')
  grant(meta, leases, session, '', '', now)
  attend(meta, waiting, session, now)
  if not known then redis.call('PUBLISH', channel, 'lost') end
end
`

/** Compares the number of parts with what was counted. */
export const parts = `
local function arePartsWhole(meta, parts, numbers)
  local count = tonumber(redis.call('HGET', meta, 'parts') or 0)
  return redis.call('HLEN', parts) == count and redis.call('ZCARD', numbers) == count
end
`

/** Puts commands into the inbox, and counts them where the counts are compared. */
export const inbox = `
local function isInboxWhole(meta, inbox, pending)
  local m = redis.call('HMGET', meta, 'commands', 'pending')
  return redis.call('HLEN', inbox) == 3 * (m[1] or 0) and redis.call('ZCARD', pending) == tonumber(m[2] or 0)
end
local function put(inbox, pending, key, body, isPending, token)
  local known = redis.call('HGET', inbox, 's' .. key)
  local seq = known and string.match(known, '^%d+') or text(redis.call('HLEN', inbox) / 3 + 1)
  redis.call('HSET', inbox, 's' .. key, seq .. ' ' .. token, 'b' .. key, body, 'k' .. seq, key)
  if isPending then
    redis.call('ZADD', pending, seq, key)
  else
    redis.call('ZREM', pending, key)
  end
  return seq
end
local function count(meta, inbox, pending)
  redis.call('HSET', meta, 'commands', text(redis.call('HLEN', inbox) / 3), 'pending', redis.call('ZCARD', pending))
end
`

/** What is told of a session when neither its log nor its parts are read. */
export const describe = `
local function describe(meta, now)
  local m = redis.call('HMGET', meta, 'parent', 'head', 'inbox', 'pending', 'holder', 'lapses', 'generation', 'summary', 'owner', 'until')
  local session = load(meta)
  local told = answer('ok', session)
  local lapses = m[6] or m[10]
  told[7], told[8], told[9], told[10] = session.earliest, m[2] or m[8], m[3] or '0', m[4] or '0'
  told[11], told[12] = m[5] or m[9], lapses and tonumber(lapses) <= now and 1 or 0
  told[13], told[14], told[15], told[16] = m[7] or '1', session.closed, m[1], session.owner
  return told
end
`

/**
 * Compares what a process has seen of a log, that the writer of an epoch came as far as a tail and a number of writes, with
 * what is here. Each epoch has noted its writer and where it began, which is where the one before it ended. What contradicts
 * was lost. A session without a log, or with another one, was removed: readers of the old log are told by its id.
 */
export const judge = `
local function judge(meta, epoch, writer, tail, log, writes)
  local session = load(meta)
  if not session.epoch or (log ~= '' and session.log and session.log ~= log) then return 'removed' end
  if session.closed or tonumber(session.epoch) < tonumber(epoch) then return 'lost' end
  local m = redis.call('HMGET', meta, 'e:' .. epoch, 'e:' .. text(epoch + 1))
  if not m[1] then return 'ok' end
  if string.match(m[1], '^%S+') ~= writer then return 'lost' end
  local lastTail, lastWrites = session.tail, session.writes
  if m[2] then lastTail, lastWrites = string.match(m[2], '^%S+ (%d+) ?(%d*)$') end
  if tonumber(lastTail) < tonumber(tail) then return 'lost' end
  return lastWrites ~= '' and tonumber(lastWrites) < tonumber(writes) and 'lost' or 'ok'
end
`
