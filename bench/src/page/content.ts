import { cut } from '../deltas.ts'

/** The content that a page receives, and must show in the end. */
export interface PageContent {
  readonly kind: 'text' | 'tool'
  /** The text, or the input of the call as JSON, in the chunks in which it is sent. */
  readonly pieces: readonly string[]
  /** The number of characters that a complete page shows. */
  readonly length: number
}

/** The call that is streamed. */
export const toolCall = { id: 'toolu_bench', name: 'write_file' }

/** 1 MB in 100 seconds, at 200 pieces a second. */
const PIECE_LENGTH = 52

/** A part of an answer with usual elements: a heading, a list, a table, code, a long paragraph. */
export const section = (number: number): string =>
  [
    `## Part ${number}: the race`,
    'Water runs down the **race** and turns the _wheel_; see [the plan](https://example.com/plan) and `gate.open()`.',
    '- the sluice, which is opened by hand\n- the wheel, with 48 paddles\n- the stone',
    '| grain | kg | fineness |\n| --- | ---: | --- |\n| rye | 40 | coarse |\n| wheat | 55 | fine |',
    '```ts\nfor (const sack of sacks) {\n  if (!sack.isDry) continue\n  await mill.grind(sack)\n}\n```',
    'The miller listens to the stone and lets in a little less water. '.repeat(8),
  ].join('\n\n')

/** Markdown with usual elements of answers: headings, lists, tables, code, long paragraphs. */
function markdown(length: number): string {
  let text = ''
  for (let number = 1; text.length < length; number++) text += `${section(number)}\n\n`
  return text.slice(0, length)
}

/** An answer in Markdown. */
export function createText(length: number): PageContent {
  return { kind: 'text', pieces: cut(markdown(length), PIECE_LENGTH), length }
}

/** A call that writes a long file. */
export function createToolInput(length: number): PageContent {
  const input = JSON.stringify({ path: 'mill.md', content: markdown(length) })
  return { kind: 'tool', pieces: cut(input, PIECE_LENGTH), length }
}
