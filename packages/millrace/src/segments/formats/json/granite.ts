import type { Format } from '../../format.ts'
import { jsonList } from './json-list.ts'
import { think } from '../tags/think.ts'

/** Granite 3: a JSON list after a special token. */
export const granite: Format = jsonList({ name: 'granite', open: '<|tool_call|>', control: true })

/** Granite 20B: a JSON object after each tag. */
export const granite20b: Format = jsonList({
  name: 'granite-20b',
  open: '<function_call>',
  close: '</function_call>',
})

/** Granite 3.2 announces its reasoning in words, only at the start; 3.3 writes tags, also around the answer. */
export const graniteReasoning: Format = {
  name: 'granite-reasoning',
  blocks: [
    ...think({
      open: ['Here is my thought process:', "Here's my thought process:"],
      close: ['Here is my response:', "Here's my response:"],
      at: 'stream',
    }).blocks.map((block) => ({ ...block, orphans: [] })),
    ...think({
      close: ['</think>\n<response>', '</think><response>', '</think>'],
      answer: ['</response>'],
    }).blocks,
  ],
}
