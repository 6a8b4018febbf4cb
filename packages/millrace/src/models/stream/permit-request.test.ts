import { Anthropic } from '@anthropic-ai/sdk'
import { OpenAI } from 'openai'
import { expect, test } from 'vitest'
import { request } from '../../../test/support/models/anthropic-requests.ts'
import { anthropic } from '../anthropic/anthropic.ts'
import { openai } from '../openai/openai.ts'
import type { MessageEnd, Model, Permit } from '../../events/index.ts'

type Fetch = typeof globalThis.fetch

const access = { apiKey: 'none', baseURL: 'http://model.test/v1' }
const models: readonly (readonly [string, (fetch: Fetch) => Model])[] = [
  ['anthropic', (fetch) => anthropic('m', { ...access, fetch })],
  [
    'anthropic with a client',
    (fetch) => anthropic('m', { client: new Anthropic({ ...access, fetch }) }),
  ],
  [
    'anthropic with a wrapped client',
    (fetch) => {
      const { messages } = new Anthropic({ ...access, fetch })
      return anthropic('m', { client: { messages } })
    },
  ],
  ['openai', (fetch) => openai('m', { ...access, fetch })],
  ['openai with a client', (fetch) => openai('m', { client: new OpenAI({ ...access, fetch }) })],
]

/** Makes a call that fails with an error that the SDKs retry. Counts the requests. */
async function ask(
  createModel: (fetch: Fetch) => Model,
  options: { readonly signal?: AbortSignal; readonly permit?: Permit } = {},
): Promise<{ readonly sent: number; readonly outcome: string | undefined }> {
  let sent = 0
  const fetch: Fetch = async () => {
    sent++
    const error = { type: 'api_error', message: 'busy' }
    return Response.json({ error }, { status: 500, headers: { 'retry-after-ms': '1' } })
  }
  let end: MessageEnd | undefined
  for await (const event of createModel(fetch).stream(request, options))
    if (event.type === 'message_end') end = event
  return { sent, outcome: end?.outcome }
}

test.each(models)('%s sends no request without a permit', async (_, createModel) => {
  const controller = new AbortController()
  const permit = async (): Promise<void> => controller.abort()
  const { signal } = controller
  expect(await ask(createModel, { signal, permit })).toEqual({ sent: 0, outcome: 'aborted' })
})

test.each(models)('%s does not retry after its permit is denied', async (_, createModel) => {
  const controller = new AbortController()
  const { signal } = controller
  let sent = 0
  const counted = (fetch: Fetch): Model => createModel((...given) => (sent++, fetch(...given)))
  const permit = async (): Promise<void> => {
    if (sent > 0) controller.abort()
  }
  expect((await ask(counted, { signal, permit })).sent).toBe(1)
})

test.each([
  ['anthropic', 3],
  ['anthropic with a client', 3],
  ['openai', 3],
  // Their retries cannot be checked, so the agent makes them.
  ['anthropic with a wrapped client', 1],
  ['openai with a client', 1],
])('%s makes %i attempts with a permit', async (name, attempts) => {
  const createModel = models.find(([known]) => known === name)?.[1]
  if (createModel === undefined) throw new Error(`There is no model ${name}.`)
  const permit = (): undefined => undefined
  expect(await ask(createModel, { permit })).toEqual({ sent: attempts, outcome: 'failed' })
  expect((await ask(createModel)).sent).toBe(3)
})

test.each([
  ['anthropic', (fetch: Fetch) => anthropic('m', { ...access, fetch })],
  ['openai', (fetch: Fetch) => openai('m', { ...access, fetch })],
])(
  '%s checks the permits of concurrent calls directly before each request',
  async (_, createModel) => {
    const steps: string[] = []
    const calls = ['a', 'b', 'c'].map((name) =>
      ask(
        (fetch) =>
          createModel((...given) => {
            steps.push(`${name} sent`)
            return fetch(...given)
          }),
        { permit: () => void steps.push(`${name} checked`) },
      ),
    )
    await Promise.all(calls)
    const sent = steps.flatMap((step, index) => (step.endsWith('sent') ? [index] : []))
    expect(sent.length).toBeGreaterThanOrEqual(3)
    // A process that is suspended between a check and its request would send the requests of all checked calls.
    for (const index of sent)
      expect(steps[index - 1]).toBe(steps[index]?.replace('sent', 'checked'))
  },
)
