import { clock } from '../common.ts'
import { defineScript } from '../script.ts'

/** Sessions that were not written to for so long. Keys: all sessions. Arguments: milliseconds, how many to skip, how many. */
export const idle = defineScript(`${clock}
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', text(micros() - ARGV[1] * 1000), 'LIMIT', ARGV[2], ARGV[3])
`)
