import { existsSync } from 'node:fs'

/** The reason why tests of the sandbox cannot run here, as a suffix of the name of skipped suites; otherwise empty. */
export const bubblewrapMissing: string = existsSync(process.env['BWRAP_PATH'] ?? '/usr/bin/bwrap')
  ? ''
  : ' (left out: bubblewrap was not found; install it (apt-get install bubblewrap) or set BWRAP_PATH)'
