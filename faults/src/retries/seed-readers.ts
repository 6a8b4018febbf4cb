import { type Page, readJsonBody, readXmlBody } from '../../../spec/seed-clients/index.ts'
import { createCuttingFetch } from '../cuts/cutting-fetch.ts'

/** A client of the seeds, by the format that it reads. */
export interface SeedClient {
  readonly name: string
  /** Its addition to the address of a stream. */
  readonly query: string
  readonly read: (body: string) => Page
  /** Whether its ids are numbers alone, which cannot say what was left out. [DIA-5] */
  readonly hasPlainIds: boolean
}

/** JSON as it is, JSON without extensions, and XML. */
export const seedClients: readonly SeedClient[] = [
  { name: 'json', query: '', read: readJsonBody, hasPlainIds: true },
  { name: 'extensions=none', query: 'extensions=none', read: readJsonBody, hasPlainIds: false },
  { name: 'xml', query: 'format=xml', read: readXmlBody, hasPlainIds: false },
]

/** How a client gets the stream, and where its first connection is cut. */
export interface StreamSource {
  /** The request; those after the first name the last event that came whole. */
  readonly url: string
  /** The request that comes first, if it is another one. */
  readonly first?: { readonly url: string; readonly init: RequestInit }
  /** The byte at which the first connection is cut. */
  readonly cutAt?: number | undefined
  readonly signal: AbortSignal
  /** Called when the first request was answered. */
  readonly onOpen?: () => void
}

/** The data of all connections. */
export interface Received {
  /** All events that came whole. */
  readonly body: string
  readonly cuts: number
}

/** Reads a stream to its end, and resumes where it was cut. */
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

/** The events of a response that came whole; the rest of one that was cut is dropped. */
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
