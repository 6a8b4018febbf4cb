/** The write scripts of version 0.1.0: its sessions must be readable, and it must not write to those of later versions. */
export const oldScripts = {
  append: `
local function micros()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
local function text(number)
  return string.format('%.0f', number)
end

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

local meta, log = KEYS[1], KEYS[2]
local m = redis.call('HMGET', meta, 'epoch', 'writer', 'tail', 'token', 'first', 'lost')
if not m[1] then return {'missing'} end
local function answer(status, tail)
  return {status, m[1], m[2], tail, m[6]}
end
if m[6] then return answer('truncated', m[3]) end
if m[1] ~= ARGV[2] or (ARGV[3] ~= '' and m[2] ~= ARGV[3]) then return answer('fenced', m[3]) end
if m[4] == ARGV[5] then return answer('ok', m[3]) end
if m[3] ~= ARGV[4] then return answer('moved', m[3]) end
local tail, first = tonumber(m[3]), tonumber(m[5])
if redis.call('XLEN', log) ~= tail - first + 1 then
  m[6] = m[3]
  redis.call('HSET', meta, 'lost', m[3])
  grant(meta, KEYS[6], ARGV[1], '', '', 0)
  redis.call('PUBLISH', ARGV[6], 'lost')
  return answer('truncated', m[3])
end
local parts = 9 + 3 * ARGV[9]
for i = parts + 1, #ARGV do
  tail = tail + 1
  redis.call('XADD', log, '0-' .. text(tail), 'l', ARGV[i])
end
local now = micros()
local keep, slack = tonumber(ARGV[7]), tonumber(ARGV[8])
if tail - first + 1 > keep + slack then
  first = tail - keep + 1
  redis.call('XTRIM', log, 'MINID', '0-' .. text(first))
end
redis.call('HSET', meta, 'tail', text(tail), 'first', text(first), 'token', ARGV[5], 'at', text(now))
for i = 10, parts, 3 do
  local kind, a, b = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  if kind == 'record' then
    redis.call('HSET', meta, 'record', a, 'summary', b)
  elseif kind == 'conversation' then
    redis.call('ZADD', KEYS[3], a, a)
    redis.call('HSET', KEYS[4], a, b)
  else
    grant(meta, KEYS[6], ARGV[1], a, b, now)
  end
end
if KEYS[5] then redis.call('ZADD', KEYS[5], text(now), ARGV[1]) end
if #ARGV > parts then redis.call('PUBLISH', ARGV[6], text(tail)) end
return answer('ok', text(tail))
`,
  check: `
local function micros()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
local function text(number)
  return string.format('%.0f', number)
end

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

local verdict = judge(KEYS[1], KEYS[2], ARGV[3], ARGV[4], ARGV[5])
if verdict == 'lost' then
  freeze(KEYS[1], KEYS[3], KEYS[4], ARGV[1], ARGV[2], ARGV[3], ARGV[5], micros())
end
local m = redis.call('HMGET', KEYS[1], 'epoch', 'writer', 'tail', 'lost')
return {verdict, m[1], m[2], m[3], m[4]}
`,
  open: `
local function micros()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
local function text(number)
  return string.format('%.0f', number)
end

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

local function describe(meta, now)
  local m = redis.call('HMGET', meta, 'epoch', 'writer', 'tail', 'first', 'record', 'summary', 'owner', 'until')
  local hasLapsed = m[8] and tonumber(m[8]) <= now
  return {'ok', m[1], m[2], m[3], m[4], m[5], m[6], m[7], hasLapsed and 1 or 0}
end

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

local meta, gone, session = KEYS[1], KEYS[2], ARGV[1]
local now = micros()
if ARGV[6] ~= '' and judge(meta, gone, ARGV[6], ARGV[7], ARGV[8]) == 'lost' then
  freeze(meta, KEYS[3], KEYS[4], session, ARGV[2], ARGV[6], ARGV[8], now)
end
local m = redis.call('HMGET', meta, 'epoch', 'writer', 'tail', 'lost')
if m[4] then return {'truncated', m[1], m[2], m[3], m[4]} end
if m[1] and m[2] == ARGV[3] then return describe(meta, now) end
if ARGV[9] ~= '' and (m[1] or '0') ~= ARGV[9] then
  return {'fenced', m[1] or '0', m[2] or '', m[3] or '0'}
end
local before, tail = m[1], m[3]
if not before then
  before = string.match(redis.call('GET', gone) or '0', '^%d+')
  tail = '0'
  redis.call('HSET', meta, 'tail', tail, 'first', 1)
end
local epoch = text(before + 1)
redis.call('HSET', meta, 'epoch', epoch, 'writer', ARGV[3], 'token', '', 'at', text(now), 'e:' .. epoch, ARGV[3] .. ' ' .. tail)
redis.call('HDEL', meta, 'e:' .. text(epoch - 256))
grant(meta, KEYS[4], session, ARGV[4], ARGV[5], now)
if KEYS[3] then redis.call('ZADD', KEYS[3], text(now), session) end
return describe(meta, now)
`,
  remove: `
local function micros()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
local function text(number)
  return string.format('%.0f', number)
end

local meta, gone, session = KEYS[1], KEYS[6], ARGV[1]
local function forget()
  if KEYS[7] then redis.call('ZREM', KEYS[7], session) end
  if KEYS[8] then redis.call('ZREM', KEYS[8], session) end
end
local m = redis.call('HMGET', meta, 'epoch', 'at', 'owner')
if not m[1] then
  forget()
  return {string.match(redis.call('GET', gone) or '', '%S+$') == ARGV[3] and 1 or 0}
end
if ARGV[6] ~= '' and (m[3] or tonumber(m[2]) > micros() - ARGV[6] * 1000) then return {0} end
for _, id in ipairs(redis.call('SMEMBERS', KEYS[5])) do redis.call('UNLINK', ARGV[5] .. id) end
redis.call('UNLINK', meta, KEYS[2], KEYS[3], KEYS[4], KEYS[5])
redis.call('SET', gone, m[1] .. ' ' .. ARGV[3], 'PX', ARGV[4])
forget()
redis.call('PUBLISH', ARGV[2], 'gone')
return {1}
`,
  renew: `
local function micros()
  local time = redis.call('TIME')
  return time[1] * 1000000 + time[2]
end
local function text(number)
  return string.format('%.0f', number)
end

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

local m = redis.call('HMGET', KEYS[1], 'epoch', 'writer', 'tail', 'lost', 'owner')
if not m[1] then return {'missing'} end
if m[4] then return {'truncated', m[1], m[2], m[3], m[4]} end
local isWriter = m[1] == ARGV[2] and (ARGV[3] == '' or m[2] == ARGV[3])
if isWriter and m[5] then grant(KEYS[1], KEYS[2], ARGV[1], ARGV[4], ARGV[5], micros()) end
return {isWriter and 'ok' or 'fenced', m[1], m[2], m[3]}
`,
} as const
