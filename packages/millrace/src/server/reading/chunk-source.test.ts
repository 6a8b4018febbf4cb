import { expect, test } from 'vitest'
import { createChunkSource, type ChunkReader, toBody } from './chunk-source.ts'

test('a source that fails is closed, even if the error callback throws', async () => {
  const received: string[] = []
  const reader: ChunkReader = {
    take: () => undefined,
    wait: (_, onError) => onError(new Error('failed')),
    isOver: () => false,
    close: () => received.push('closed'),
  }
  const source = createChunkSource({
    reader,
    stallTimeoutMs: 60_000,
    onError: (error) => {
      received.push(String(error))
      throw error
    },
    onClose: () => received.push('left'),
  })
  await expect(new Response(toBody(source)).text()).rejects.toThrow('failed')
  expect(received).toEqual(['Error: failed', 'closed', 'left'])
})
