import { DEFAULT_STORE } from 'millrace/node'
import type { Terminal } from './command.ts'

/** The usage text of `--store`. */
export const storeUsage = `where sessions are: sqlite:PATH, redis://HOST:PORT, postgres://HOST:PORT/DATABASE
                 or memory: (or MILLRACE_STORE; default ${DEFAULT_STORE})`

/** Returns the store address of a command: the option, the environment variable, or the default file. */
export function chooseStore(option: string | undefined, env: Terminal['env']): string {
  return option ?? (env['MILLRACE_STORE'] || DEFAULT_STORE)
}
