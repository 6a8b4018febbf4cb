import { clock, NEVER, defineScript } from '../common.ts'

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
