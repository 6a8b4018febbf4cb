/** The response of one request to a client. */
export interface Reading {
  /** The text of the answer, without what was taken back. */
  readonly text: string
  /** Whether the protocol's own end has come. */
  readonly isEnded: boolean
  /** Whether the server has refused the request with 409. */
  readonly isRefused?: boolean
}

/** A page that decides on the call that its thread waits for; each page has a copy of the thread of its own. */
export interface DecidingPage {
  readonly isApproving: boolean
  /** Sends the decision and reads what follows; the same request whenever it is called. */
  decide(url: string): Promise<Reading>
}

/** A client of another protocol that asks one thing, by the SDK of that protocol. */
export interface ForeignClient {
  /** Asks; the same message with the same id whenever it is called. */
  ask(url: string): Promise<Reading>
  /** Reads the run on after its connection was lost. */
  reconnect(url: string): Promise<Reading>
  /** Reads the run as a page does that is loaded again, and asks nothing. */
  reload(url: string): Promise<Reading>
  /** Opens another page on the thread, as the last answer has left it. */
  openPage(isApproving: boolean): DecidingPage
  /** The session of the server, once a response has named it. */
  session(): string
}

/** A protocol and how a client of it is made. */
export interface ForeignProtocol {
  readonly name: string
  create(prompt: string): ForeignClient
}

/** The server has refused a request with 409. */
class Refusal extends Error {}

/** Reads an answer; a request that was refused is one, too. */
export async function orRefused(reading: Promise<Reading>): Promise<Reading> {
  try {
    return await reading
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { text: error.message, isEnded: false, isRefused: true }
  }
}

/**
 * Creates a `fetch` that notes the session which the server names. A connection that breaks ends in order, as behind a
 * proxy: a client must not take that for the end of the answer, and the SDKs reject promises that nobody can catch
 * where a body fails.
 */
export function createNotingFetch(): { readonly fetch: typeof fetch; session(): string } {
  let session = ''
  return {
    session: () => session,
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      session = response.headers.get('x-millrace-session') ?? session
      if (response.status === 409) throw new Refusal(await response.text())
      const { body, status, headers } = response
      return body === null ? response : new Response(endInOrder(body), { status, headers })
    },
  }
}

function endInOrder(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read().catch(() => ({ done: true, value: undefined }))
      if (done || value === undefined) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
}
