import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'

/** The built command, which examples and new apps use. */
export const builtCommand = fileURLToPath(
  new URL('../../../../tools/dist/main.js', import.meta.url),
)

/** The folder of an example. */
export const exampleFolder = (name: string): string =>
  fileURLToPath(new URL(`../../../../../examples/${name}/`, import.meta.url))

/** Maximum start time of a process: two seconds of a processor, of which a busy machine gives it a twentieth. */
export const START_TIMEOUT_MS = 60_000

/** A process of Node that runs an example. */
export interface ExampleProcess {
  readonly child: ChildProcessWithoutNullStreams
  /** Its output so far. */
  readonly output: () => string
  /** Waits until it has printed a text. */
  readonly waitFor: (words: string | RegExp) => Promise<void>
  /** Waits until it has printed its address. */
  readonly url: () => Promise<string>
  /** Settles when it has ended and its whole output has arrived. */
  readonly exit: Promise<unknown>
  /** Sends it the signal to end, and resolves when it has ended. */
  readonly stop: () => Promise<void>
}

/** Starts Node without a key, on any free port. */
export function startExample(
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd?: string; readonly env?: Record<string, string> } = {},
): ExampleProcess {
  const surroundings = { ...process.env, ANTHROPIC_API_KEY: '', PORT: '0', NO_COLOR: '1', ...env }
  const child = spawn(process.execPath, [...args], {
    env: surroundings,
    ...(cwd !== undefined && { cwd }),
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => void (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => void (output += chunk.toString()))
  // Its last output may arrive after its exit.
  const exit = once(child, 'close')
  const waitFor = async (words: string | RegExp): Promise<void> => {
    const isSaid = () => (typeof words === 'string' ? output.includes(words) : words.test(output))
    await vi.waitUntil(isSaid, { timeout: START_TIMEOUT_MS, interval: 50 }).catch(() => {
      // If the start fails, a caller has no function to stop it.
      child.kill('SIGKILL')
      throw new Error(`It did not say ${words}, but: ${output}`)
    })
  }
  return {
    child,
    exit,
    output: () => output,
    waitFor,
    url: async () => {
      const address = /http:\/\/127\.0\.0\.1:\d+/
      await waitFor(address)
      return address.exec(output)?.[0] ?? ''
    },
    stop: async () => {
      child.kill('SIGTERM')
      await exit
    },
  }
}
