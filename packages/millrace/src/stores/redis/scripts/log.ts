import {
  advance,
  clock,
  defineScript,
  find,
  freeze,
  inbox,
  lease,
  load,
  partCount,
  touch,
} from './common.ts'

/**
 * Stores lines after the tail, and further changes, if epoch, writer, log, tail and inbox equal the caller's. A repeated token is the same
 * append, which was stored although its answer was lost.
 *
 * Keys: meta, log; parts, numbers, inbox, pending, history, conversations unless the append has only lines; on one node sessions, leases
 * and waiting. Arguments: number of the session's own keys, session, channel, maximum number of frames, number of frames above it that
 * cause a trim; epoch, writer or nothing, tail, token, the log or nothing, the version of the inbox or nothing, the last known number of
 * writes of this writer, number of changes; each change as three arguments; lines.
 *
 * The reply to a caller that names the writer has tail, writes and version of the inbox as numbers, and the owner if the caller must record
 * the append itself.
 */
export const append =
  defineScript(`${clock}${load}${lease}${freeze}${advance}${partCount}${inbox}${touch}
local meta, log, parts, numbers, inbox, pending = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local own, name, channel, keep, slack = tonumber(ARGV[1]), ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local sessions, leases, waiting = KEYS[own + 1], KEYS[own + 2], KEYS[own + 3]
local epoch, writer, expected, token, asked, version, seen = ARGV[6], ARGV[7], ARGV[8], ARGV[9], ARGV[10], ARGV[11], ARGV[12]
local session = load(meta)
if not session.epoch then return {'missing'} end
local function tell(status)
  if status == 'ok' and writer ~= '' then
    local known = {tonumber(session.tail), tonumber(session.writes), tonumber(session.inbox)}
    if not sessions then known[4] = session.owner end
    return known
  end
  local reply = answer(status, session)
  reply[7], reply[8] = session.inbox, session.owner
  return reply
end
if session.closed then return tell('truncated') end
local isWriter = session.isConverted and session.epoch == epoch and (writer == '' or session.writer == writer)
if not isWriter or (asked ~= '' and session.log ~= asked) then return tell('fenced') end
if tonumber(session.writes) < tonumber(seen) then
  freeze(meta, leases, waiting, name, channel, session.tail, micros())
  return tell('truncated')
end
if session.token == token then return tell('ok') end
if session.tail ~= expected then return tell('moved') end
if version ~= '' and session.inbox ~= version then return tell('unseen') end
local last = 13 + 3 * ARGV[13]
local changes = {}
for i = 14, last, 3 do changes[ARGV[i]] = true end
local hasParts, hasCommands = changes.put or changes.drop, changes.pending or changes.settled
local tail, first = tonumber(session.tail), tonumber(session.first)
local isLost = redis.call('XLEN', log) ~= tail - first + 1
if hasParts then isLost = isLost or not arePartsWhole(meta, parts, numbers) end
if hasCommands then isLost = isLost or not isInboxWhole(meta, inbox, pending) end
local now = micros()
if isLost then
  freeze(meta, leases, waiting, name, channel, session.tail, now)
  return tell('truncated')
end
for i = last + 1, #ARGV do
  tail = tail + 1
  redis.call('XADD', log, '0-' .. text(tail), 'l', ARGV[i])
end
if tail - session.earliest + 1 > keep + slack then advance(meta, log, session, tail - keep + 1) end
session.tail, session.writes = text(tail), text(session.writes + 1)
local written = changes.quiet and {} or {'written', text(now)}
redis.call('HSET', meta, 'tail', session.tail, 'token', token, 'writes', session.writes, unpack(written))
if last > 13 then
  local apply = {
    head = function(head) redis.call('HSET', meta, 'head', head) end,
    put = function(field, value)
      if redis.call('HSET', parts, field, value) == 1 then redis.call('ZADD', numbers, 0, field) end
    end,
    drop = function(field)
      if redis.call('HDEL', parts, field) == 1 then redis.call('ZREM', numbers, field) end
    end,
    old = function(collection, number)
      if collection == 'record' then
        redis.call('HDEL', meta, 'record')
      else
        redis.call('ZREM', KEYS[7], number)
        redis.call('HDEL', KEYS[8], number)
      end
    end,
    pending = function(key, body) put(inbox, pending, key, body, true, '') end,
    settled = function(key, body) put(inbox, pending, key, body, false, '') end,
    lease = function(owner, ms) grant(meta, leases, name, owner, ms, now) end,
    quiet = function() end,
  }
  for i = 14, last, 3 do apply[ARGV[i]](ARGV[i + 1], ARGV[i + 2]) end
end
if hasParts then redis.call('HSET', meta, 'parts', redis.call('HLEN', parts)) end
if hasCommands then count(meta, inbox, pending) end
if hasCommands or changes.lease then list_waiting(meta, waiting, name, now) end
if not changes.quiet then touch(sessions, name, session.owner, now) end
if #ARGV > last then redis.call('PUBLISH', channel, session.tail) end
return tell('ok')
`)

/**
 * Reads lines of a session's own stream after an id, preceded by the earliest readable id and the first id of the stream; a branch shares
 * the frames between them. Keys: meta, log. Arguments: the id, the limit. Ids are omitted, because lines are consecutive.
 */
