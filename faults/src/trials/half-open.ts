import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { post } from '../mill/ask.ts'
import type { Mill } from '../mill/open-mill.ts'
import { withStand } from '../mill/with-stand.ts'
import type { Finding, Trial, TrialOptions } from '../trial.ts'

const EACH = 50
const SHORT_EACH = 10
/** Short, so that a trial does not take minutes. */
const limits = { bodyIdleTimeoutMs: 2_000, stallTimeoutMs: 2_000 }
/** A request head may take 15 s, which is not a limit of the handler. */
const FREE_LIMIT_MS = 60_000
const POLL_MS = 250
/** Prompts are in the log, which must exceed the buffers of a connection. */
const PROMPTS = 16
const PROMPT_BYTES = 900_000

const bodyHead = (path: string, type: string): string =>
  `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${type}\r\ncontent-length: 1000\r\n\r\n`

/** The data on a connection before its peer disappears. */
const starts: Readonly<Record<string, (session: string) => string>> = {
  nothing: () => '',
  'half a head': () => 'POST /agent/run HTTP/1.1\r\nhost: ',
  'half a body': () => `${bodyHead('/agent/run', 'application/json')}{"user_prompt":`,
  'half a file': () => `${bodyHead('/agent/upload', 'multipart/form-data; boundary=b')}--b`,
  'a request for a stream': (session) =>
    `GET /agent/${session}/stream?compact=0 HTTP/1.1\r\nhost: localhost\r\n\r\n`,
}

/** Peers that vanish in every state of a connection, without closing it. */
export const halfOpen: Trial = {
  name: 'half-open',
  only: 'sqlite',
  isAlone: true,
  summary: 'peers that vanish without closing their connections, in every state of these',
  run: (options) =>
    withStand({ store: 'sqlite', limits }, async ({ startMill }) => {
      const mill = await startMill()
      const session = await fillSession(mill)
      return [await vanish(mill, session, options)]
    }),
}

async function fillSession(mill: Mill): Promise<string> {
  const session = crypto.randomUUID()
  for (let count = 0; count < PROMPTS; count++) {
    const prompt = `hello ${'x'.repeat(PROMPT_BYTES)}`
    const asked = { agent_uuid: session, user_prompt: prompt }
    const response = await post(mill, '/agent/run', asked)
    if (!response.ok) throw new Error(`A run was refused with ${response.status}.`)
    await response.text()
  }
  return session
}

async function vanish(
  mill: Mill,
  session: string,
  { isShort, signal, onProgress }: TrialOptions,
): Promise<Finding> {
  const each = isShort ? SHORT_EACH : EACH
  const texts = Object.values(starts).map((start) => start(session))
  const sockets: Socket[] = []
  const faults: string[] = []
  let valid = 0
  try {
    for (const text of texts) {
      for (let count = 0; count < each; count++) sockets.push(await open(mill, text))
    }
    const startedAt = performance.now()
    let left = sockets.length
    while (left > 0 && performance.now() - startedAt < FREE_LIMIT_MS) {
      const { status } = await post(mill, '/agent/run', { user_prompt: 'ask' })
      valid++
      if (status !== 200) faults.push(`a valid request was answered with ${status}`)
      await setTimeout(POLL_MS, undefined, { signal })
      left = await countHeld(mill, sockets)
      onProgress(sockets.length - left, sockets.length, 'connections freed')
    }
    const seconds = (performance.now() - startedAt) / 1000
    if (left > 0) faults.push(`${left} connections are still held`)
    return {
      what: `peers that vanish after ${Object.keys(starts).join(', ')}`,
      where: 'SQLite',
      figures: `${sockets.length - left} of ${sockets.length} connections freed in ${seconds.toFixed(0)} s, ${valid} valid requests meanwhile, ${faults.length} faults`,
      bound: `all within ${FREE_LIMIT_MS / 1000} s`,
      faults,
    }
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

async function open({ url }: Mill, text: string): Promise<Socket> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' })
  socket.on('error', () => {})
  socket.pause()
  await once(socket, 'connect')
  if (text !== '') socket.write(text)
  return socket
}

/** The states of a connection that its owner has not closed: established, or closed by the peer alone. */
const heldStates: ReadonlySet<string> = new Set(['01', '08'])

/** Counts those of our connections that the server has not closed, by the table of the kernel. */
async function countHeld({ url }: Mill, sockets: readonly Socket[]): Promise<number> {
  const toHex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0')
  const serverPort = toHex(Number(new URL(url).port))
  const ours = new Set(sockets.map(({ localPort = 0 }) => toHex(localPort)))
  const table = await readFile('/proc/net/tcp', 'utf8')
  return table.split('\n').filter((row) => {
    const [, local = '', remote = '', state = ''] = row.trim().split(/\s+/)
    const isOurs = local.endsWith(`:${serverPort}`) && ours.has(remote.split(':')[1] ?? '')
    return isOurs && heldStates.has(state)
  }).length
}
