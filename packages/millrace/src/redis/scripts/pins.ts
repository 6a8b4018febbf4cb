import { load } from './common.ts'
import { defineScript } from './script.ts'

/** The branches of a session, each as the id of its log, and its frame and name. Keys: meta, pins. */
export const pins = defineScript(`${load}
local session = load(KEYS[1])
if not session.epoch then return {'missing'} end
local found = answer('ok', session)
for _, text in ipairs(redis.call('HGETALL', KEYS[2])) do found[#found + 1] = text end
return found
`)
