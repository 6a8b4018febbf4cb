import { DEFAULT_STORE } from 'millrace/node'
import type { Terminal } from './command.ts'

/** What `--store` means, for the usage of commands. */
export const storeUsage = `where sessions are: sqlite:PATH, redis://HOST:PORT, postgres://HOST:PORT/DATABASE
                 or memory: (or MILLRACE_STORE; default ${DEFAULT_STORE})`

/** The address of the store that a command works with: the option's, else the environment's, else one file here. */
export function chooseStore(option: string | undefined, env: Terminal['env']): string {
  return option ?? (env['MILLRACE_STORE'] || DEFAULT_STORE)
}
