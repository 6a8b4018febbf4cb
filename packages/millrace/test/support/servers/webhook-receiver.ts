import { createHmac, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RunEvent } from '../../../src/webhooks/index.ts'

/** A delivery that a receiver got. */
export interface Delivered {
  readonly event: RunEvent
  readonly body: string
  readonly headers: IncomingMessage['headers']
}

/** Responds to a delivery; the count is 1 for the first. */
export type AnswerDelivery = (response: ServerResponse, count: number) => void

/** A receiver of webhooks over real HTTP. */
export interface WebhookReceiver {
  readonly url: string
  readonly secret: string
  readonly deliveries: readonly Delivered[]
  /** The currently open requests, and the maximum number of concurrent ones. */
  readonly open: { now: number; most: number }
  answer: AnswerDelivery
  close(): Promise<void>
}

/** Creates a secret like an operator. */
export function makeWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** Responds with a status. */
export const withStatus =
  (status: number): AnswerDelivery =>
  (response) =>
    void response.writeHead(status).end()

/** Starts a receiver, which accepts everything unless `answer` is given. */
export async function openWebhookReceiver(
  answer: AnswerDelivery = withStatus(204),
  askedPort = 0,
): Promise<WebhookReceiver> {
  const deliveries: Delivered[] = []
  const open = { now: 0, most: 0 }
  const server = createServer((request, response) => {
    open.now++
    open.most = Math.max(open.most, open.now)
    response.on('close', () => open.now--)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      deliveries.push({ event: JSON.parse(body) as RunEvent, body, headers: request.headers })
      receiver.answer(response, deliveries.length)
    })
  })
  await new Promise<void>((resolve) => server.listen(askedPort, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${port}/hooks`,
    secret: makeWebhookSecret(),
    deliveries,
    open,
    answer,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}

/** The expected signature of a delivery, computed without our code. */
export function signatureOf({ headers, body }: Delivered, secret: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const content = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
}
