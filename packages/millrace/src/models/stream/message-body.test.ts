import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { message, request } from '../../../test/support/models/anthropic-requests.ts'
import { toBody } from '../../../test/support/models/anthropic-events.ts'
import { finish, text, toBody as toChatBody } from '../../../test/support/models/chat-chunks.ts'
import { anthropic } from '../anthropic/anthropic.ts'
import { openai } from '../openai/openai.ts'
import type { Model } from '../../events/index.ts'
import type { SseBody } from '../../sse/index.ts'
import { createMessageBody } from './message-body.ts'

const toFailure = (): never => {
  throw new Error('The request failed.')
}
const encoder = new TextEncoder()

/** A body of one frame that then ends or stays open; it records its cancellation. */
function createBody(isEnding: boolean) {
  let isCancelled = false
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode('data: a\n\n'))
      if (isEnding) controller.close()
    },
    cancel: () => void (isCancelled = true),
  })
  return { body, isCancelled: () => isCancelled }
}

/** Creates a message body and returns the signal of its request, once it is sent. */
function prepare(body: SseBody, signal?: AbortSignal) {
  let requestSignal: AbortSignal | undefined
  const open = async (given: AbortSignal): Promise<SseBody> => {
    requestSignal = given
    return body
  }
  const read = createMessageBody(open, { signal, maxFrameChars: 1_000, toFailure })
  return { read, isAborted: () => requestSignal?.aborted }
}

describe('the signal of a request', () => {
  test('is not aborted after the body has ended', async () => {
    const { body, isCancelled } = createBody(true)
    const { read, isAborted } = prepare(body)
    await read.read(1_000)
    expect(await read.read(1_000)).toMatchObject({ outcome: 'interrupted' })
    read.close()
    expect([isAborted(), isCancelled()]).toEqual([false, false])
  })

  test.each(['close', 'abort'] as const)('is not aborted by %s: the body is', async (how) => {
    const { body, isCancelled } = createBody(false)
    const controller = new AbortController()
    const { read, isAborted } = prepare(body, controller.signal)
    await read.read(1_000)
    const waiting = how === 'abort' ? read.read(60_000) : undefined
    if (how === 'abort') controller.abort()
    expect(await waiting).toEqual(how === 'abort' ? { outcome: 'aborted' } : undefined)
    read.close()
    await setTimeout(0)
    expect([isAborted(), isCancelled()]).toEqual([false, true])
  })

  test('is aborted if the body cannot be cancelled', async () => {
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield encoder.encode('data: a\n\n')
      await new Promise(() => {})
    }
    const { read, isAborted } = prepare(endless())
    await read.read(1_000)
    read.close()
    expect(isAborted()).toBe(true)
  })

  test('is aborted while the body is awaited', async () => {
    const controller = new AbortController()
    let isAborted = false
    const open = (given: AbortSignal): Promise<SseBody> => {
      given.addEventListener('abort', () => (isAborted = true))
      return new Promise(() => {})
    }
    const { signal } = controller
    const read = createMessageBody(open, { signal, maxFrameChars: 1_000, toFailure })
    const waiting = read.read(60_000)
    controller.abort()
    expect(await waiting).toEqual({ outcome: 'aborted' })
    expect(isAborted).toBe(true)
  })
})

/** The garbage collector of this process, which needs a flag. */
function collector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

const models: Readonly<Record<string, (fetch: typeof globalThis.fetch) => Model>> = {
  anthropic: (fetch) => anthropic('m', { apiKey: 'none', fetch, maxRetries: 0 }),
  openai: (fetch) => openai('m', { apiKey: 'none', baseURL: 'http://model.test/v1', fetch }),
}
const bytes: Readonly<Record<string, Uint8Array>> = {
  anthropic: encoder.encode(toBody(message)),
  openai: encoder.encode(toChatBody([text('grain '), text('flour'), finish()])),
}

/** Makes calls whose bodies are read to the end, left early or aborted. Returns weak references to the bodies. */
async function makeCalls(name: string, count: number): Promise<readonly WeakRef<object>[]> {
  const bodies: WeakRef<object>[] = []
  const fetch = async (): Promise<Response> => {
    const isEnding = bodies.length % 3 === 0
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(isEnding ? bytes[name]! : bytes[name]!.slice(0, -100))
        if (isEnding) controller.close()
      },
    })
    bodies.push(new WeakRef(body))
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
  const model = models[name]?.(fetch)
  if (model === undefined) throw new Error(`There is no model ${name}.`)
  for (let call = 0; call < count; call++) {
    const controller = new AbortController()
    for await (const event of model.stream(request, { signal: controller.signal })) {
      if (event.type !== 'block_delta') continue
      if (call % 3 === 1) break
      if (call % 3 === 2) controller.abort()
    }
  }
  return bodies
}

test.each(Object.keys(models))('bodies of %s calls are collected', async (name) => {
  const collect = collector()
  const bodies = await makeCalls(name, 30)
  expect(bodies).toHaveLength(30)
  // Finalizers run between two collections.
  for (let times = 0; times < 10; times++) {
    await setTimeout(1)
    collect()
  }
  const kept = bodies.filter((body) => body.deref() !== undefined)
  // The stack or a register may still refer to the last call.
  expect(kept.length).toBeLessThanOrEqual(2)
})
