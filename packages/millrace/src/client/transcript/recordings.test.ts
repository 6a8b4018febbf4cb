import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { decodeEnvelope } from '../../events/index.ts'
import { createTranscript, endTranscript } from './index.ts'
import { createFrameReducer } from '../../testing/frame-reducer.ts'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const recordings = join(root, '../shared/recordings/envelopes')

function linesOf(path: string): string[] {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  return text.split('\n').filter((line) => line !== '')
}

describe.skipIf(!existsSync(recordings))('recorded streams of the older dialect', () => {
  const streams = existsSync(recordings)
    ? readdirSync(recordings).filter((name) => name.startsWith('cell'))
    : []

  test.each(streams)('%s ends with every block closed', (name) => {
    const messages = linesOf(join(recordings, name)).map(decodeEnvelope)
    const reduce = createFrameReducer()
    const all = messages.reduce((sum, message) => reduce(sum, message), createTranscript())
    const ended = endTranscript(all)
    const blocks = [...ended.agents].flatMap((agent) => [...agent.blocks])
    expect(blocks.filter((block) => !block.done)).toEqual([])
    expect(blocks.length).toBeGreaterThan(0)
    expect(['complete', 'awaiting_tools', 'aborted']).toContain(ended.status)
  })
})
