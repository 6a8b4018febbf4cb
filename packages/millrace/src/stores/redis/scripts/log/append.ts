import {
  advance,
  clock,
  freeze,
  inbox,
  lease,
  load,
  parts,
  touch,
  defineScript,
} from '../common.ts'

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
  defineScript(`${clock}${load}${lease}${freeze}${advance}${parts}${inbox}${touch}
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
if hasCommands or changes.lease then attend(meta, waiting, name, now) end
if not changes.quiet then touch(sessions, name, session.owner, now) end
if #ARGV > last then redis.call('PUBLISH', channel, session.tail) end
return tell('ok')
`)
