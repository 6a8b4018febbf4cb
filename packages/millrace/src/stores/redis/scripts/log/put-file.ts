import { defineScript } from '../common.ts'

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
