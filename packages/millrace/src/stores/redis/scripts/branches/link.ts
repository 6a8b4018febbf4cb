import { clock } from '../common.ts'
import { defineScript } from '../script.ts'

/** Notes a change of a pin that is about to be made, and tells when. Keys: the changes under way. Arguments: the change. */
export const link = defineScript(`${clock}
local now = text(micros())
redis.call('ZADD', KEYS[1], now, ARGV[1])
return {now}
`)
