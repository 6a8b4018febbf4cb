import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const cli = fileURLToPath(import.meta.resolve('millrace/package.json')).replace(
  'package.json',
  'dist/cli/main.js',
)
const agents = fileURLToPath(new URL('agents.mjs', import.meta.url))
const clock = new URL('shift-clock.mjs', import.meta.url).href
const START_LIMIT_MS = 30_000

/** A line of a server's log. */
export interface LoggedLine {
  readonly level: string
  readonly event?: string
  readonly msg?: string
  readonly [field: string]: unknown
}

/** What a server of a trial is started with. */
export interface MillOptions {
  /** As `MILLRACE_STORE` takes it. */
  readonly store: string
  readonly modelUrl: string
  /** How long the runs of a server that says nothing are left alone. */
  readonly leaseMs?: number
  /** How far its clock is from that of the machine. */
  readonly clockShiftMs?: number
  /** How many messages it stores before it dies as if by kill -9; without it, it lives. */
  readonly dieAfter?: number
  /** How long its tools take. */
  readonly toolMs?: number
}

/** `millrace serve` in a process of its own, as in production. */
export interface Mill {
  readonly url: string
  readonly pid: number
  /** What it has logged so far; warnings and errors are among it. */
  readonly logged: readonly LoggedLine[]
  readonly signal: (signal: NodeJS.Signals) => void
  /** Lets it die as if by kill -9 once it has stored so many more messages. */
  readonly dieAfter: (messages: number) => void
  /** Resolves when the process is gone. */
  readonly gone: Promise<void>
  readonly isGone: () => boolean
  /** Ends it as kill -9 does, and waits for that. */
  readonly kill: () => Promise<void>
  /** Ends it as an operator does, and waits for that. */
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
}: MillOptions): Promise<Mill> {
  const flags = clockShiftMs === 0 ? [] : ['--import', clock]
  const args = [...flags, cli, 'serve', agents, '--port', '0', '--store', store]
  const child = spawn(process.execPath, [...args, '--log-format', 'json'], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      ...process.env,
      FAULTS_MODEL_URL: modelUrl,
      FAULTS_LEASE_MS: String(leaseMs),
      FAULTS_CLOCK_SHIFT_MS: String(clockShiftMs),
      FAULTS_TOOL_MS: String(toolMs),
      ...(dieAfter !== undefined && { FAULTS_DIE_AFTER: String(dieAfter) }),
    },
  })
  const endWithUs = (): void => void child.kill('SIGKILL')
  process.on('exit', endWithUs)
  const gone = once(child, 'exit').then(() => void process.off('exit', endWithUs))
  const isGone = (): boolean => child.exitCode !== null || child.signalCode !== null
  const logged: LoggedLine[] = []
  const url = await readUrl(child, logged)
  const end = (signal: NodeJS.Signals): Promise<void> => {
    if (!isGone()) child.kill(signal)
    return gone
  }
  return {
    url,
    pid: child.pid ?? 0,
    logged,
    gone,
    isGone,
    signal: (signal) => void child.kill(signal),
    dieAfter: (messages) => {
      if (child.connected) child.send({ dieAfter: messages })
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  }
}

function readUrl(child: ChildProcess, logged: LoggedLine[]): Promise<string> {
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
      logged.push(line)
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
