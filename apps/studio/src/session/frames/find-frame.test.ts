import { agentOf, encodeEnvelope } from 'millrace'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findBlock } from './find-block.ts'
import { findFirstFrame } from './find-frame.ts'
import { createFrameLog } from './frame-log.ts'
import { createMoments } from './moments.ts'

const message = fc.record({
  type: fc.constantFrom('text', 'text', 'thinking', 'tool_call', 'meta_step', 'rollback'),
  agent: fc.constantFrom('root', 'left'),
  final: fc.boolean(),
  id: fc.constantFrom('one', 'two'),
})

function play(messages: readonly { type: string; agent: string; final: boolean; id: string }[]) {
  const log = createFrameLog({ schedule: (callback) => callback() })
  const moments = createMoments({ getFrames: log.getSnapshot, interval: 4 })
  for (const { type, agent, final, id } of messages) {
    const isText = type === 'text' || type === 'thinking'
    const isWhole = type === 'meta_step' || type === 'rollback'
    const named = type === 'tool_call' ? { id, name: 'look' } : {}
    const delta = isText ? 'x' : isWhole ? '{}' : ''
    const data = encodeEnvelope({ type, agent, final: final || isWhole, delta, ...named })
    log.add({ id: undefined, data })
  }
  return { moments, ...log.getSnapshot() }
}

test('from a block to its first frame and back is the same block, also after rollbacks', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 60 }), (messages) => {
      const { moments, frames, total } = play(messages)
      for (const { id: agent, blocks } of moments.transcriptAt(total).agents) {
        for (let position = 0; position < blocks.length; position++) {
          const key = blocks.at(position)?.key ?? -1
          const index = findFirstFrame(moments, total, { agent, position }, key)
          const had = (count: number) =>
            agentOf(moments.transcriptAt(count), agent)?.blocks.at(position)?.key === key
          expect([had(index), had(index + 1)]).toEqual([false, true])
          expect(findBlock(moments, frames[index]!)).toEqual({ agent, position })
        }
      }
    }),
  )
})

test('a frame that extends a block leads to it, and another frame of a run to the nearest block', () => {
  const { moments, frames } = play([
    { type: 'thinking', agent: 'root', final: true, id: '' },
    { type: 'text', agent: 'root', final: false, id: '' },
    { type: 'text', agent: 'left', final: true, id: '' },
    { type: 'text', agent: 'root', final: true, id: '' },
    { type: 'meta_step', agent: 'root', final: true, id: '' },
  ])
  const places = frames.map((frame) => findBlock(moments, frame))
  expect(places.map((place) => [place?.agent, place?.position])).toEqual([
    ['root', 0],
    ['root', 1],
    ['left', 0],
    ['root', 1],
    ['root', 1],
  ])
  expect(findBlock(moments, { ...frames[0]!, agent: 'nobody' })).toBeUndefined()
})

test('a frame leads to its block also if the session stored the next moment', () => {
  const messages = ['one', 'two', 'two', 'one'].map((id, index) => ({
    type: 'tool_call',
    agent: 'root',
    final: index === 3,
    id,
  }))
  const { moments, frames } = play(messages)
  moments.keep(4, play(messages).moments.transcriptAt(4))
  expect(findBlock(moments, frames[3]!)).toEqual({ agent: 'root', position: 0 })
})