export const read = defineScript(`${clock}${load}
local session = load(KEYS[1])
if not session.epoch then return {'missing'} end
local after, tail = tonumber(ARGV[1]), tonumber(session.tail)
local page = answer('ok', session)
page[7], page[8] = session.earliest, session.first
if after < session.earliest - 1 then
  page[1] = 'trimmed'
  return page
end
if after >= tail then
  if session.closed then return answer('truncated', session) end
  return page
end
local from, last = math.max(after + 1, session.first), math.min(tail, after + ARGV[2])
if from > last then return page end
local found = redis.call('XRANGE', KEYS[2], '0-' .. text(from), '0-' .. text(last))
if #found ~= last - from + 1 then
  session.tail = text(from - 1)
  return answer('truncated', session)
end
for i = 1, #found do page[8 + i] = found[i][2][2] end
return page
`)

/** Raises the earliest id of a session. Keys: meta, log. Arguments: the id, the log or nothing. */
export const trim = defineScript(`${clock}${load}${advance}
local session = load(KEYS[1])
if not session.epoch then return {'missing'} end
local earliest = math.min(tonumber(ARGV[1]), session.tail + 1)
local isMeant = ARGV[2] == '' or session.log == ARGV[2]
if isMeant and earliest > tonumber(session.earliest) then advance(KEYS[1], KEYS[2], session, earliest) end
return answer('ok', session)
`)

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
export const parts = defineScript(`${load}${find}${partCount}
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

/** Maximum number of frames and parts in a step, because a script blocks Redis. */
const SHED_AT_ONCE = 1_000

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
  local ids, first = {}, math.max(lowest, tail - ${SHED_AT_ONCE - 1})
  for id = first, tail do ids[#ids + 1] = '0-' .. text(id) end
  redis.call('XDEL', log, unpack(ids))
  tail = first - 1
  redis.call('HSET', meta, 'tail', text(tail))
end
local fields = redis.call('ZRANGE', numbers, ARGV[1], '+', 'BYLEX', 'LIMIT', 0, ${SHED_AT_ONCE})
for _, field in ipairs(fields) do
  local frame = string.match(redis.call('HGET', parts, field) or '', '^%d+')
  if frame and (tonumber(frame) > last or string.find(field, ARGV[2], 1, true) == 1) then
    redis.call('HDEL', parts, field)
    redis.call('ZREM', numbers, field)
    redis.call('HINCRBY', meta, 'parts', -1)
  end
end
if #fields < ${SHED_AT_ONCE} and tail < lowest then return {''} end
return {fields[1] and '(' .. fields[#fields] or ARGV[1]}
`)

/** Reads shared lines. Keys: meta and log of a session, the same of its kept log. Arguments: the log, id before the lines, last id. */
export const sharedLines = defineScript(`${clock}${find}
local skip = find(ARGV[1], 2)
if not skip then return {'missing'} end
local found = redis.call('XRANGE', KEYS[skip + 2], '0-' .. text(ARGV[2] + 1), '0-' .. ARGV[3])
if #found ~= ARGV[3] - ARGV[2] then return {'truncated'} end
local page = {'ok'}
for i = 1, #found do page[1 + i] = found[i][2][2] end
return page
`)

/**
 * Stores a file with the tail of the log, which decides whether a branch shares it. Keys: meta, files, the file. Arguments: id, media type,
 * bytes, file name or nothing.
 */
export const putFile = defineScript(`
local tail = redis.call('HMGET', KEYS[1], 'epoch', 'tail')
if not tail[1] then return {'missing'} end
redis.call('DEL', KEYS[3])
redis.call('HSET', KEYS[3], 'type', ARGV[2], 'bytes', ARGV[3], 'tail', tail[2])
if ARGV[4] then redis.call('HSET', KEYS[3], 'name', ARGV[4]) end
redis.call('SADD', KEYS[2], ARGV[1])
return {'ok'}
`)

/** Reads a file that a branch shares. Keys: meta and file of a session, the same of its kept log. Arguments: the log, the last shared frame. */
export const sharedFile = defineScript(`${find}
local skip = find(ARGV[1], 2)
if not skip then return {} end
local tail = redis.call('HGET', KEYS[skip + 2], 'tail') or 0
if tonumber(tail) > tonumber(ARGV[2]) then return {} end
return redis.call('HMGET', KEYS[skip + 2], 'type', 'name', 'bytes')
`)

/**
 * Lists the file ids that a branch shares. Keys: meta and files of a session, the same of its kept log. Arguments: the log, the last shared
 * frame, the prefix of files of either.
 */
export const sharedFileIds = defineScript(`${find}
local skip = find(ARGV[1], 2)
if not skip then return {} end
local found, prefix = {}, ARGV[skip > 0 and 4 or 3]
for _, id in ipairs(redis.call('SMEMBERS', KEYS[skip + 2])) do
  local tail = redis.call('HGET', prefix .. id, 'tail') or 0
  if tonumber(tail) <= tonumber(ARGV[2]) then found[#found + 1] = id end
end
return found
`)
