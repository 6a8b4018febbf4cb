import type { Format } from '../../format.ts'
import { jsonList } from './json-list.ts'
import { think } from '../tags/think.ts'

/** Command: special tokens around reasoning, around calls in JSON and around the answer. */
export const command: Format = {
  name: 'command',
  blocks: [
    ...think({
      open: '<|START_THINKING|>',
      close: ['<|END_THINKING|>', '<|START_RESPONSE|>', '<|START_TEXT|>'],
      answer: ['<|END_RESPONSE|>', '<|END_TEXT|>'],
      control: true,
    }).blocks,
    ...jsonList({
      name: 'command',
      open: '<|START_ACTION|>',
      close: '<|END_ACTION|>',
      control: true,
    }).blocks,
  ],
}
