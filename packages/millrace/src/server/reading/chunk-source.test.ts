import { expect, test } from 'vitest'
import { createChunkSource, type ChunkReader, toBody } from './chunk-source.ts'

test('a source that fails is closed, even if the error callback throws', async () => {
  const told: string[] = []
  const reader: ChunkReader = {
    take: () => undefined,
    wait: (_, onError) => onError(new Error('failed')),
    isOver: () => false,
    close: () => told.push('closed'),
  }
  const source = createChunkSource({
    reader,
    stallTimeoutMs: 60_000,
    onError: (error) => {
      told.push(String(error))
      throw error
    },
    onClose: () => told.push('left'),
  })
  await expect(new Response(toBody(source)).text()).rejects.toThrow('failed')
  expect(told).toEqual(['Error: failed', 'closed', 'left'])
})
