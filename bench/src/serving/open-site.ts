import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { storeKinds } from '../servers/index.ts'
import type { Command, Site, SiteKind } from './site.ts'

/** A site in another process. */
export interface OpenSite extends Site {
  /** Ends it and its store. */
  close(): Promise<void>
}

interface Answer {
  readonly number: number
  readonly result?: unknown
  readonly error?: string
}

const main = fileURLToPath(new URL('site-process.ts', import.meta.url))
// Its collector uses one thread, so that its work counts for the process.
const execArgv = ['--expose-gc', '--single-threaded-gc', '--import', 'tsx']

/** Starts a server in a separate process, whose time and memory are its own, on an empty store; it ends with the signal. */
export async function openSite(kind: SiteKind, signal?: AbortSignal): Promise<OpenSite> {
  const store = kind === 'raw' ? undefined : await storeKinds[kind].open()
  const child = fork(main, [store?.address ?? kind], { execArgv, ...(signal && { signal }) })
  const gone = once(child, 'exit').catch(() => {})
  const waiting = new Map<number, (answer: Answer) => void>()
  let number = 0
  child.on('message', (answer: Answer) => {
    waiting.get(answer.number)?.(answer)
    waiting.delete(answer.number)
  })
  const fail = (error: string): void => {
    for (const settle of waiting.values()) settle({ number: 0, error })
  }
  child.on('exit', (code) => fail(`ended with ${code}`))
  child.on('error', (error) => fail(String(error)))

  const call = <Result>(command: Command, argument?: unknown): Promise<Result> =>
    new Promise((resolve, reject) => {
      waiting.set(++number, ({ result, error }) => {
        if (error === undefined) resolve(result as Result)
        else reject(new Error(`${kind}: ${error}`))
      })
      child.send({ number, command, argument })
    })

  return {
    listen: () => call('listen'),
    start: (load) => call('start', load),
    stop: () => call('stop'),
    fill: (messages) => call('fill', messages),
    held: () => call('held'),
    usage: (collects) => call('usage', collects),
    close: async () => {
      child.kill()
      await gone
      await store?.close()
    },
  }
}
