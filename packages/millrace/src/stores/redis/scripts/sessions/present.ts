import { find } from '../common.ts'
import { defineScript } from '../script.ts'

/** Tells whether a log is there. Keys: meta of a session, meta of what is kept of it. Arguments: the log. */
export const present = defineScript(`${find}
return {find(ARGV[1], 1) and 1 or 0}
`)
