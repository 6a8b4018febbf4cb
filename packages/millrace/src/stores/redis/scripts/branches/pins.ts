import { load, defineScript } from '../common.ts'

/** Approximate number of pins in a read, because a script blocks Redis. */
const AT_ONCE = 100

/**
 * Lists some branches of a session: the next cursor, 0 after the last, and each branch as its log id, and its frame and name. Branches may
 * repeat. Keys: meta, pins. Arguments: the cursor.
 */
export const pins = defineScript(`${load}
local session = load(KEYS[1])
if not session.epoch then return {'missing'} end
local found, scanned = answer('ok', session), redis.call('HSCAN', KEYS[2], ARGV[1], 'COUNT', ${AT_ONCE})
found[7] = scanned[1]
for _, text in ipairs(scanned[2]) do found[#found + 1] = text end
return found
`)
