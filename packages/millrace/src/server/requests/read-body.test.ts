import { expect, test } from 'vitest'
import { isMillraceError } from '../../errors/index.ts'
import { readBody, type ReadBodyOptions } from './read-body.ts'

const limits: ReadBodyOptions = { maxBytes: 1_000, idleTimeoutMs: 30, timeoutMs: 60_000 }

/** A request whose body is written byte by byte, with a delay before each. */
function open(restMs: number) {
  let isCancelled = false
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      await new Promise((resolve) => setTimeout(resolve, restMs))
      if (!isCancelled) controller.enqueue(Uint8Array.of(32))
    },
    cancel: () => {
      isCancelled = true
    },
  })
  const init = { method: 'POST', body, duplex: 'half' }
  return { request: new Request('http://localhost/', init), isCancelled: () => isCancelled }
}

async function read(request: Request, options: ReadBodyOptions): Promise<string> {
  try {
    for await (const chunk of readBody(request, options)) expect(chunk).toHaveLength(1)
    return 'read'
  } catch (error) {
    return isMillraceError(error) ? error.code : String(error)
  }
}

test('a stalled body times out, and its reading is cancelled', async () => {
  const { request, isCancelled } = open(60_000)
  expect(await read(request, limits)).toBe('request_timeout')
  expect(isCancelled()).toBe(true)
})

test('a body that is too slow as a whole times out', async () => {
  const { request, isCancelled } = open(5)
  expect(await read(request, { ...limits, timeoutMs: 80 })).toBe('request_timeout')
  expect(isCancelled()).toBe(true)
})
