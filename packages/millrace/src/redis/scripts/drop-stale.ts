import { clock } from './common.ts'
import { defineScript } from './script.ts'

/** Drops a lease that its session knows nothing of, once it is a minute past. Keys: all leases. Arguments: session. */
export const dropStale = defineScript(`${clock}
local lapses = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not lapses or tonumber(lapses) > micros() - 60000000 then return 0 end
return redis.call('ZREM', KEYS[1], ARGV[1])
`)
