import type { Answer, Implementation, Task } from '../implementation.ts'
import { type AdapterLink, type LinkOptions, openLink } from './adapter-link.ts'
import type { Hello } from './messages.ts'

/** Options of the pipe to an adapter. */
export interface PipeOptions extends LinkOptions {
  /** Maximum restarts of a failed adapter, so that one case does not hide the others. */
  readonly maxRestarts?: number
}

interface PipeImplementation extends Implementation {
  readonly hello: Hello
  /** Ends the process; resolves with the failure since the last response, if any. */
  close(): Promise<string | undefined>
}

/** Number of concurrent tasks of an adapter, so that neither side waits for the other. */
const AHEAD = 16

/** Starts a command that speaks the adapter protocol, and waits for its hello. */
export async function openPipe(
  command: readonly string[],
  { maxRestarts = 10, ...options }: PipeOptions = {},
): Promise<PipeImplementation> {
  const first = await openLink(command, options)
  const { hello } = first
  let link = Promise.resolve<AdapterLink | string>(first)
  let restarts = 0

  async function reopen(current: AdapterLink | string): Promise<AdapterLink | string> {
    if (typeof current === 'string' || !current.isLost) return current
    await current.close()
    if (options.signal?.aborted === true) return 'stopped'
    if (restarts++ >= maxRestarts) return `the adapter has failed ${restarts} times and is given up`
    return openLink(command, options).catch(toMessage)
  }

  async function run(task: Task): Promise<Answer> {
    link = link.then(reopen)
    const current = await link
    return typeof current === 'string' ? { error: current, isLost: true } : current.ask(task)
  }

  return {
    hello,
    supports: (kind) => hello.kinds.includes(kind),
    units: hello.units,
    ahead: AHEAD,
    run,
    close: async () => {
      const current = await link
      return typeof current === 'string' ? undefined : current.close()
    },
  }
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
