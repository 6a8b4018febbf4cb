import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { createSqliteStore } from '../../src/stores/sqlite/index.ts'
import { verifyWebhook } from '../../src/webhooks/webhook-signature.ts'
import { temporaryPaths } from '../support/stores/sqlite/temporary-store.ts'
import {
  makeWebhookSecret,
  openWebhookReceiver,
  type WebhookReceiver,
  withStatus,
} from '../support/servers/webhook-receiver.ts'

const nextPath = temporaryPaths()
const children = new Set<ChildProcess>()
const receivers: WebhookReceiver[] = []
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  for (const receiver of receivers.splice(0)) await receiver.close()
})

const session = '00000000-0000-4000-8000-000000000000'
const poll = { timeout: 20_000 }
const script = new URL('../support/servers/webhook-server.ts', import.meta.url)

/** Starts a server in a separate process; resolves when its run, if it has one, has ended. */
async function start(...args: readonly string[]) {
  const loader = ['--import', import.meta.resolve('tsx')]
  const child = spawn(process.execPath, [...loader, fileURLToPath(script), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.add(child)
  await once(createInterface(child.stdout), 'line')
  return {
    kill: async () => {
      const ended = once(child, 'close')
      child.kill('SIGKILL')
      await ended
      children.delete(child)
    },
  }
}

async function openReceiver(...given: Parameters<typeof openWebhookReceiver>) {
  const receiver = await openWebhookReceiver(...given)
  receivers.push(receiver)
  return receiver
}

async function pendingIn(path: string): Promise<number | undefined> {
  const store = createSqliteStore({ path })
  try {
    return (await store.info(session))?.pending
  } finally {
    await store.close()
  }
}

test('[HOOK-3] an event whose server is killed during its delivery is delivered by the next server', async () => {
  const path = nextPath()
  const receiver = await openReceiver(() => {})
  const { url, secret } = receiver
  const first = await start(path, url, secret, session)
  await expect.poll(() => receiver.deliveries.length, poll).toBeGreaterThan(0)
  await first.kill()
  expect(await pendingIn(path)).toBe(1)
  const before = receiver.deliveries.length
  receiver.answer = withStatus(200)
  const second = await start(path, url, secret)
  await expect.poll(() => receiver.deliveries.length, poll).toBeGreaterThan(before)
  await expect.poll(() => receiver.open.now, poll).toBe(0)
  const events = await Promise.all(
    receiver.deliveries.map((delivered) => verifyWebhook({ ...delivered, secret })),
  )
  expect(new Set(events.map(({ id }) => id)).size).toBe(1)
  expect(events.at(-1)).toMatchObject({ type: 'run.completed', data: { agent_uuid: session } })
  await second.kill()
}, 120_000)

test('[HOOK-3] an undelivered event of a killed server is delivered by the next server', async () => {
  const path = nextPath()
  const secret = makeWebhookSecret()
  // An unused port.
  const unused = createServer().listen(0, '127.0.0.1')
  await once(unused, 'listening')
  const { port } = unused.address() as AddressInfo
  unused.close()
  const url = `http://127.0.0.1:${port}/`
  const first = await start(path, url, secret, session)
  await first.kill()
  expect(await pendingIn(path)).toBe(1)
  const receiver = await openReceiver(withStatus(200), port)
  const second = await start(path, url, secret)
  await expect.poll(() => receiver.deliveries.length, poll).toBeGreaterThan(0)
  expect(receiver.deliveries[0]?.event).toMatchObject({ data: { final_response: 'bread' } })
  await second.kill()
}, 120_000)
