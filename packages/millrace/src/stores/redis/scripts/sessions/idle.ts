import { clock, defineScript } from '../common.ts'

/** Lists sessions without a write for a time. Keys: all sessions. Arguments: milliseconds, offset, limit. */
export const idle = defineScript(`${clock}
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', text(micros() - ARGV[1] * 1000), 'LIMIT', ARGV[2], ARGV[3])
`)
