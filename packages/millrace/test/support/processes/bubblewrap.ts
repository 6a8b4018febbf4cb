import { existsSync } from 'node:fs'

/** Why tests of the sandbox cannot run here, for the name of the suites that are left out; else empty. */
export const bubblewrapMissing: string = existsSync(process.env['BWRAP_PATH'] ?? '/usr/bin/bwrap')
  ? ''
  : ' (left out: bubblewrap was not found; install it (apt-get install bubblewrap) or set BWRAP_PATH)'
