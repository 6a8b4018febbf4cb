import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import type { Mill } from '../mill/open-mill.ts'
import { withStand } from '../mill/with-stand.ts'
import { nginxMissing, type RealProxy, startNginx } from '../nginx.ts'
import type { Finding, Trial, TrialOptions } from '../trial.ts'

const WORKERS = 8
const ROUNDS = 200
const SHORT_ROUNDS = 20

/** Reuses few connections for all clients, and forwards bodies without buffering. */
const config = `
upstream millrace {
    server 127.0.0.1:8787;
    keepalive 8;
}
server {
    listen 443;
    client_max_body_size 0;
    location / {
        proxy_pass http://millrace;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header Host $host;
        proxy_request_buffering off;
    }
}`

/** Requests that are answered before their body is read; a run takes at most 1 MiB. */
const refusals = [
  { path: '/agent/run', type: 'application/json', status: 413, bytes: 1_100_000 },
  { path: '/agent/run', type: 'text/plain', status: 415, bytes: 200_000 },
  { path: '/nowhere', type: 'application/json', status: 404, bytes: 900_000 },
  { path: '/health', type: 'application/json', status: 405, bytes: 70_000 },
  { path: '/agent/run', type: 'text/plain', status: 415, bytes: 5_000_000 },
] as const

/** Refused requests, each followed by a valid one on the same connection. */
export const refusedRequests: Trial = {
  name: 'refusals',
  only: 'sqlite',
  summary: 'refused requests with long bodies, each before a valid one on the same connection',
  run: (options) =>
    withStand({ store: 'sqlite' }, async ({ startMill }) => {
      const mill = await startMill()
      const kept = { url: mill.url, where: 'kept connections', isKept: true }
      const direct = await sendAll(kept, options)
      if (nginxMissing !== '') return [direct]
      const proxy = await startNginx({ config, port: portOf(mill) })
      return [direct, await sendThrough(proxy, options)]
    }),
}

const portOf = ({ url }: Mill): number => Number(new URL(url).port)

async function sendThrough(proxy: RealProxy, options: TrialOptions): Promise<Finding> {
  try {
    // Without buffered bodies, nginx closes the connections of clients whose requests were refused, although it announces them as
    // persistent. This trial examines its connections to the server.
    const target = { url: proxy.url, where: 'nginx, 8 kept connections', isKept: false }
    return await sendAll(target, options)
  } finally {
    await proxy.close()
  }
}

interface Target {
  readonly url: string
  readonly where: string
  /** Whether clients keep their connections. */
  readonly isKept: boolean
}

async function sendAll(
  { url, where, isKept }: Target,
  { isShort, signal, onProgress }: TrialOptions,
): Promise<Finding> {
  const rounds = isShort ? SHORT_ROUNDS : ROUNDS
  const total = rounds * WORKERS
  const faults: string[] = []
  let done = 0
  const runWorker = async (worker: number): Promise<void> => {
    const agent = new Agent({ keepAlive: isKept, maxSockets: isKept ? 1 : Infinity })
    try {
      for (let round = 0; round < rounds; round++) {
        signal.throwIfAborted()
        faults.push(...(await sendBoth(url, agent, worker + round)))
        onProgress(++done, total, `rounds, ${where}`)
      }
    } finally {
      agent.destroy()
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, (_, worker) => runWorker(worker)))
  return {
    what: 'refused requests with 70 KB to 5 MB, each before a valid one',
    where,
    figures: `${total} refused, ${total} valid, ${faults.length} not answered as they should be`,
    bound: '0',
    faults,
  }
}

async function sendBoth(url: string, agent: Agent, round: number): Promise<readonly string[]> {
  const refusal = refusals[round % refusals.length]
  if (refusal === undefined) return []
  const { path, type, status, bytes } = refusal
  const faults: string[] = []
  const expectStatus = async (expected: number, answer: Promise<number>): Promise<void> => {
    const found = await answer.catch(String)
    if (found !== expected) faults.push(`${found} in place of ${expected}, refused with ${status}`)
  }
  await expectStatus(status, send(`${url}${path}`, agent, type, 'a'.repeat(bytes)))
  const body = JSON.stringify({ user_prompt: 'ask' })
  await expectStatus(200, send(`${url}/agent/run`, agent, 'application/json', body))
  return faults
}

async function send(url: string, agent: Agent, type: string, body: string): Promise<number> {
  const headers = { 'content-type': type, 'content-length': String(body.length) }
  const outgoing = request(url, { agent, method: 'POST', headers })
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>
  outgoing.end(body)
  const [response] = await answered
  // The rest of a refused body may meet a closed connection; only the response counts.
  outgoing.on('error', () => {})
  await once(response.resume(), 'end')
  return response.statusCode ?? 0
}
