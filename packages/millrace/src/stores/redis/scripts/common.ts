import { createHash } from 'node:crypto'

/** A script and its hash, by which Redis calls it. */
export interface Script {
  readonly lua: string
  readonly sha: string
}

/** Computes the hash of a script. */
export function defineScript(lua: string): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}

/** Microseconds by the server's clock, as a number and as text. Lua would format so large a number as 1.7e+15. */
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
 * State that scripts compare first, and the head of their replies. A session without a format was last written by version 0.1.0, which
 * records a loss in another field. `first` is the first id in its stream, `earliest` the first readable id: lower in a branch, higher if
 * branches share discarded frames.
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

/** Later than every time and every id: 2^53 - 1. */
export const NEVER = '9007199254740991'

/**
 * Converts a session to this version. `lost` and `at` keep version 0.1.0 from writing to it and from pruning it; this version uses `closed`
 * and `written`. The lease of a writer of 0.1.0 ends, because that writer can no longer append. Other data under names of this version
 * remains from a session that 0.1.0 removed.
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

/** Returns the last epoch and the next generation of a name. */
export const recall = `
local function recall(gone)
  local known = redis.call('GET', gone) or '0'
  return string.match(known, '^%d+'), 1 + (string.match(known, '^%d+ %S+ (%d+)') or 0)
end
`

/** Puts a session first in the list of all sessions and in its owner's list. Without the key of the list, a separate script writes both. */
export const touch = `
local function touch(sessions, session, owner, now)
  if not sessions then return end
  redis.call('ZADD', sessions, text(now), session)
  if owner then redis.call('ZADD', sessions .. ':' .. owner, text(now), session) end
end
`

/** Raises the earliest id of a log, and deletes the frames before it unless branches share them. */
export const advance = `
local function advance(meta, log, session, earliest)
  if session.isConverted then redis.call('HSET', meta, 'earliest', text(earliest)) end
  if session.pins or earliest <= tonumber(session.first) then return end
  redis.call('XTRIM', log, 'MINID', '0-' .. text(earliest))
  redis.call('HSET', meta, 'first', text(earliest))
end
`

/**
 * Finds a shared log: that of a session, whose keys come first, or one that is kept after the removal of its session. Returns the number of
 * keys to skip, nothing if there is no such log.
 */
export const find = `
local function find(log, count)
  if redis.call('HGET', KEYS[1], 'log') == log then return 0 end
  if redis.call('HGET', KEYS[count + 1], 'log') == log then return count end
end
`

/**
 * Grants, renews or ends a lease, and updates the set of sessions with pending commands and without a lease. Without the keys of these
 * sets, a separate script writes them.
 */
export const lease = `
local function list_waiting(meta, waiting, session, now)
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

/** Closes a session with data loss, so that no id is reused: it becomes read-only, its lease ends, and its readers are notified. */
export const freeze = `
local function freeze(meta, leases, waiting, session, channel, tail, now)
  local field = redis.call('HEXISTS', meta, 'format') == 1 and 'closed' or 'lost'
  local known = redis.call('HGET', meta, field)
  if not known or tonumber(known) < tonumber(tail) then redis.call('HSET', meta, field, tail) end
  redis.call('HDEL', meta, 'owner', 'until')
  grant(meta, leases, session, '', '', now)
  list_waiting(meta, waiting, session, now)
  if not known then redis.call('PUBLISH', channel, 'lost') end
end
`

/** Compares the numbers of parts in the keys of a session, which detects lost keys. */
export const partCount = `
local function arePartsWhole(meta, parts, numbers)
  local count = tonumber(redis.call('HGET', meta, 'parts') or 0)
  return redis.call('HLEN', parts) == count and redis.call('ZCARD', numbers) == count
end
`

/** Stores commands in the inbox, and records their counts for later comparison. */
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

/** Returns the description of a session, without its log and parts. */
export const describe = `
local function describe(meta, now)
  local m = redis.call('HMGET', meta, 'parent', 'head', 'inbox', 'pending', 'holder', 'lapses', 'generation', 'summary', 'owner', 'until')
  local session = load(meta)
  local reply = answer('ok', session)
  local lapses = m[6] or m[10]
  reply[7], reply[8], reply[9], reply[10] = session.earliest, m[2] or m[8], m[3] or '0', m[4] or '0'
  reply[11], reply[12] = m[5] or m[9], lapses and tonumber(lapses) <= now and 1 or 0
  reply[13], reply[14], reply[15], reply[16] = m[7] or '1', session.closed, m[1], session.owner
  return reply
end
`

/**
 * Compares the last known state of a log (the writer of an epoch had reached a tail and a number of writes) with the present state. Each
 * epoch records its writer and its start, which is the end of the epoch before. A contradiction means data loss. A session without a log or
 * with another one was removed; its id distinguishes the old log for readers.
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
