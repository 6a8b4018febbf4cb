import { describe, expect, test } from 'vitest'
import { agent, final, write } from '../../../test/support/agents/agent-events.ts'
import type { ToolResult } from '../index.ts'

describe('results', () => {
  const result = {
    type: 'tool_result',
    agent,
    callId: 't1',
    name: 'shot',
    text: 'done',
    images: [],
    isError: false,
  } as const
  const image = { src: 'data:image/png;base64,AAAA', mediaType: 'image/png' }

  test('of text are sent as text, and errors are marked', () => {
    expect(write([result, { ...result, isError: true }])).toEqual([
      { type: 'tool_result', final: true, delta: 'done', id: 't1', name: 'shot' },
      { type: 'tool_result', final: true, delta: 'done', id: 't1', name: 'shot', is_error: true },
    ])
  })

  test('[LIFE-4] have images between the text and the end', () => {
    expect(write([{ ...result, text: '', images: [image] }])).toEqual([
      { type: 'tool_result', final: false, delta: '', id: 't1', name: 'shot' },
      {
        type: 'tool_result_image',
        final: false,
        delta: '',
        id: 't1',
        name: 'shot',
        src: image.src,
        media_type: 'image/png',
      },
      { type: 'tool_result', ...final, id: 't1', name: 'shot' },
    ])
  })

  test('[CHUNK-7] have image data over the limit by reference, otherwise in chunks', () => {
    const large = { ...image, src: `data:image/png;base64,${'A'.repeat(5000)}` }
    const near = { ...image, src: `data:image/png;base64,${'A'.repeat(1990)}` }
    const shot: ToolResult = { ...result, images: [image, near, large] }
    const asked: unknown[] = []
    const messages = write([shot], {
      imageUrl: (each, { callId }) => `/images/${callId}/${asked.push(each)}`,
    })
    expect(messages.map(({ src }) => src).filter(Boolean)).toEqual([
      image.src,
      '/images/t1/1',
      '/images/t1/2',
    ])
    expect(asked).toEqual([near, large])
    expect(write([{ ...result, images: [large] }]).length).toBeGreaterThan(4)
    const link = { ...image, src: 'https://e.x/a.png' }
    expect(write([{ ...result, images: [link] }], { imageUrl: () => 'no' })[1]).toMatchObject({
      src: link.src,
    })
  })
})
