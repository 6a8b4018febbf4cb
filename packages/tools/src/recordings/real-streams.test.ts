import { Anthropic } from '@anthropic-ai/sdk'
import { describe, expect, test } from 'vitest'
import { loadRecordings } from '../../../millrace/test/support/models/recordings.ts'
import { createExchangeRecorder, createReplay, decodeRecording, type Recording } from './index.ts'

const streams = [...loadRecordings(), ...loadRecordings('synthetic')]

/** Records a body as if it had arrived in chunks of this many bytes. */
function record(body: string, chunkBytes: number): Recording {
  let file = ''
  const request = { method: 'POST', path: '/v1/messages', headers: {} }
  const recorder = createExchangeRecorder({ request, write: (line) => (file += line) })
  recorder.openResponse({ status: 200, headers: { 'content-type': 'text/event-stream' } })
  const bytes = new TextEncoder().encode(body)
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    recorder.feedResponse(bytes.subarray(at, at + chunkBytes))
  }
  recorder.close('complete')
  return decodeRecording(file)
}

const textOf = ({ chunks }: Recording): string =>
  Buffer.concat(chunks.map(({ bytes }) => bytes)).toString()

describe.skipIf(streams.length === 0)('recorded streams of the real API', () => {
  test('pass through a recording unchanged, except for the tokens in them', () => {
    for (const { name, body } of streams) {
      const expected = body.replace(/(?<=_credit_token":")[^"]+/g, (token) =>
        '*'.repeat(token.length),
      )
      expect(textOf(record(body, 97)), name).toBe(expected)
      expect(textOf(decodeRecording(body)), name).toBe(body)
    }
  })

  test('give the official client the same message', async () => {
    const small = streams.filter(
      ({ body, golden }) => golden?.message !== undefined && body.length < 20_000,
    )
    for (const { name, body, golden } of small) {
      if (golden?.ok !== true || body.includes('credit_token')) continue
      const { fetch } = createReplay([record(body, 211)], { pace: 'instant' })
      const client = new Anthropic({ apiKey: 'any', fetch, maxRetries: 0 })
      const asked = {
        model: 'any',
        max_tokens: 1,
        messages: [{ role: 'user' as const, content: 'x' }],
      }
      const { content, stop_reason } = await client.beta.messages.stream(asked).finalMessage()
      expect({ content, stop_reason }, name).toMatchObject({
        content: golden.message?.content,
        stop_reason: golden.message?.stop_reason,
      })
    }
  })
})
