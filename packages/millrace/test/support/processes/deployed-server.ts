import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { vi } from 'vitest'
import { exampleFolder, START_TIMEOUT_MS } from './example-process.ts'

/** A server of examples/deploy in its runtime. */
export interface DeployedRuntime {
  readonly name: string
  /** The path under which the server mounts the agent. */
  readonly mount: string
  /** The program, and its arguments for a port. */
  readonly command: (port: number) => readonly string[]
  /** The folder in examples/deploy in which it runs. */
  readonly folder?: string
  /** The command that builds it before it starts. */
  readonly build?: readonly string[]
  /** Whether its sessions are in the memory of an object that is evicted without requests. */
  readonly isInMemory?: true
}

const packages = `${exampleFolder('deploy')}node_modules`

/** Returns the program of a package of npm for this platform, whose installation script did not run. */
function programOf(candidates: readonly string[]): string {
  const paths = candidates.map((candidate) => `${packages}/${candidate}`)
  const found = paths.find((path) => existsSync(path))
  if (found === undefined) throw new Error(`There is none of ${paths.join(', ')}.`)
  return found
}

const { platform, arch } = process
const bunArch = arch === 'arm64' ? 'aarch64' : arch

const bun = () =>
  programOf([
    `@oven/bun-${platform}-${bunArch}/bin/bun`,
    `@oven/bun-${platform}-${bunArch}-musl/bin/bun`,
  ])

const deno = () =>
  programOf([`@deno/${platform}-${arch}-glibc/deno`, `@deno/${platform}-${arch}/deno`])

const next = `${packages}/next/dist/bin/next`

const workerd = () =>
  programOf([`@cloudflare/workerd-${platform}-${arch === 'x64' ? '64' : arch}/bin/workerd`])

/** The servers of examples/deploy. */
export const runtimes: readonly DeployedRuntime[] = [
  { name: 'Node', mount: '', command: () => [process.execPath, 'node.js'] },
  { name: 'Express', mount: '/mill', command: () => [process.execPath, 'express.js'] },
  { name: 'Hono', mount: '/mill', command: () => [process.execPath, 'hono.js'] },
  { name: 'Bun', mount: '', command: () => [bun(), 'bun.js'] },
  {
    name: 'Deno',
    mount: '',
    command: () => [deno(), 'run', '-A', '--node-modules-dir=manual', 'deno.js'],
  },
  {
    name: 'Next.js',
    mount: '/api/mill',
    command: (port) => [process.execPath, next, 'start', '-H', '127.0.0.1', '-p', String(port)],
    folder: 'next',
    build: [process.execPath, next, 'build'],
  },
  {
    name: 'workerd',
    mount: '',
    command: (port) => [workerd(), 'serve', 'config.capnp', '-s', `http=127.0.0.1:${port}`],
    folder: 'workers',
    build: [process.execPath, 'build.js'],
    isInMemory: true,
  },
]

/** A running server. */
export interface DeployedServer {
  /** Its address with the mount path. */
  readonly url: string
  /** Kills it with `kill -9`, with all processes that it has started. */
  readonly kill: () => Promise<void>
}

/** Starts a server on a file of SQLite. */
export async function startServer(
  { command, folder = '', mount }: DeployedRuntime,
  path: string,
  port: number,
): Promise<DeployedServer> {
  const child = startProcess(command(port), folder, { PORT: String(port), RUNS_PATH: path })
  const url = `http://127.0.0.1:${port}${mount}`
  const isHealthy = async (): Promise<boolean> =>
    fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    )
  await vi.waitUntil(isHealthy, { timeout: START_TIMEOUT_MS, interval: 100 }).catch(async () => {
    await child.kill()
    throw new Error(`${url} is not healthy; the server has printed: ${child.output()}`)
  })
  return { url, kill: child.kill }
}

/** A process in a folder of examples/deploy. */
export function startProcess(
  [program = '', ...args]: readonly string[],
  folder: string,
  env: Readonly<Record<string, string>> = {},
) {
  const child = spawn(program, args, {
    cwd: `${exampleFolder('deploy')}${folder}`,
    env: { ...process.env, ANTHROPIC_API_KEY: '', NEXT_TELEMETRY_DISABLED: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that the processes that it starts are killed with it.
    detached: true,
  })
  let output = ''
  const keep = (chunk: Buffer): void => void (output += chunk.toString())
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  const exit = once(child, 'exit')
  return { output: () => output, exit, kill: () => killGroup(child, exit) }
}

async function killGroup({ pid, exitCode, signalCode }: ChildProcess, exit: Promise<unknown>) {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  process.kill(-pid, 'SIGKILL')
  await exit
}
