import { find, defineScript } from '../common.ts'

/** Returns whether a log exists. Keys: meta of a session, meta of its kept log. Arguments: the log. */
export const present = defineScript(`${find}
return {find(ARGV[1], 1) and 1 or 0}
`)
