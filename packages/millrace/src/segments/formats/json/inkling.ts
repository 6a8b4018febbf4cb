import type { Format } from '../../format.ts'
import { jsonList } from './json-list.ts'
import { think } from '../tags/think.ts'

const END = '<|end_message|>'
const TEXT = '<|content_text|>'
const MESSAGE = '<|message_model|>'
const STOP = '<|content_model_end_sampling|>'

/** Inkling: messages between special tokens, each with the token of its kind and a common end. */
export const inkling: Format = {
  name: 'inkling',
  blocks: [
    ...think({
      open: '<|content_thinking|>',
      close: [END, TEXT, MESSAGE, STOP],
      control: true,
    }).blocks,
    ...jsonList({
      name: 'inkling',
      open: '<|content_invoke_tool_json|>',
      close: END,
      control: true,
    }).blocks,
  ],
}
