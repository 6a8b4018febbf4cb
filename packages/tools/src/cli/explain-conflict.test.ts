import { afterEach, expect, test } from 'vitest'
import { MillraceError } from 'millrace'
import { type RunningServer, serve } from 'millrace/node'
import { explainConflict } from './explain-conflict.ts'

const host = '127.0.0.1'
const started: RunningServer[] = []
afterEach(async () => {
  await Promise.all(started.splice(0).map(({ close }) => close()))
})

/** A server with the same response to every request. */
async function start(answer: object): Promise<RunningServer> {
  const server = await serve({ handler: { fetch: () => Response.json(answer) }, port: 0 })
  started.push(server)
  return server
}

/** The failure of a second server on the same port, and its explanation. */
async function explainPort(port: number, env: Record<string, string> = {}): Promise<string> {
  const error: unknown = await serve({ handler: { fetch: () => new Response() }, port }).catch(
    (reason: unknown) => reason,
  )
  return String(await explainConflict(error, { host, port, env }))
}

const npm = { npm_lifecycle_event: 'start' }

test('a port in use by another program is reported with the option to choose another', async () => {
  const { port } = await start({ hello: 'world' })
  expect(await explainPort(port, npm)).toMatch(/already in use.*\n.*PORT=\d+ npm start/)
  const studio = { npm_lifecycle_event: 'studio' }
  expect(await explainPort(port, studio)).toMatch(/PORT=\d+ npm run studio$/)
  expect(await explainPort(port)).toMatch(/add --port \d+$/)
})

test('a running server is reported with its address', async () => {
  const { port, url } = await start({ status: 'healthy' })
  const text = await explainPort(port, npm)
  expect(text).toContain(`already running at ${url}`)
  expect(text).not.toContain('MILLRACE_STORE')
})

test('a store in use by the server on that port is reported with its address', async () => {
  const { port, url } = await start({ status: 'healthy' })
  const error = new MillraceError('conflict', 'Another server uses mill.db.')
  const text = String(await explainConflict(error, { host, port, env: npm }))
  expect(text).toContain(`already running at ${url}`)
  expect(text).toMatch(/PORT=\d+ MILLRACE_STORE=\S+ npm start$/)
})

test('other errors are unchanged', async () => {
  const { port } = await start({ hello: 'world' })
  const taken = new MillraceError('conflict', 'Another server uses mill.db.')
  const other = new Error('Something else')
  expect(await explainConflict(taken, { host, port, env: npm })).toBe(taken)
  expect(await explainConflict(other, { host, port, env: npm })).toBe(other)
})
