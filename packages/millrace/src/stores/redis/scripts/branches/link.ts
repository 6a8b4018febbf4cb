import { clock, defineScript } from '../common.ts'

/** Records the start of a pin change, and returns its time. Keys: the pending changes. Arguments: the change. */
export const link = defineScript(`${clock}
local now = text(micros())
redis.call('ZADD', KEYS[1], now, ARGV[1])
return {now}
`)
