import { expect, test } from 'vitest'
import { isMillraceError } from '../../errors/index.ts'
import { readBody, type ReadBodyOptions } from './read-body.ts'

const limits: ReadBodyOptions = { maxBytes: 1_000, idleTimeoutMs: 30, timeoutMs: 60_000 }

/** A request whose body is written one byte at a time, with a rest before each. */
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

test('a body of which nothing comes is given up, and so is whoever sends it', async () => {
  const { request, isCancelled } = open(60_000)
  expect(await read(request, limits)).toBe('request_timeout')
  expect(isCancelled()).toBe(true)
})

test('so is one that comes too slowly to be whole in time', async () => {
  const { request, isCancelled } = open(5)
  expect(await read(request, { ...limits, timeoutMs: 80 })).toBe('request_timeout')
  expect(isCancelled()).toBe(true)
})
