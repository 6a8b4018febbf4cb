import { fileURLToPath } from 'node:url'
import { openMill } from '@millrace/faults/mill'
import type { Sample } from '../sample.ts'

/** A server in a separate process, which measures itself on request. */
export interface SoakServer {
  readonly url: string
  /** The warnings and errors of its log so far. */
  readonly complaints: () => readonly string[]
  /** Collects garbage and measures; nothing may be active. */
  readonly sample: () => Promise<Sample>
  /** Stores a session whose log is longer than the buffers of a socket. */
  readonly fill: (session: string) => Promise<void>
  /** Deletes sessions. */
  readonly remove: (sessions: readonly string[]) => Promise<void>
  readonly close: () => Promise<void>
}

/** The settings of a server. */
export interface SoakServerOptions {
  readonly adapter: string
  readonly modelUrl: string
  /** The address of its store, in the form of `MILLRACE_STORE`. */
  readonly store: string
  /** The program that runs it. */
  readonly node: string
  /** Maximum time without a read before a reader is disconnected. */
  readonly stallMs: number
}

interface Answer {
  readonly number: number
  readonly result?: unknown
  readonly error?: string
}

const agents = fileURLToPath(new URL('agents.mjs', import.meta.url))
/**
 * Without compilers, and with their feedback allocated at once. Compilers replace megabytes of code repeatedly, which is not related to a
 * leak.
 */
const nodeFlags = [
  '--expose-gc',
  '--single-threaded-gc',
  '--no-flush-bytecode',
  '--no-opt',
  '--no-maglev',
  '--no-sparkplug',
  '--no-lazy-feedback-allocation',
]

/** Starts `millrace serve` with the agents of the soak. */
export async function openServer({
  adapter,
  modelUrl,
  store,
  node,
  stallMs,
}: SoakServerOptions): Promise<SoakServer> {
  const mill = await openMill({
    store,
    modelUrl,
    agents,
    node,
    nodeFlags,
    env: {
      SOAK_ADAPTER: adapter,
      SOAK_MODEL_URL: modelUrl,
      SOAK_STORE: store,
      SOAK_STALL_MS: String(stallMs),
    },
    keeps: ({ level, event }) => event === 'error' || level === 'warn',
  })
  const waiting = new Map<number, (answer: Answer) => void>()
  let number = 0
  mill.onMessage((message) => {
    const answer = message as Answer
    waiting.get(answer.number)?.(answer)
    waiting.delete(answer.number)
  })
  void mill.gone.then(() => {
    for (const settle of waiting.values()) settle({ number: 0, error: 'the server has ended' })
  })
  const call = <Result>(command: string, argument?: unknown): Promise<Result> =>
    new Promise((resolve, reject) => {
      waiting.set(++number, ({ result, error }) => {
        if (error === undefined) resolve(result as Result)
        else reject(new Error(`${command}: ${error}`))
      })
      mill.send({ number, command, argument })
    })
  return {
    url: mill.url,
    complaints: () => mill.logged.map((line) => JSON.stringify(line)),
    sample: () => call('sample'),
    fill: (session) => call('fill', session),
    remove: (sessions) => call('remove', sessions),
    close: mill.stop,
  }
}
