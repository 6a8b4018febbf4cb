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

/** Gives, renews or ends a lease. Without the key of all leases that set is written by a script of its own. */
export const lease = `
local function grant(meta, leases, session, owner, ms, now)
  if ms == '' then
    redis.call('HDEL', meta, 'owner', 'until')
    if leases then redis.call('ZREM', leases, session) end
    return
  end
  local lapses = text(now + ms * 1000)
  redis.call('HSET', meta, 'owner', owner, 'until', lapses)
  if leases then redis.call('ZADD', leases, lapses, session) end
end
`

/** What is told of a session when its log is not read. */
export const describe = `
local function describe(meta, now)
  local m = redis.call('HMGET', meta, 'epoch', 'writer', 'tail', 'first', 'record', 'summary', 'owner', 'until')
  local hasLapsed = m[8] and tonumber(m[8]) <= now
  return {'ok', m[1], m[2], m[3], m[4], m[5], m[6], m[7], hasLapsed and 1 or 0}
end
`

/**
 * Compares what a process has seen, that the writer of an epoch came as far as a tail, with what is here. Each epoch
 * has noted its writer and where it began, which is where the one before it ended. What contradicts was lost: the
 * session is closed for writing, so that no id is given a second time.
 */
export const judge = `
local function judge(meta, gone, epoch, writer, tail)
  local m = redis.call('HMGET', meta, 'epoch', 'tail', 'lost', 'e:' .. epoch, 'e:' .. text(epoch + 1))
  if not m[1] then
    return redis.call('EXISTS', gone) == 1 and 'removed' or 'lost'
  end
  if m[3] then return 'lost' end
  if tonumber(m[1]) < tonumber(epoch) then return 'lost' end
  if not m[4] then return 'ok' end
  if string.match(m[4], '^%S+') ~= writer then return 'lost' end
  local last = m[2]
  if m[5] then last = string.match(m[5], '%d+$') end
  return tonumber(last) < tonumber(tail) and 'lost' or 'ok'
end
local function freeze(meta, sessions, leases, session, channel, epoch, tail, now)
  if redis.call('HEXISTS', meta, 'epoch') == 0 then
    redis.call('HSET', meta, 'epoch', epoch, 'writer', '', 'tail', 0, 'first', 1, 'at', text(now))
    if sessions then redis.call('ZADD', sessions, text(now), session) end
  end
  local known = redis.call('HGET', meta, 'lost')
  if not known or tonumber(known) < tonumber(tail) then redis.call('HSET', meta, 'lost', tail) end
  grant(meta, leases, session, '', '', now)
  if not known then redis.call('PUBLISH', channel, 'lost') end
end
`
