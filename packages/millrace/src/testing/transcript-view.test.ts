import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { decodeEnvelope } from '../envelope/index.ts'
import {
  createTranscript,
  cutTranscript,
  endTranscript,
  foreignError,
  reduceTranscript,
  type Transcript,
} from '../transcript/index.ts'
import { toView } from './transcript-view.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const recordings = join(root, '../shared/recordings/envelopes')

function linesOf(path: string): string[] {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  return text.split('\n').filter((line) => line !== '')
}

type Payload = string | (Record<string, unknown> & { readonly seq?: number })

function take(transcript: Transcript, payload: Payload): Transcript {
  if (typeof payload === 'string') return endTranscript(transcript)
  const { seq, ...message } = payload
  if (!('type' in message)) return foreignError(transcript, String(message['message']))
  return reduceTranscript(transcript, decodeEnvelope(JSON.stringify(message)), seq)
}

describe('cases of what a person sees', () => {
  const files = ['spec/vectors/transcript.jsonl', '../shared/vectors/protocol.jsonl']
  const cases = files
    .flatMap((file) => linesOf(join(root, file)))
    .map((line) => JSON.parse(line))
    .filter(({ kind }) => kind === 'envelopes_to_ui')

  test.each(cases.map((one) => [one.name, one]))('%s', (_name, { input, expected }) => {
    const transcript = (input.data as Payload[]).reduce(take, createTranscript())
    const isCut = input.closed && !input.data.includes('[DONE]')
    const view = toView(isCut ? cutTranscript(transcript) : transcript)
    expect(view).toMatchObject(expected)
  })
})

describe.skipIf(!existsSync(recordings))('recorded streams of the older dialect', () => {
  const streams = existsSync(recordings)
    ? readdirSync(recordings).filter((name) => name.startsWith('cell'))
    : []

  test.each(streams)('%s ends with every block closed', (name) => {
    const messages = linesOf(join(recordings, name)).map(decodeEnvelope)
    const all = messages.reduce(
      (sum, message) => reduceTranscript(sum, message),
      createTranscript(),
    )
    const ended = endTranscript(all)
    const blocks = [...ended.agents].flatMap((agent) => [...agent.blocks])
    expect(blocks.filter((block) => !block.done)).toEqual([])
    expect(blocks.length).toBeGreaterThan(0)
    expect(['complete', 'awaiting_tools', 'aborted']).toContain(ended.status)
  })
})
