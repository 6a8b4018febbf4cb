import { load } from '../common.ts'
import { defineScript } from '../script.ts'

/** Redis does nothing else while it reads pins, so that about so many are read at once. */
const AT_ONCE = 100

/**
 * Some branches of a session: where to go on, 0 after the last, and each as the id of its log, and its frame and name; some may come
 * twice. Keys: meta, pins. Arguments: where to go on.
 */
export const pins = defineScript(`${load}
local session = load(KEYS[1])
if not session.epoch then return {'missing'} end
local found, scanned = answer('ok', session), redis.call('HSCAN', KEYS[2], ARGV[1], 'COUNT', ${AT_ONCE})
found[7] = scanned[1]
for _, text in ipairs(scanned[2]) do found[#found + 1] = text end
return found
`)
