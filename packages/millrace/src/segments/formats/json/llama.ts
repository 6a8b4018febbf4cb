import type { Format } from '../../format.ts'
import { jsonList } from './json-list.ts'
import { bareCalls } from './tool-json.ts'

/** Llama 3: JSON after `<|python_tag|>`, or at the start of the answer. */
export const llama3: Format = {
  name: 'llama3',
  blocks: [
    ...jsonList({ name: 'llama3', open: '<|python_tag|>', separators: [';'], control: true })
      .blocks,
    bareCalls('stream'),
  ],
}
