import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const cli = fileURLToPath(import.meta.resolve('millrace-tools/package.json')).replace(
  'package.json',
  'dist/main.js',
)
const trialAgents = fileURLToPath(new URL('agents.mjs', import.meta.url))
const clock = new URL('shift-clock.mjs', import.meta.url).href
const START_LIMIT_MS = 120_000

/** A line of a server's log. */
export interface LoggedLine {
  readonly level: string
  readonly event?: string
  readonly msg?: string
  readonly [field: string]: unknown
}

/** The options of a server of a trial. */
export interface MillOptions {
  /** The address, in the form of `MILLRACE_STORE`. */
  readonly store: string
  readonly modelUrl: string
  /** The time after which the runs of a silent server are taken over. */
  readonly leaseMs?: number
  /** The difference of its clock to that of the machine. */
  readonly clockShiftMs?: number
  /** The number of frames that it stores before it dies like by kill -9; without it, it does not die. */
  readonly dieAfter?: number
  /** The duration of its tools. */
  readonly toolMs?: number
  /** Limits of its handler that differ from the defaults. */
  readonly limits?: Readonly<Record<string, number>>
  /** The module of its agents; default: those of the fault trials. */
  readonly agents?: string
  /** The Node that runs it; default: the Node of this process. */
  readonly node?: string
  readonly nodeFlags?: readonly string[]
  /** More variables of its environment. */
  readonly env?: Readonly<Record<string, string>>
  /** Selects the lines of its log that `logged` keeps; default: all. */
  readonly keeps?: (line: LoggedLine) => boolean
}

/** `millrace serve` in a separate process, as in production. */
export interface Mill {
  readonly url: string
  readonly pid: number
  /** The log so far, including warnings and errors. */
  readonly logged: readonly LoggedLine[]
  readonly signal: (signal: NodeJS.Signals) => void
  /** Sends a message to the module with its agents, over the channel between the processes. */
  readonly send: (message: object) => void
  readonly onMessage: (listener: (message: unknown) => void) => void
  /** Kills it like kill -9 once it has stored this many more frames. */
  readonly dieAfter: (messages: number) => void
  /** Resolves when the process is gone. */
  readonly gone: Promise<void>
  readonly isGone: () => boolean
  /** Ends it like kill -9, and waits for that. */
  readonly kill: () => Promise<void>
  /** Ends it like an operator, and waits for that. */
  readonly stop: () => Promise<void>
}

/** Starts a server on a free port of the loopback; resolves when it listens. */
export async function openMill({
  store,
  modelUrl,
  leaseMs = 1_000,
  clockShiftMs = 0,
  dieAfter,
  toolMs = 0,
  limits = {},
  agents = trialAgents,
  node = process.execPath,
  nodeFlags = [],
  env = {},
  keeps = () => true,
}: MillOptions): Promise<Mill> {
  const flags = clockShiftMs === 0 ? nodeFlags : [...nodeFlags, '--import', clock]
  const args = [...flags, cli, 'serve', agents, '--port', '0', '--store', store]
  const child = spawn(node, [...args, '--log-format', 'json'], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      ...process.env,
      FAULTS_MODEL_URL: modelUrl,
      FAULTS_LEASE_MS: String(leaseMs),
      FAULTS_CLOCK_SHIFT_MS: String(clockShiftMs),
      FAULTS_TOOL_MS: String(toolMs),
      FAULTS_LIMITS: JSON.stringify(limits),
      ...(dieAfter !== undefined && { FAULTS_DIE_AFTER: String(dieAfter) }),
      ...env,
    },
  })
  const endWithUs = (): void => void child.kill('SIGKILL')
  process.on('exit', endWithUs)
  const gone = once(child, 'exit').then(() => void process.off('exit', endWithUs))
  const isGone = (): boolean => child.exitCode !== null || child.signalCode !== null
  const logged: LoggedLine[] = []
  const url = await readUrl(child, (line) => void (keeps(line) && logged.push(line)))
  const end = (signal: NodeJS.Signals): Promise<void> => {
    if (!isGone()) child.kill(signal)
    return gone
  }
  const send = (message: object): void => {
    if (child.connected) child.send(message)
  }
  return {
    url,
    pid: child.pid ?? 0,
    logged,
    gone,
    isGone,
    signal: (signal) => void child.kill(signal),
    send,
    onMessage: (listener) => void child.on('message', listener),
    dieAfter: (messages) => send({ dieAfter: messages }),
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  }
}

function readUrl(child: ChildProcess, onLine: (line: LoggedLine) => void): Promise<string> {
  const { stdout, stderr } = child
  if (stdout === null || stderr === null) throw new Error('The server has no output.')
  let errors = ''
  stderr.on('data', (data: Buffer) => (errors += data.toString()))
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new Error(`A server ${why}. ${errors}`))
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      fail('did not listen in time')
    }, START_LIMIT_MS)
    child.once('exit', () => {
      clearTimeout(timer)
      fail('ended before it listened')
    })
    createInterface(stdout).on('line', (text) => {
      const line = decodeLine(text)
      onLine(line)
      if (typeof line['url'] !== 'string') return
      clearTimeout(timer)
      resolve(line['url'])
    })
  })
}

function decodeLine(text: string): LoggedLine {
  try {
    return JSON.parse(text) as LoggedLine
  } catch {
    return { level: 'error', msg: text }
  }
}
