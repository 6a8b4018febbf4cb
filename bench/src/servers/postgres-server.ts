import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from './free-port.ts'

const run = promisify(execFile)
const pathOf = (variable: string): string | undefined =>
  [process.env[variable] ?? ''].find(existsSync)
const postgresPath = pathOf('POSTGRES_PATH')
const poolerPath = pathOf('PGBOUNCER_PATH')

/** The reason why Postgres cannot be used here, as a suffix of the name of a skipped test; otherwise empty. */
export const postgresMissing: string =
  postgresPath === undefined
    ? ' (left out: no postgres was found; install it (apt-get install postgresql) or set POSTGRES_PATH)'
    : ''

/** The reason why a pooler cannot be used here; otherwise empty. */
export const poolerMissing: string =
  poolerPath === undefined || postgresPath === undefined
    ? ' (left out: no postgres or no pgbouncer was found; install them or set POSTGRES_PATH and PGBOUNCER_PATH)'
    : ''

/** Neither of these programs runs as root; `nobody` has this number on Linux. */
const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** A real Postgres on a free port of the loopback, with its own folder. */
export interface PostgresServer {
  readonly port: number
  readonly url: `postgres://${string}`
  /** Runs a statement as the superuser; resolves with its rows, as arrays of texts. */
  query(text: string, values?: readonly unknown[]): Promise<readonly (readonly unknown[])[]>
  /** Ends it with immediate shutdown, without notice to clients, and starts it again. */
  crash(): Promise<void>
  kill(signal: NodeJS.Signals): void
  /** Ends it at once. */
  halt(): Promise<void>
  /** Starts it again after it was ended. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** Starts a server with settings such as `{ fsync: 'on' }`. */
export async function startPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<PostgresServer> {
  if (postgresPath === undefined) throw new Error(`Postgres cannot be tested${postgresMissing}.`)
  const path = postgresPath
  const { folder, data } = await makeCluster(path)
  const port = await freePort()
  const all = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    shared_buffers: '32MB',
    // Data in the kernel's cache survives the end of the process.
    fsync: 'off',
    log_min_messages: 'fatal',
    ...settings,
  }
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const url = `postgres://postgres@127.0.0.1:${port}/postgres` as const
  let child: ChildProcess | undefined

  const query: PostgresServer['query'] = (text, values = []) => queryOnce(url, text, values)
  const start = async (): Promise<void> => {
    child = spawn(path, ['-D', data, ...args], { stdio: 'ignore', cwd: folder, ...owner })
    while (!(await query('SELECT 1').then(Boolean, () => false))) await sleep(20)
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
  }
  await start()
  return {
    port,
    url,
    query,
    start,
    crash: async () => {
      await end('SIGQUIT')
      await start()
    },
    kill: (signal) => void child?.kill(signal),
    halt: () => end('SIGQUIT'),
    stop: async () => {
      await end('SIGQUIT')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Runs a statement on a separate connection. */
async function queryOnce(
  url: string,
  text: string,
  values: readonly unknown[],
): Promise<readonly (readonly unknown[])[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'trial' })
  client.on('error', () => {})
  try {
    await client.connect()
    const query = { text, values: [...values], rowMode: 'array' as const }
    const { rows } = await client.query<unknown[]>(query)
    return rows
  } finally {
    await client.end()
  }
}

/** A pgbouncer before a Postgres. */
export interface Pooler {
  readonly url: string
  stop(): Promise<void>
}

/** Starts a pooler that gives a connection for one transaction at a time. */
export async function startPooler(target: number): Promise<Pooler> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-pgbouncer-'))
  const port = await freePort()
  const users = join(folder, 'users')
  const config = join(folder, 'pgbouncer.ini')
  await writeFile(users, '"postgres" ""\n')
  await writeFile(
    config,
    [
      '[databases]',
      `postgres = host=127.0.0.1 port=${target} dbname=postgres`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = trust',
      `auth_file = ${users}`,
      'pool_mode = transaction',
      'default_pool_size = 3',
      'server_reset_query_always = 0',
    ].join('\n'),
  )
  for (const file of [folder, users, config])
    if (owner.uid !== undefined) await chown(file, owner.uid, owner.gid)
  const child = spawn(poolerPath ?? '', ['-q', config], { stdio: 'ignore', ...owner })
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  for (;;) {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    const isReady = await client.connect().then(
      () => true,
      () => false,
    )
    await client.end().catch(() => {})
    if (isReady) break
    await sleep(20)
  }
  return {
    url,
    stop: async () => {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function makeCluster(path: string): Promise<{ folder: string; data: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-postgres-'))
  if (owner.uid !== undefined) await chown(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')
  const settings = ['-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C', '--no-sync']
  await run(join(dirname(path), 'initdb'), ['-D', data, ...settings], { cwd: folder, ...owner })
  return { folder, data }
}
