import { defineScript } from '../common.ts'

/** Deletes a kept log without branches. Keys: its meta, its files, its other keys. Arguments: prefix of files. */
export const discard = defineScript(`
if redis.call('HEXISTS', KEYS[1], 'pins') == 1 then return {0} end
for _, id in ipairs(redis.call('SMEMBERS', KEYS[2])) do redis.call('UNLINK', ARGV[1] .. id) end
return {redis.call('UNLINK', unpack(KEYS))}
`)
