/** The response of one request to a client. */
export interface Reading {
  /** The text of the answer, without void content. */
  readonly text: string
  /** Whether the end of the protocol has arrived. */
  readonly isEnded: boolean
  /** Whether the server has refused the request with 409. */
  readonly isRefused?: boolean
}

/** A page that decides on the pending call of its thread; each page has its own copy of the thread. */
export interface DecidingPage {
  readonly isApproving: boolean
  /** Sends the decision and reads the stream; every call sends the same request. */
  decide(url: string): Promise<Reading>
}

/** A client of another protocol that sends one prompt, by the SDK of that protocol. */
export interface ForeignClient {
  /** Sends the prompt; every call sends the same message with the same id. */
  ask(url: string): Promise<Reading>
  /** Resumes the run after its connection was lost. */
  reconnect(url: string): Promise<Reading>
  /** Reads the run like a reloaded page, and sends no prompt. */
  reload(url: string): Promise<Reading>
  /** Opens another page on the thread, in its current state. */
  openPage(isApproving: boolean): DecidingPage
  /** The session of the server; undefined before the first response. */
  session(): string
}

/** A protocol and its client. */
export interface ForeignProtocol {
  readonly name: string
  create(prompt: string): ForeignClient
}

/** The server has refused a request with 409. */
class Refusal extends Error {}

/** Reads a response, or that of a refused request. */
export async function orRefused(reading: Promise<Reading>): Promise<Reading> {
  try {
    return await reading
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { text: error.message, isEnded: false, isRefused: true }
  }
}

/**
 * Creates a `fetch` that records the session named by the server. A connection that fails ends normally, as behind a proxy: a client must
 * not treat that as the end of the answer. The SDKs also reject promises without a handler if a body fails.
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
