import type { Format } from '../../format.ts'
import { toolCallList } from './json-list.ts'
import { think } from '../tags/think.ts'

/**
 * Apriel: reasoning up to the marker of the final response. Its opening line is often in the prompt: then the
 * parser must start in reasoning.
 */
export const apriel: Format = {
  name: 'apriel',
  blocks: [
    ...think({
      open: 'Here are my reasoning steps:',
      close: '[BEGIN FINAL RESPONSE]',
      answer: ['[END FINAL RESPONSE]'],
      at: 'stream',
    }).blocks,
    ...toolCallList.blocks,
  ],
}
