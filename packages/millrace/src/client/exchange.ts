import { MillraceError } from '../errors/index.ts'
import { checkResponse, toLoss } from './loss.ts'
import { toOutgoing, type Want } from './outgoing.ts'
import { readAnswer } from './read-answer.ts'
import type { SessionOptions } from './session.ts'
import type { SnapshotStore } from './snapshot-store.ts'

/** Makes the request that is wanted and reads its answer to the end; silence for too long aborts it. */
export async function exchange(
  id: string,
  options: SessionOptions,
  store: SnapshotStore,
  want: Want,
  controller: AbortController,
): Promise<void> {
  const { url, fetch = globalThis.fetch, headers, idleTimeoutMs = 45_000 } = options
  const { getSnapshot, move } = store
  let timer: ReturnType<typeof setTimeout> | undefined
  const orLoss = async <T>(network: Promise<T>): Promise<T> => {
    clearTimeout(timer)
    timer = setTimeout(() => controller.abort('silence'), idleTimeoutMs)
    return network.catch((cause: unknown) => {
      throw toLoss(`The connection failed: ${String(cause)}`, cause)
    })
  }
  if (getSnapshot().connection.state === 'closed') throw toLoss('The session was closed.')
  move('connecting')
  const { path, body } = toOutgoing(want, id, options, getSnapshot())
  try {
    const request = fetch(`${url.replace(/\/$/, '')}/agent/${path}`, {
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      headers: {
        'content-type': 'application/json',
        ...(typeof headers === 'function' ? await headers() : headers),
      },
      signal: controller.signal,
    })
    const response = await orLoss(request)
    await checkResponse(response)
    move('streaming')
    const reader = response.body!.getReader()
    const take = readAnswer(options, store, want)
    for (;;) {
      const { value } = await orLoss(reader.read())
      if (!value) throw toLoss('The stream broke off.')
      if (take(value)) break
    }
    reader.read().catch(() => {}) // a body read to its close is not an aborted one
  } finally {
    clearTimeout(timer)
  }
  if (getSnapshot().prompt?.state === 'sending') {
    throw new MillraceError('not_found', 'Nothing new.')
  }
}
