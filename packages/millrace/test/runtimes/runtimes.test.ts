import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSession, stopRun } from '../../src/public/client.ts'
import { finalText } from '../../src/public/index.ts'
import { checkTable } from '../support/repository/check-table.ts'
import { readStream } from '../support/frames/read-stream.ts'
import {
  type DeployedRuntime,
  type DeployedServer,
  runtimes,
  startProcess,
  startServer,
} from '../support/processes/deployed-server.ts'

/** Runs of about two and ten seconds, and of minutes. */
const [SHORT, LONG, ENDLESS] = ['/demo long 300', '/demo long 1500', '/demo long 20000']

/** The checks of the table of the guide, with their headings. */
const checks = {
  run: 'runs an agent and streams it',
  mount: 'under a mount path',
  cut: 'a run continues without its reader, which resumes',
  alone: 'a run continues for 20 seconds without a request',
  stop: 'stops a run',
  killed: 'continues the runs of a killed process, from SQLite',
} as const

type Check = keyof typeof checks

const passed = new Map<string, Set<Check>>()
let folder = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runtimes-'))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

/** Finds a free port, for servers that cannot choose one. */
async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const stateOf = async (url: string, session: string): Promise<object> =>
  (await (await fetch(`${url}/agent/${session}`)).json()) as object

/** Runs a demo with the client library; resolves with the final text. */
async function ask(url: string, prompt: string): Promise<string> {
  const session = createSession({ url })
  await session.run(prompt)
  session.close()
  const { transcript } = session.getSnapshot()
  expect(transcript.status).toBe('complete')
  return finalText(transcript)
}

/** Starts a run, and reads its first frames. */
async function begin(url: string, prompt: string) {
  const session = crypto.randomUUID()
  const response = await fetch(`${url}/agent/run?compact=0`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent_uuid: session, user_prompt: prompt }),
  })
  const { frames, status } = await readStream(response, ({ frames: read }) => read.length >= 6)
  expect(status).toBe(200)
  return { session, frames }
}

/** Reads on after a frame, to the end of the run. */
async function resume(url: string, session: string, cursor: number) {
  const address = `${url}/agent/${session}/stream?compact=0`
  const headers = { 'last-event-id': String(cursor) }
  const { frames, isDone } = await readStream(await fetch(address, { headers }))
  expect(isDone).toBe(true)
  return frames
}

async function checkCut(url: string): Promise<void> {
  const { session, frames } = await begin(url, SHORT)
  const rest = await resume(url, session, frames.at(-1)?.id ?? 0)
  const ids = [...frames, ...rest].map(({ id }) => id)
  expect(ids).toEqual(ids.map((_, index) => index + 1))
  expect(await resume(url, session, 0)).toEqual([...frames, ...rest])
  expect(await stateOf(url, session)).toMatchObject({ status: 'ended', stop_reason: 'end_turn' })
}

async function checkAlone(url: string): Promise<void> {
  const { session, frames } = await begin(url, LONG)
  await sleep(20_000)
  const rest = await resume(url, session, frames.at(-1)?.id ?? 0)
  const ids = [...frames, ...rest].map(({ id }) => id)
  expect(ids).toEqual(ids.map((_, index) => index + 1))
}

async function checkStop(url: string): Promise<void> {
  const { session } = await begin(url, ENDLESS)
  const client = createSession({ url, session })
  const watched = client.watch()
  await stopRun(client)
  await watched
  client.close()
  expect(await stateOf(url, session)).toMatchObject({ status: 'ended', stop_reason: 'aborted' })
}

async function checkKilled(runtime: DeployedRuntime, server: DeployedServer, path: string) {
  const { session, frames } = await begin(server.url, LONG)
  await server.kill()
  // Not the same port: Node would use connections to the killed process again.
  const next = await startServer(runtime, path, await findPort())
  try {
    const rest = await resume(next.url, session, frames.at(-1)?.id ?? 0)
    expect(rest.map(({ data }) => data).join('')).toContain('rollback')
    expect(await resume(next.url, session, 0)).toEqual([...frames, ...rest])
    expect(await stateOf(next.url, session)).toMatchObject({
      status: 'ended',
      stop_reason: 'end_turn',
    })
  } finally {
    await next.kill()
  }
}

test.concurrent.each(runtimes)('$name', async (runtime) => {
  const done = new Set<Check>()
  passed.set(runtime.name, done)
  if (runtime.build !== undefined) {
    const build = startProcess(runtime.build, runtime.folder ?? '')
    const [code] = await build.exit
    expect([code, code === 0 ? '' : build.output()]).toEqual([0, ''])
  }
  const path = join(folder, `${runtime.name}.db`)
  const server = await startServer(runtime, path, await findPort())
  try {
    expect(await ask(server.url, '/demo thinking')).toContain('204')
    done.add('run')
    if (runtime.mount !== '') done.add('mount')
    await Promise.all([
      checkCut(server.url).then(() => done.add('cut')),
      checkStop(server.url).then(() => done.add('stop')),
    ])
    const alone = checkAlone(server.url)
    if (runtime.isInMemory) return await expect(alone).rejects.toThrow()
    await alone
    done.add('alone')
    await checkKilled(runtime, server, path)
    done.add('killed')
  } finally {
    await server.kill()
  }
})

test('the guide has the checks that each runtime passes (npm test -- --only runtimes --update)', () => {
  const rows = (Object.keys(checks) as Check[]).map((check) => [
    checks[check],
    ...runtimes.map(({ name }) => (passed.get(name)?.has(check) === true ? 'yes' : '–')),
  ])
  checkTable('deploying.md', 'runtimes', [['check', ...runtimes.map(({ name }) => name)], ...rows])
})
