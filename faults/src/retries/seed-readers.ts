import { type Page, readJsonBody, readXmlBody } from '../../../spec/seed-clients/index.ts'
import { createCuttingFetch } from '../cuts/cutting-fetch.ts'

/** A client of the seeds, by its format. */
export interface SeedClient {
  readonly name: string
  /** Its suffix of the address of a stream. */
  readonly query: string
  readonly read: (body: string) => Page
  /** Whether its ids are plain numbers, which cannot show omitted content. [DIA-5] */
  readonly hasPlainIds: boolean
}

/** JSON, JSON without extensions, and XML. */
export const seedClients: readonly SeedClient[] = [
  { name: 'json', query: '', read: readJsonBody, hasPlainIds: true },
  { name: 'extensions=none', query: 'extensions=none', read: readJsonBody, hasPlainIds: false },
  { name: 'xml', query: 'format=xml', read: readXmlBody, hasPlainIds: false },
]

/** The requests of a client, and the cut of its first connection. */
export interface StreamSource {
  /** The request; later requests name the last complete event. */
  readonly url: string
  /** The first request, if it is another one. */
  readonly first?: { readonly url: string; readonly init: RequestInit }
  /** The byte at which the first connection is cut. */
  readonly cutAt?: number | undefined
  readonly signal: AbortSignal
  /** Called when the first request has a response. */
  readonly onOpen?: () => void
}

/** The data of all connections. */
export interface Received {
  /** All complete events. */
  readonly body: string
  readonly cuts: number
}

/** Reads a stream to its end, and resumes after a cut. */
export async function receive(source: StreamSource): Promise<Received> {
  const { url, first, cutAt, signal, onOpen = () => {} } = source
  const network = createCuttingFetch(cutAt === undefined ? [] : [cutAt])
  let body = ''
  let lastId: string | undefined
  for (let request = 0; request <= network.cuts(); request++) {
    const headers = lastId === undefined ? {} : { 'last-event-id': lastId }
    const { url: address, init } = (request === 0 && first) || { url, init: { headers } }
    const response = await network.fetch(address, { ...init, signal })
    if (!response.ok) throw new Error(`refused with ${response.status}: ${await response.text()}`)
    if (request === 0) onOpen()
    const events = await readWholeEvents(response, signal)
    body += events
    lastId = lastIdIn(events) ?? lastId
  }
  return { body, cuts: network.cuts() }
}

/** The complete events of a response; the rest of a cut one is dropped. */
async function readWholeEvents(response: Response, signal: AbortSignal): Promise<string> {
  const chunks: Uint8Array[] = []
  try {
    for await (const chunk of response.body ?? []) chunks.push(chunk)
  } catch {
    signal.throwIfAborted()
  }
  const text = Buffer.concat(chunks).toString()
  return text.slice(0, text.lastIndexOf('\n\n') + 2)
}

function lastIdIn(events: string): string | undefined {
  return [...events.matchAll(/^id: ?(.*)$/gm)].at(-1)?.[1]
}
