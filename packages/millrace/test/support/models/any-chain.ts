import fc from 'fast-check'
import type { ContentBlock, Message } from '../../../src/events/index.ts'

/** Text of any length, some of it long enough to be shortened, and with surrogate pairs at cuts. */
const words = fc.oneof(
  fc.constantFrom('yes', 'grüße 🌊', '[Noted.]'),
  fc
    .tuple(fc.constantFrom('x', '🌊', ' word'), fc.integer({ min: 1, max: 1500 }))
    .map(([unit, times]) => unit.repeat(times)),
)

const text = words.map((said): ContentBlock => ({ type: 'text', text: said }))
const thought = words.map((thinking): ContentBlock => ({
  type: 'thinking',
  thinking,
  signature: 'sealed',
}))
const image: ContentBlock = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
}
const media = fc.constantFrom<ContentBlock>(image, {
  type: 'document',
  title: 'Mill',
  source: { type: 'text', media_type: 'text/plain', data: 'flour '.repeat(500) },
})

const output = fc.oneof(
  words,
  fc.constant(''),
  fc.array(fc.oneof(text, media), { maxLength: 3 }),
  fc.constant([{ type: 'tool_reference', tool_name: 'grind' }]),
)

/** The content of one answer, before ids are assigned. */
interface AnswerPlan {
  readonly thought: ContentBlock | undefined
  readonly text: ContentBlock | undefined
  readonly searches: number
  /** The outputs of our tools that it calls. */
  readonly outputs: readonly (string | readonly ContentBlock[])[]
  /** Whether its calls are made by code that the provider runs, and that ends in the next answer. */
  readonly isByCode: boolean
  /** The messages of the user while the tools run. */
  readonly steer: ContentBlock | undefined
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

const answer: fc.Arbitrary<AnswerPlan> = fc.record({
  thought: maybe(thought),
  text: maybe(text),
  searches: fc.nat(2),
  outputs: fc.array(output, { minLength: 1, maxLength: 3 }),
  isByCode: fc.boolean(),
  steer: maybe(text),
})

const turn = fc.record({
  prompt: fc.tuple(fc.array(media, { maxLength: 1 }), text).map((parts) => parts.flat()),
  loop: fc.array(answer, { maxLength: 6 }),
  last: text,
})

/** The end of a conversation: after a user message, with results, with an answer, or in a pause of the provider. */
const ending = fc.constantFrom('prompt', 'results', 'answer', 'paused')

/** Any conversation that a model API accepts, with the start of its last run. */
export interface AnyChain {
  readonly messages: readonly Message[]
  readonly runStart: number
}

/** Conversations with tool loops, parallel calls, thoughts, media, the provider's own tools and code that calls ours. */
export const anyChain: fc.Arbitrary<AnyChain> = fc
  .tuple(fc.array(turn, { minLength: 1, maxLength: 6 }), ending)
  .map(([turns, end]) => {
    const writer = createWriter()
    turns.forEach(({ prompt, loop, last }, index) => {
      const isLast = index === turns.length - 1
      writer.say(prompt)
      if (isLast && end === 'prompt') return
      for (const step of loop) writer.step(step)
      if (isLast && end === 'results' && loop.length > 0) return
      writer.answer(last, isLast && end === 'paused')
    })
    return writer
  })
  .map(({ messages, prompts }) => ({ messages, runStart: prompts.at(-1) ?? 0 }))

function createWriter() {
  const messages: Message[] = []
  const prompts: number[] = []
  let count = 0
  let open: ContentBlock[] = []
  const nextId = (kind: string) => `${kind}_${++count}`

  function search(): ContentBlock[] {
    const id = nextId('srv')
    const input = { query: 'mill' }
    const call = { type: 'server_tool_use', id, name: 'web_search', input }
    return [call, { type: 'web_search_tool_result', tool_use_id: id, content: [] }]
  }

  return {
    messages,
    prompts,
    say(content: readonly ContentBlock[]) {
      prompts.push(messages.length)
      messages.push({ role: 'user', content })
    },
    step({ thought: before, text: said, searches, outputs, isByCode, steer }: AnswerPlan) {
      const code = isByCode
        ? { type: 'server_tool_use', id: nextId('srv'), name: 'code_execution', input: {} }
        : undefined
      const caller = code === undefined ? {} : { caller: { type: 'code', tool_id: code.id } }
      const calls = outputs.map((content) => ({
        call: { type: 'tool_use', id: nextId('toolu'), name: 'grind', input: { a: 1 }, ...caller },
        content,
      }))
      const results = calls.map(({ call, content }): ContentBlock => ({
        type: 'tool_result',
        tool_use_id: call.id,
        content,
      }))
      const searched = Array.from({ length: searches }, search).flat()
      const begun = [...open, before, said, ...searched, code].filter(
        (block) => block !== undefined,
      )
      messages.push({ role: 'assistant', content: [...begun, ...calls.map(({ call }) => call)] })
      messages.push({ role: 'user', content: steer === undefined ? results : [...results, steer] })
      open =
        code === undefined
          ? []
          : [{ type: 'code_execution_tool_result', tool_use_id: code.id, content: {} }]
    },
    answer(last: ContentBlock, isPaused: boolean) {
      const pending = isPaused ? search().slice(0, 1) : []
      messages.push({ role: 'assistant', content: [...open, last, ...pending] })
      open = []
    },
  }
}
