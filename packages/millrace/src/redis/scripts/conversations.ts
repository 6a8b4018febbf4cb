import { defineScript } from './script.ts'

/** Conversations below a number, the newest first. Keys: history, conversations. Arguments: the bound, how many. */
export const conversations = defineScript(`
local numbers = redis.call('ZREVRANGEBYSCORE', KEYS[1], ARGV[1], '-inf', 'LIMIT', 0, ARGV[2])
local found = {}
for i, number in ipairs(numbers) do
  found[2 * i - 1] = number
  found[2 * i] = redis.call('HGET', KEYS[2], number)
end
return found
`)
